import json
import os
from dataclasses import replace

import pytest

from dagscale.benchmark import runner
from dagscale.benchmark.runner import Conditions, run_suite
from dagscale.benchmark.store import append, read_folder

ONE = Conditions(n_jobs=1)
NOTHING, FAILING, ENDLESS, DYING = (
    f"peer:boardpeers.{n}" for n in ("nothing", "failing", "endless", "dying")
)


def lines(folder):
    return [json.loads(line) for line in (folder / "tiny.jsonl").read_text().splitlines()]


def test_a_record_says_what_made_it(suite, tmp_path):
    run_suite(suite, suite.trials(seeds=[3]), tmp_path, ONE)
    first = lines(tmp_path)[0]
    assert (first["method"], first["seed"], first["status"]) == (NOTHING, 3, "ok")
    assert first["case"]["nodes"] == 4
    assert first["metrics"]["shd"] == first["metrics"]["true_edges"] == 4
    assert {"cpu", "cores", "memory_gb"} <= first["machine"].keys()
    assert {"python", "numpy", "scipy", "dagscale"} <= first["versions"].keys()
    assert {"commit", "edited", "code", "finished", "wall", "cpu", "peak_mb", "graph"} <= first.keys()
    assert first["workers"] == 1


def test_only_what_is_missing_is_run(suite, tmp_path):
    first = run_suite(suite, suite.trials(seeds=[0, 1]), tmp_path, ONE)
    again = run_suite(suite, suite.trials(seeds=[0, 1, 2]), tmp_path, ONE)
    assert (first.found, first.made) == (0, 4)
    assert (again.found, again.made) == (4, 2)
    assert len({line["key"] for line in lines(tmp_path)}) == len(lines(tmp_path)) == 6
    # another suite of the same folder finds them too
    other = run_suite(replace(suite, name="other"), suite.trials(seeds=[0]), tmp_path, ONE)
    assert (other.found, other.made) == (2, 0)


def test_progress_counts_and_forecasts(suite, tmp_path):
    seen = []
    run_suite(suite, suite.trials(seeds=[0]), tmp_path, ONE, lambda *a: seen.append(a[2:]))
    assert [done for done, _, _ in seen] == [1, 2]
    assert all(total == 2 for _, total, _ in seen)
    assert seen[-1][2] == 0


def test_parallel_gives_the_same_graphs(suite, tmp_path):
    trials = suite.trials(seeds=[0, 1, 2])
    run_suite(suite, trials, tmp_path / "one", ONE)
    run_suite(suite, trials, tmp_path / "two", Conditions(n_jobs=2))
    graphs = [{r["key"]: (r["graph"], r["metrics"]) for r in lines(tmp_path / n)} for n in ("one", "two")]
    assert graphs[0] == graphs[1]


def test_an_error_is_a_result_and_is_retried_on_request(suite, tmp_path):
    trials = suite.trials(seeds=[0], methods=[FAILING, NOTHING])
    done = run_suite(suite, trials, tmp_path, ONE)
    assert (done.made, done.failed) == (4, 2)
    failed = [line for line in lines(tmp_path) if line["status"] == "error"]
    assert {line["error"] for line in failed} == {"RuntimeError: no luck at all"}
    assert run_suite(suite, trials, tmp_path, ONE).made == 0
    assert run_suite(suite, trials, tmp_path, replace(ONE, retry_failed=True)).made == 2


def test_a_time_limit_is_final_only_up_to_itself(suite, tmp_path):
    trials = suite.trials(seeds=[0], methods=[ENDLESS], units=["raw"])
    assert run_suite(suite, trials, tmp_path, replace(ONE, limit=0.1)).failed == 1
    assert lines(tmp_path)[0]["status"] == "timeout"
    assert run_suite(suite, trials, tmp_path, replace(ONE, limit=0.05)).made == 0
    assert run_suite(suite, trials, tmp_path, replace(ONE, limit=0.2)).made == 1


def test_a_worker_that_dies_takes_no_other_run_with_it(suite, tmp_path):
    trials = suite.trials(seeds=[0, 1], methods=[NOTHING, DYING], units=["raw"])
    done = run_suite(suite, trials, tmp_path, Conditions(n_jobs=2))
    status = {(line["method"], line["seed"]): line["status"] for line in lines(tmp_path)}
    assert (done.made, done.failed) == (4, 2)
    assert status == {(m, s): "ok" if m == NOTHING else "killed" for m in (NOTHING, DYING) for s in (0, 1)}


def test_other_code_makes_other_runs(suite, tmp_path, monkeypatch):
    trials = suite.trials(seeds=[0])
    run_suite(suite, trials, tmp_path, ONE)
    old = [line | {"code": "0.0+old"} for line in lines(tmp_path)]
    (tmp_path / "tiny.jsonl").unlink()
    for line in old:
        task = {name: line[name] for name in ("case", "method", "seed")}
        append(tmp_path / "tiny.jsonl", line | {"key": runner_key(task, "0.0+old")})
    assert len(read_folder(tmp_path).records) == 2
    assert run_suite(suite, trials, tmp_path, replace(ONE, keep_version=True)).made == 0
    assert run_suite(suite, trials, tmp_path, ONE).made == 2
    assert sorted({line["code"] == "0.0+old" for line in lines(tmp_path)}) == [False, True]


def runner_key(task, code):
    from dagscale.benchmark.store import key_of

    return key_of(task, code)


def test_a_source_that_changes_during_the_run_stops_it(suite, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_code", lambda trial: "0.0+elsewhere")
    with pytest.raises(ValueError, match="source changed"):
        run_suite(suite, suite.trials(seeds=[0]), tmp_path, ONE)


def test_missing_data_is_one_error_before_anything_runs(tmp_path, monkeypatch, peers):
    from dagscale.benchmark.suites import find_suite

    monkeypatch.setenv("DAGSCALE_DATA", os.fspath(tmp_path / "nowhere"))
    syntren = find_suite("paper-syntren")
    with pytest.raises(ValueError):
        run_suite(syntren, syntren.trials(methods=[NOTHING]), tmp_path / "out", ONE)
    assert not (tmp_path / "out").exists()
