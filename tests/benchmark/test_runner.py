import json
import os
from dataclasses import replace

import pytest

from dagscale.benchmark import peers as peers_module
from dagscale.benchmark.execute import Conditions
from dagscale.benchmark.rows import RESULTS_VERSIONS
from dagscale.benchmark.runner import run_suite
from dagscale.benchmark.store import key_of, read_folder

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
    assert {
        "commit",
        "edited",
        "results_version",
        "finished",
        "wall",
        "cpu",
        "peak_mb",
        "graph",
    } <= first.keys()
    assert first["workers"] == 1


def test_only_what_is_missing_is_run(suite, tmp_path):
    first = run_suite(suite, suite.trials(seeds=[0, 1]), tmp_path, ONE)
    again = run_suite(suite, suite.trials(seeds=[0, 1, 2]), tmp_path, ONE)
    assert (first.found, first.made) == (0, 4)
    assert (again.found, again.made) == (4, 2)
    assert len({key_of(line) for line in lines(tmp_path)}) == len(lines(tmp_path)) == 6
    # another suite of the same folder finds them too
    other = run_suite(replace(suite, name="other"), suite.trials(seeds=[0]), tmp_path, ONE)
    assert (other.found, other.made) == (2, 0)


def test_the_watch_is_told_of_every_run_and_of_those_that_wait(suite, tmp_path):
    seen = []
    trials = suite.trials(seeds=[0])
    run_suite(suite, trials, tmp_path, ONE, lambda trial, record, waiting: seen.append((trial, len(waiting))))
    assert seen == [(trials[0], 1), (trials[1], 0)]


def test_parallel_gives_the_same_graphs(suite, tmp_path):
    trials = suite.trials(seeds=[0, 1, 2])
    run_suite(suite, trials, tmp_path / "one", ONE)
    run_suite(suite, trials, tmp_path / "two", Conditions(n_jobs=2))
    graphs = [{key_of(r): (r["graph"], r["metrics"]) for r in lines(tmp_path / n)} for n in ("one", "two")]
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


def test_a_raised_results_version_makes_the_runs_again(suite, tmp_path, monkeypatch):
    trials = suite.trials(seeds=[0])
    run_suite(suite, trials, tmp_path, ONE)
    assert run_suite(suite, trials, tmp_path, ONE).made == 0
    monkeypatch.setitem(RESULTS_VERSIONS, NOTHING, 2)
    assert run_suite(suite, trials, tmp_path, ONE).made == 2
    assert [line["results_version"] for line in lines(tmp_path)] == [1, 1, 2, 2]
    assert len(read_folder(tmp_path)) == 2


def test_the_device_is_stored_and_does_not_make_another_run(suite, tmp_path):
    trials = suite.trials(seeds=[0])
    run_suite(suite, trials, tmp_path, replace(ONE, device="cuda"))
    assert {line["device"] for line in lines(tmp_path)} == {"cuda"}
    assert {line["method"] for line in lines(tmp_path)} == {NOTHING}
    assert run_suite(suite, trials, tmp_path, ONE).made == 0


def test_a_peer_without_its_package_is_one_error_before_anything_runs(suite, tmp_path, monkeypatch):
    monkeypatch.delenv(peers_module.VARIABLE, raising=False)
    monkeypatch.setattr(peers_module, "version_here", lambda package: None)
    with pytest.raises(ValueError, match="needs lingam"):
        run_suite(suite, suite.trials(methods=["peer:lingam-direct"]), tmp_path / "out", ONE)
    assert not (tmp_path / "out").exists()


def test_missing_data_is_one_error_before_anything_runs(tmp_path, monkeypatch, peers):
    from dagscale.benchmark.suites import find_suite

    monkeypatch.setenv("DAGSCALE_DATA", os.fspath(tmp_path / "nowhere"))
    syntren = find_suite("paper-syntren")
    with pytest.raises(ValueError):
        run_suite(syntren, syntren.trials(methods=[NOTHING]), tmp_path / "out", ONE)
    assert not (tmp_path / "out").exists()
