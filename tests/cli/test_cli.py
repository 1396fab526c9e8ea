"""The command line: what it writes, what it prints, how it fails; in one line, with nothing half-written."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dagscale import cli
from dagscale.cli import _exit_code, parsing
from dagscale.result import Result
from dagscale.runtime.errors import InputError

FILES = ["edges.csv", "graph.dot", "report.html", "result.json", "result.npz"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """a -> b -> c, and d on its own."""
    rng = np.random.default_rng(1000)
    a, d = rng.normal(size=(2, 150))
    b = np.sin(2 * a) + 0.3 * rng.normal(size=150)
    c = b**2 + 0.3 * rng.normal(size=150)
    path = tmp_path_factory.mktemp("data") / "data.csv"
    pd.DataFrame({"a": a, "b": b, "c": c, "d": d}).to_csv(path, index=False)
    return str(path)


@pytest.fixture(scope="module")
def run_folder(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "run"
    assert _exit_code(["discover", data, "--method", "cam", "--out", str(out), "--quiet"]) == 0
    return out


def command(*arguments, **options):
    """Start the real command in its own process, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "dagscale", *arguments], capture_output=True, text=True, timeout=120, **options
    )


def test_discover_writes_a_complete_folder(run_folder):
    assert sorted(p.name for p in run_folder.iterdir()) == FILES
    result = Result.load(run_folder)
    assert result.names == ["a", "b", "c", "d"]
    assert result.adjacency.any()
    assert len(pd.read_csv(run_folder / "edges.csv")) == result.adjacency.sum()
    assert not run_folder.with_name("run.partial").exists()


def test_bootstrap_gives_every_edge_its_confidence(data, tmp_path, capsys):
    out = tmp_path / "sure"
    options = ["--method", "cam", "--bootstrap", "3", "--n-jobs", "1", "--out", str(out)]
    assert _exit_code(["discover", data, *options]) == 0
    assert "confidence: the share of 3 runs" in capsys.readouterr().err
    shares = pd.read_csv(out / "edges.csv")["confidence"]
    assert set((3 * shares).round(6)) <= {0, 1, 2, 3}
    assert Result.load(out).edges["confidence"].tolist() == shares.tolist()


def test_what_a_person_sees(data, capsys):
    assert _exit_code(["discover", data, "--method", "cam"]) == 0
    printed = capsys.readouterr()
    assert "Result of cam: 4 columns" in printed.out
    assert "strength" in printed.out
    assert "->" in printed.out
    assert "\x1b" not in printed.out
    assert "add --out" in printed.err


def test_json_is_one_document(data, tmp_path, capsys):
    out = tmp_path / "run"
    assert _exit_code(["discover", data, "--method", "cam", "--json", "--out", str(out)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["names"] == ["a", "b", "c", "d"]
    assert sorted(document["order"]) == document["names"]
    assert {"source", "target", "strength", "sign"} <= set(document["edges"][0])
    assert Path(document["report"]).is_file()


def test_json_and_notes_say_what_changed_under_conditions(tmp_path, capsys):
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    where = ["obs"] * 200 + ["warm"] * 100
    a[200:] += 3.0
    b = a + 0.5 * rng.normal(size=300)
    pd.DataFrame({"a": a, "b": b, "plate": where}).to_csv(tmp_path / "plates.csv", index=False)
    told = ["discover", str(tmp_path / "plates.csv"), "--environment", "plate", "--effort", "quick", "--json"]
    assert _exit_code(told) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["changed"] == {"warm": ["a"]}
    assert "mechanisms that changed: 'a' under 'warm'" in document["notes"]


def test_quiet_prints_nothing(data, capsys):
    assert _exit_code(["discover", data, "--method", "empty", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_options_reach_discover(data, tmp_path, capsys):
    (tmp_path / "known.yaml").write_text("required:\n  - [d, a]\n")
    arguments = [
        "--columns",
        "a,b",
        "--columns",
        "d",
        "--alpha",
        "0.05",
        "--set",
        "max_parents=3",
        "--seed",
        "7",
    ]
    arguments += [
        "--knowledge",
        str(tmp_path / "known.yaml"),
        "--standardize",
        "--n-jobs",
        "1",
        "--transform",
        "rank",
    ]
    assert _exit_code(["discover", data, "--method", "cam", "--json", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["names"] == ["a", "b", "d"]
    assert document["settings"]["alpha"] == 0.05
    assert document["settings"]["max_parents"] == 3
    assert document["settings"]["random_state"] == 7
    assert ["d", "a"] in [[edge["source"], edge["target"]] for edge in document["edges"]]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "name a file"),
        (["--demo", "{data}"], "not both"),
        (["nowhere.csv"], "nowhere.csv"),
        (["{data}", "--method", "dsa"], "did you mean 'das'"),
        (["{data}", "--set", "cutof=1", "--method", "das"], "cutoff"),
        (["{data}", "--set", "K"], "--set name=value"),
        (["{data}", "--alpha", "7"], "alpha"),
        (["{data}", "--alpha", "much"], "alpha"),
        (["{data}", "--columns", "a,zz"], "zz"),
        (["{data}", "--knowledge", "nowhere.yaml"], "nowhere.yaml"),
        (["{data}", "--transform", "a=log", "--transform", "rank"], "names no column"),
        (["{data}", "--effort", "heroic"], "effort"),
        (["{data}", "--missing", "guess"], "missing"),
        (["{data}", "--nonsense"], "nonsense"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments, text, data, tmp_path, refused, monkeypatch):
    monkeypatch.chdir(tmp_path)
    filled = [argument.replace("{data}", data) for argument in arguments]
    assert text in refused("discover", *filled, "--out", "run")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_needs_force_and_keeps_other_files(run_folder, data, tmp_path, refused):
    out = tmp_path / "run"
    again = ["discover", data, "--method", "empty", "--out", str(out), "--quiet"]
    assert _exit_code(again) == 0
    (out / "mine.txt").write_text("keep me")
    assert "--force" in refused(*again)
    assert _exit_code([*again[:3], "cam", *again[4:], "--force"]) == 0
    assert Result.load(out).method == "cam"
    assert (out / "mine.txt").read_text() == "keep me"
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_a_folder_that_is_not_ours_is_never_replaced(data, tmp_path, refused):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("years of work")
    again = ["discover", data, "--method", "empty", "--force", "--out"]
    assert "holds something else" in refused(*again, str(tmp_path / "home"))
    assert "is a file" in refused(*again, str(tmp_path / "home" / "thesis.tex"))
    (tmp_path / "run.partial").mkdir()
    (tmp_path / "run.partial" / "thesis.tex").write_text("years of work")
    assert "not ours" in refused(*again, str(tmp_path / "run"))
    assert (tmp_path / "home" / "thesis.tex").read_text() == "years of work"


def test_a_leftover_of_an_interrupted_run_is_cleared_away(data, tmp_path):
    (tmp_path / "run.partial").mkdir()
    (tmp_path / "run.partial" / "result.json").write_text("{")
    assert _exit_code(["discover", data, "--method", "empty", "--out", str(tmp_path / "run"), "--quiet"]) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("place", ["file/run", "/proc/run"])
def test_a_place_that_cannot_be_written_is_found_out_first(place, data, tmp_path, refused, monkeypatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.setattr(cli.discover, "discover_surely", lambda *_: pytest.fail("worked before it looked"))
    line = refused("discover", data, "--out", str(tmp_path / place))
    assert "cannot write to" in line


def test_an_error_halfway_leaves_nothing(data, tmp_path, refused, monkeypatch):
    def broken(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cli.discover, "write_outputs", broken)
    line = refused("discover", data, "--method", "empty", "--out", str(tmp_path / "run"))
    assert "No space left" in line
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_ends_with_130_and_leaves_nothing(data, tmp_path, capsys, monkeypatch):
    def interrupted(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.discover, "discover_surely", interrupted)
    assert _exit_code(["discover", data, "--out", str(tmp_path / "run")]) == 130
    assert capsys.readouterr().err == "dagscale: interrupted, nothing was written\n"
    assert list(tmp_path.iterdir()) == []


def test_a_real_interrupt(tmp_path):
    os.mkfifo(tmp_path / "slow.csv")  # a file that never answers
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "dagscale",
            "discover",
            str(tmp_path / "slow.csv"),
            "--out",
            str(tmp_path / "run"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "run.partial").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert error == "dagscale: interrupted, nothing was written\n"
    assert [p.name for p in tmp_path.iterdir()] == ["slow.csv"]


def test_why(run_folder, capsys, refused):
    assert _exit_code(["why", str(run_folder), "b", "a"]) == 0
    assert capsys.readouterr().out.startswith("b -> a is ")
    assert _exit_code(["why", str(run_folder), "a", "b", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["source"], answer["target"]) == ("a", "b")
    assert answer["steps"]
    assert "no column 'zz'" in refused("why", str(run_folder), "a", "zz")
    assert "holds no saved result" in refused("why", "nowhere", "a", "b")


def test_report(run_folder, tmp_path, capsys):
    assert _exit_code(["report", str(run_folder), "--out", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_bytes() == (run_folder / "report.html").read_bytes()
    assert str(tmp_path / "page.html") in capsys.readouterr().out


def test_evaluate_uses_the_order_of_a_run(run_folder, tmp_path, capsys):
    result = Result.load(run_folder)
    backwards = pd.DataFrame({"source": result.order[1:], "target": result.order[:-1]})
    backwards.to_csv(tmp_path / "truth.csv", index=False)
    assert _exit_code(["evaluate", str(tmp_path / "truth.csv"), str(run_folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["order_errors"] == 3


@pytest.mark.slow
def test_the_real_command_without_a_terminal(data, tmp_path):
    done = command("discover", data, "--method", "empty", "--out", str(tmp_path / "run"))
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert "report: " in done.stdout
    failed = command("discover", "nowhere.csv")
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1
    assert failed.stdout == ""


def test_version_and_help_answer_fast_and_without_the_heavy_modules():
    from dagscale import __version__

    code = "import sys; from dagscale.cli import _exit_code; c = _exit_code(['--version']);"
    code += "print([m for m in ('torch', 'matplotlib', 'sklearn', 'networkx') if m in sys.modules], c)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"dagscale {__version__}\n[] 0\n"


@pytest.mark.parametrize("name", ["discover", "evaluate", "why", "report", "simulate", "datasets"])
def test_help_teaches_by_example(name, capsys):
    assert _exit_code([name, "--help"]) == 0
    assert f"dagscale {name} " in capsys.readouterr().out.replace("\n", " ")


def test_no_arguments_show_the_help(capsys):
    _exit_code([])
    printed = capsys.readouterr()
    assert "dagscale discover --demo" in printed.out + printed.err


def test_a_closed_pipe_is_no_error(data):
    script = f"{sys.executable} -m dagscale discover {data} --method empty --json | head -c 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, text=True, timeout=120
    )
    assert "Traceback" not in done.stderr
    assert done.stdout == "{"


def test_names_that_would_steer_a_terminal_or_markup_are_printed_as_text(tmp_path, capsys):
    rng = np.random.default_rng(1000)
    x = rng.normal(size=100)
    table = {"[red]bold[/red]": x, "\x1b[31mred": np.sin(2 * x) + 0.1 * rng.normal(size=100)}
    pd.DataFrame(table).to_csv(tmp_path / "odd.csv", index=False)
    assert _exit_code(["discover", str(tmp_path / "odd.csv"), "--method", "cam"]) == 0
    printed = capsys.readouterr().out
    assert "[red]bold[/red]" in printed
    assert "\x1b" not in printed


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (None, None),
        ([], None),
        (["a,b"], ["a", "b"]),
        (["a", "b, c"], ["a", "b", "c"]),
        (['"x,y",z'], ["x,y", "z"]),
    ],
)
def test_names_are_split_like_csv(texts, expected):
    assert parsing.names(texts) == expected


def test_settings_have_types():
    given = [
        "K=5",
        "eta=1e-3",
        "pns=true",
        "criterion=variance",
        "x=none",
        "weights=[1, 2]",
        "pns-method=trees",
    ]
    assert parsing.settings(given) == {
        "K": 5,
        "eta": 1e-3,
        "pns": True,
        "criterion": "variance",
        "x": None,
        "weights": [1, 2],
        "pns_method": "trees",
    }
    with pytest.raises(InputError, match="no value"):
        parsing.settings(["=3"])


def test_transforms_for_all_or_by_column():
    assert parsing.transform(None) is None
    assert parsing.transform(["log"]) == "log"
    assert parsing.transform(["a=b=log", "c=rank"]) == {"a=b": "log", "c": "rank"}


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_lacks_characters_gets_others(tmp_path, encoding):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["größe", "温度", "c"])
    table["温度"] += 2 * table["größe"] ** 2
    table.to_csv(tmp_path / "t.csv", index=False)
    command = [sys.executable, "-m", "dagscale", "discover", "t.csv", "--method", "cam", "--out", "run"]
    run = subprocess.run(
        command, cwd=tmp_path, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding}
    )
    assert run.returncode == 0, run.stderr
    assert b"??" in run.stdout
    assert "温度" in (tmp_path / "run" / "edges.csv").read_text(encoding="utf-8")


def test_a_budget_and_a_size_are_refused_in_the_words_of_the_command_line(tmp_path, refused):
    assert refused("discover", str(tmp_path), "--time-budget", "0").startswith(
        "dagscale: --time-budget 0.0: give a"
    )
    assert refused("plan", "--rows", "0", "--columns", "3").startswith("dagscale: --rows 0: give a")
