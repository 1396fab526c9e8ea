"""One run at a time writes to an output folder, and nothing of another run is ever replaced unasked."""

import multiprocessing
import time

import pytest

from dagscale.cli import _exit_code
from dagscale.cli.folder import output_folder, partial_folder
from dagscale.runtime.checkpoint import Checkpoint
from dagscale.runtime.errors import InputError
from dagscale.runtime.lock import locked_folder


def test_a_second_run_into_one_folder_is_refused_at_once(tmp_path):
    out = tmp_path / "run"
    with output_folder(out, force=False) as folder:
        (folder / "result.json").write_text("first")
        for force in (False, True):
            with pytest.raises(InputError, match="another run is writing"), output_folder(out, force):
                pytest.fail("let in")
        assert (folder / "result.json").read_text() == "first"
    assert (out / "result.json").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_what_appeared_meanwhile_is_not_replaced(tmp_path):
    out = tmp_path / "run"

    def run():
        with output_folder(out, force=False):
            out.mkdir()
            (out / "result.json").write_text("another's")

    with pytest.raises(InputError, match="add --force"):
        run()
    assert (out / "result.json").read_text() == "another's"
    assert not partial_folder(out).exists()


def test_a_file_cut_off_by_a_full_disk_is_ours(tmp_path):
    partial = tmp_path / "run.partial"
    partial.mkdir()
    (partial / "result.npz.partial").write_bytes(b"half")
    (partial / "checkpoint.bin").write_bytes(b"")
    with output_folder(tmp_path / "run", force=False) as folder:
        assert [path.name for path in folder.iterdir()] == ["checkpoint.bin"]


@pytest.mark.parametrize(("out", "says"), [("x" * 300, "File name too long"), (".", "names no folder")])
def test_a_name_that_cannot_be_is_one_line(out, says, tmp_path, refused, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert says in refused("simulate", "--nodes", "3", "--samples", "20", "--out", out)


def test_a_checkpoint_is_locked_before_anything_is_written(tmp_path):
    place = Checkpoint(tmp_path / "run")
    with place.open(lambda: {"table": "a"}):
        with pytest.raises(InputError, match="another run is writing"), place.open(lambda: {"table": "a"}):
            pytest.fail("let in")
        assert not place.begun
    assert not place.folder.exists()


def test_a_checkpoint_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("x")
    place = Checkpoint(tmp_path / "file" / "run")
    with (
        pytest.raises(InputError, match="cannot write the checkpoint"),
        place.open(lambda: {"table": "a"}),
    ):
        pytest.fail("let in")


def _write_once(place, out):
    try:
        with output_folder(out, force=False) as folder:
            (folder / "result.json").write_text(str(place))
            time.sleep(0.02)
            (folder / "truth.json").write_text(str(place))
    except InputError:
        return
    (out.parent / f"won-{place}").touch()


@pytest.mark.parametrize("attempt", range(5))
def test_of_many_runs_at_once_one_wins(attempt, tmp_path):
    out = tmp_path / "run"
    context = multiprocessing.get_context("fork")
    runs = [context.Process(target=_write_once, args=(k, out)) for k in range(6)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    (winner,) = tmp_path.glob("won-*")
    for name in ("result.json", "truth.json"):
        assert f"won-{(out / name).read_text()}" == winner.name
    assert not partial_folder(out).exists()


def test_a_folder_renamed_under_its_lock_is_left_alone(tmp_path):
    with locked_folder(tmp_path / "a"):
        (tmp_path / "a").rename(tmp_path / "b")
        (tmp_path / "a").mkdir()
    assert (tmp_path / "b").exists()
    assert (tmp_path / "a").exists()


def test_an_existing_result_is_refused_before_the_table_is_read(tmp_path, refused, capsys):
    out = str(tmp_path / "sim")
    assert _exit_code(["simulate", "--nodes", "3", "--samples", "20", "--out", out]) == 0
    capsys.readouterr()
    assert "--force" in refused("discover", str(tmp_path / "no.csv"), "--out", out)
