"""A killed discovery, run again, gives what an undisturbed one gives: real processes, real signals."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import dagscale
from dagscale import cli
from dagscale.result import Result
from dagscale.runtime import checkpoint
from dagscale.runtime.checkpoint import FILE, RESAMPLES, Log
from dagscale.runtime.errors import InputError
from dagscale.stages.pruning import additive

METHODS = {"das": {}, "nogam": {}, "cam": {"pns": True, "K": 3}, "auto": {}}
# Writes every piece at once and, where told so, dies by SIGKILL after the k-th new one; where k < 0, waits there.
CHILD = """
import os, signal, sys, time
from dagscale.runtime import checkpoint
checkpoint.FIRST = checkpoint.PAUSE = 0.0
checkpoint.SHARE = 1e9
keep, left = checkpoint.Log.keep, [abs(int(sys.argv[1]))]
def keep_and_die(log, key, piece):
    keep(log, key, piece)
    left[0] -= 1
    if left[0] == 0:
        time.sleep(60) if sys.argv[1].startswith("-") else os.kill(os.getpid(), signal.SIGKILL)
checkpoint.Log.keep = keep_and_die
from dagscale.cli import main
main(sys.argv[2:])
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "table.csv"
    dagscale.simulate(nodes=7, samples=150, random_state=1000).table.to_csv(path, index=False)
    return path


def arguments(table, method, out):
    settings = [f"--set={name}={json.dumps(value)}" for name, value in METHODS[method].items()]
    return ["discover", str(table), "--method", method, *settings, "--out", str(out), "--n-jobs", "2"]


def start(table, method, out, die_after=0):
    command = [sys.executable, "-c", CHILD, str(die_after), *arguments(table, method, out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def pieces_of(table, method, folder):
    """Run undisturbed, checkpoint and all; return the result and how many pieces it is made of."""
    count = [0]
    keep = Log.keep

    def counting(log, key, piece):
        count[0] += 1
        keep(log, key, piece)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Log, "keep", counting)
        result = dagscale.discover(table, method, checkpoint=folder, n_jobs=1, **METHODS[method])
    return result, count[0]


def assert_same(one, other):
    assert one.order == other.order
    assert np.array_equal(one.adjacency, other.adjacency)
    assert one.edges.equals(other.edges)
    assert one.notes == other.notes
    for name in one.names[1:]:
        assert str(one.why(one.names[0], name)) == str(other.why(other.names[0], name))


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_killed_at_random_moments_and_run_again(table, tmp_path, method):
    plain = dagscale.discover(table, method, n_jobs=1, **METHODS[method])
    undisturbed, count = pieces_of(table, method, tmp_path / "undisturbed")
    assert_same(plain, undisturbed)
    assert not (tmp_path / "undisturbed").exists()
    out, rng = tmp_path / "run", np.random.default_rng(1000)
    first = int(rng.integers(1, max(2, count // 2)))
    second = int(rng.integers(1, max(2, (count - first) // 2)))
    for die_after in (first, second):  # the second one dies further on: it begins where the first one died
        process = start(table, method, out, die_after)
        process.communicate(timeout=120)
        assert process.returncode == -signal.SIGKILL
        assert [path.name for path in (tmp_path / "run.partial").iterdir()] == [FILE]
        assert not out.exists()
    new = start(table, method, out, die_after=count - first - second + 1)  # one more would be one too many
    _, error = new.communicate(timeout=120)
    assert new.returncode == 0, error
    assert "found the checkpoint of an interrupted run" in error
    assert not (tmp_path / "run.partial").exists()
    assert FILE not in [path.name for path in out.iterdir()]
    assert_same(Result.load(out), undisturbed)


# Writes every piece at once, says when the work begins, and is killed from outside at any moment.
OPEN_CHILD = """
import sys
from dagscale.runtime import checkpoint
checkpoint.FIRST = checkpoint.PAUSE = 0.0
checkpoint.SHARE = 1e9
import dagscale.flow, dagscale.resampling, dagscale.result.report  # imports are not what is to be killed
from dagscale.cli import main
print("ready", flush=True)
main(sys.argv[1:])
"""


def run_for(command, seconds=None):
    """Run the command line, for so many seconds from its beginning; return its exit code and its time."""
    process = subprocess.Popen(
        [sys.executable, "-c", OPEN_CHILD, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    process.stdout.readline()
    started = time.monotonic()
    try:
        process.wait(seconds if seconds is not None else 120)
    except subprocess.TimeoutExpired:
        process.kill()
    process.stdout.close()
    return process.wait(), time.monotonic() - started


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("auto", []),
        pytest.param("cam", [], marks=pytest.mark.slow),
        pytest.param("das", ["--bootstrap", "12", "--seed", "3"], marks=pytest.mark.slow),
    ],
)
def test_killed_by_the_clock_and_run_again(tmp_path, method, more):
    """SIGKILL does not wait for the end of a piece: here it comes at random times, amid anything."""
    data = tmp_path / "table.csv"
    nodes = {"cam": 40, "auto": 6, "das": 12}[method]
    dagscale.simulate(nodes=nodes, samples=150, random_state=1000).table.to_csv(data, index=False)
    command = ["discover", str(data), "--method", method, "--n-jobs", "1", "--quiet", *more, "--out"]
    code, whole = run_for([*command, str(tmp_path / "undisturbed")])
    assert code == 0
    out, rng = tmp_path / "run", np.random.default_rng(1000)
    codes = [run_for([*command, str(out)], whole * rng.uniform(0.1, 0.6))[0] for _ in range(2)]
    assert codes[0] == -signal.SIGKILL
    assert set(codes) <= {-signal.SIGKILL, 0, 2}  # 2: a run before was quick enough to finish
    if not out.exists():
        assert run_for([*command, str(out)])[0] == 0
    assert not (tmp_path / "run.partial").exists()
    assert {path.name for path in out.iterdir()} == {p.name for p in (tmp_path / "undisturbed").iterdir()}
    assert_same(Result.load(out), Result.load(tmp_path / "undisturbed"))


def test_a_bootstrap_goes_on_and_more_replicates_go_on_from_fewer(tmp_path, monkeypatch):
    for name, value in (("FIRST", 0.0), ("PAUSE", 0.0), ("SHARE", 1e9)):
        monkeypatch.setattr(checkpoint, name, value)
    table = dagscale.simulate(nodes=4, samples=100, random_state=1000).table
    options = {"method": "varsort", "n_jobs": 1, "pairs": True, "random_state": 5}
    place = tmp_path / "sure"
    undisturbed = dagscale.bootstrap(table, replicates=8, **options)
    with monkeypatch.context() as patch:
        patch.setattr(Log, "keep", stops_after(3))
        with pytest.raises(RuntimeError, match="went away"):
            dagscale.bootstrap(table, replicates=6, checkpoint=place, **options)
    assert [path.name for path in place.iterdir()] == [RESAMPLES]
    with pytest.raises(InputError, match=r"checkpoint of another run \(different settings\)"):
        dagscale.bootstrap(table, replicates=8, checkpoint=place, **{**options, "random_state": 6})
    done, seen = [], lambda _label, count, _total: done.append(count)
    again = dagscale.bootstrap(table, replicates=8, checkpoint=place, progress=seen, **options)
    assert done == [0, 4, 5, 6, 7, 8]
    for name in ("confidence", "precedence", "ancestry", "sizes"):
        np.testing.assert_array_equal(getattr(again, name), getattr(undisturbed, name))
    assert not place.exists()


def stops_after(pieces):
    """Patch the log so that a run ends with an error as soon as so many new pieces are kept."""
    keep, left = Log.keep, [pieces]

    def keep_and_stop(log, key, piece):
        keep(log, key, piece)
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("the machine went away")

    return keep_and_stop


@pytest.mark.parametrize(
    ("method", "options", "points"),
    [("das", {}, None), ("score", {}, None), ("auto", {}, 3), ("auto", {"device": "torch"}, 2)],
)
def test_ended_at_every_piece_and_run_again(tmp_path, monkeypatch, method, options, points):
    table = dagscale.simulate(nodes=5, samples=100, random_state=1000).table
    if options:
        pytest.importorskip("torch", reason="needs torch")
    for name, value in (("FIRST", 0.0), ("PAUSE", 0.0), ("SHARE", 1e9)):
        monkeypatch.setattr(checkpoint, name, value)
    undisturbed = dagscale.discover(table, method, n_jobs=1, **options)
    with monkeypatch.context() as patch:
        count = set()  # a piece asked for twice is kept once
        patch.setattr(Log, "keep", lambda _log, key, _piece: count.add(key))
        dagscale.discover(table, method, n_jobs=1, checkpoint=tmp_path / "count", **options)
    step = 1 if points is None else max(1, len(count) // points)
    for k in range(1, len(count) + 1, step):
        with monkeypatch.context() as patch:
            patch.setattr(Log, "keep", stops_after(k))
            with pytest.raises(RuntimeError, match="went away"):
                dagscale.discover(table, method, n_jobs=1, checkpoint=tmp_path / str(k), **options)
        again = dagscale.discover(table, method, n_jobs=1, checkpoint=tmp_path / str(k), **options)
        assert_same(again, undisturbed)
        assert not (tmp_path / str(k)).exists()


def assert_interrupted_says_how_to_go_on(process, file, least=2000):
    """Press Ctrl-C once the file holds some work, so many bytes."""
    deadline = time.monotonic() + 60
    while not (file.exists() and file.stat().st_size > least) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error.strip().splitlines()[-1] == (
        f"dagscale: interrupted, finished work is in {file.parent}: the same command goes on from there"
    )
    assert "Traceback" not in error


def test_ctrl_c_leaves_a_checkpoint_and_says_in_one_line_how_to_go_on(table, tmp_path):
    process = start(table, "nogam", tmp_path / "run", -3)  # of auto, Ctrl-C ends the search: see test_clock
    file = tmp_path / "run.partial" / FILE
    assert_interrupted_says_how_to_go_on(process, file, least=0)
    again, count = pieces_of(table, "nogam", file.parent)
    undisturbed, all_ = pieces_of(table, "nogam", tmp_path / "other")
    assert 0 < count < all_
    assert_same(again, undisturbed)


def test_ctrl_c_in_a_bootstrap_says_how_to_go_on(table, tmp_path):
    out, file = tmp_path / "run", tmp_path / "run.partial" / RESAMPLES
    more = ["--bootstrap", "500", "--method", "varsort", "--n-jobs", "1", "--quiet"]
    process = subprocess.Popen(
        [sys.executable, "-c", OPEN_CHILD, "discover", str(table), *more, "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert_interrupted_says_how_to_go_on(process, file)
    assert file.exists()


def test_a_checkpoint_of_another_run_is_refused_unless_forced(table, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(checkpoint, "FIRST", 0.0)

    def die(*_arguments, **_options):
        raise RuntimeError("power failure")

    with monkeypatch.context() as patch:
        patch.setattr(additive, "_p_values", die)
        with pytest.raises(RuntimeError, match="power failure"):
            dagscale.discover(table, "das", checkpoint=tmp_path / "run.partial", n_jobs=1)
    kept = (tmp_path / "run.partial" / FILE).read_bytes()
    with pytest.raises(InputError, match=r"checkpoint of another run \(different settings\)"):
        dagscale.discover(table, "das", checkpoint=tmp_path / "run.partial", cutoff=0.5)
    assert cli._exit_code(arguments(table, "cam", tmp_path / "run")) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("dagscale: ")
    assert "another run (different method and settings): remove it, or name another place" in error
    assert (tmp_path / "run.partial" / FILE).read_bytes() == kept
    assert cli._exit_code([*arguments(table, "cam", tmp_path / "run"), "--force"]) == 0
    assert not (tmp_path / "run.partial").exists()
