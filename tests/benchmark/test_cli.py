import pytest
from typer.testing import CliRunner

from dagscale.benchmark.cli import app
from dagscale.benchmark.suites import all_suites
from dagscale.runtime.errors import InputError

NOTHING = "peer:boardpeers.nothing"


def call(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_list_names_every_suite():
    shown = call("list").stdout
    assert all(name in shown for name in all_suites())


def test_run_then_table(peers, tmp_path):
    arguments = ["--nodes", "10", "--seeds", "1", "--n-jobs", "1", "--out", tmp_path]
    ran = call("run", "paper-er1", "--methods", NOTHING, *arguments)
    assert "2 runs made (0 failed), 0 found" in ran.stderr
    assert "[2/2]" in ran.stderr
    assert "published SHD" in ran.stdout
    assert NOTHING in ran.stdout
    again = call("run", "paper-er1", "--methods", NOTHING, *arguments)
    assert "0 runs made (0 failed), 2 found" in again.stderr
    assert "27.0" not in again.stdout
    shown = call("table", "paper-er1", "--measure", "recall", "--out", tmp_path).stdout
    assert shown.count("recall") == 2  # one grid per units
    assert "published" not in shown
    assert call("table", "paper-figure2", "--nodes", "10", "--out", tmp_path).stdout.count(NOTHING) == 2


def test_quiet(peers, tmp_path):
    ran = call(
        "run",
        "paper-er1",
        "--methods",
        NOTHING,
        "--nodes",
        10,
        "--seeds",
        1,
        "--quiet",
        "--n-jobs",
        1,
        "--out",
        tmp_path,
    )
    assert ran.stdout == ""
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "paper-er9"], "unknown suite"),
        (["run", "paper-er1", "--nodes", "11"], "no case with 11"),
        (["run", "paper-er1", "--seeds", "x"], "cannot read the seeds"),
        (["run", "paper-er1", "--methods", "magic"], "unknown method"),
        (["run", "paper-er1", "--units", "feet"], "unknown units"),
        (["run", "paper-er1", "--methods", "das:device=cuda"], "no setting 'device'"),
        (["table", "paper-er1"], "no results of suite"),
        (["document", "."], "no results in"),
    ],
)
def test_mistakes_are_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
