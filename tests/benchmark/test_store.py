import json
from dataclasses import replace

import pytest

from dagscale.benchmark.cases import simulated
from dagscale.benchmark.execute import Conditions, record_of
from dagscale.benchmark.rows import RESULTS_VERSIONS, Row
from dagscale.benchmark.store import append, key_of, read_folder, task_of
from dagscale.benchmark.suite import Trial
from dagscale.runtime.errors import InputError

(CASE,) = simulated({"ER1": {"graph": "ER", "noise_variance": (0.4, 0.8)}}, (10,), ("raw",))
NOTHING = Row("peer:boardpeers.nothing")


def trial(seed=0, row=NOTHING, case=CASE):
    return Trial(case, row, seed)


def record(made, shd=3, day=1):
    outcome = {"status": "ok", "metrics": {"shd": shd}}
    return record_of(made, Conditions(), outcome) | {"finished": f"2026-01-0{day}T00:00:00"}


def test_what_is_appended_is_read(tmp_path):
    made = [record(trial(seed), shd=seed) for seed in range(3)]
    for line in made:
        append(tmp_path / "a.jsonl", line)
    store = read_folder(tmp_path)
    assert [store[key_of(task_of(trial(seed)))] for seed in range(3)] == made


def test_a_half_written_last_line_is_passed_over_and_does_not_spoil_the_next(tmp_path):
    path = tmp_path / "a.jsonl"
    append(path, record(trial(0)))
    append(path, record(trial(1)))
    whole = path.read_bytes()
    for cut in (1, 10, len(whole) // 2 - 3):
        path.write_bytes(whole[:-cut])
        before = len(read_folder(tmp_path))
        append(path, record(trial(2)))
        assert before == (2 if cut == 1 else 1)  # cutting off the newline alone loses nothing
        assert len(read_folder(tmp_path)) == before + 1


def test_lines_that_are_no_records_are_passed_over(tmp_path):
    (tmp_path / "a.jsonl").write_text('[1, 2]\nnull\n{"case": {}}\n')
    assert read_folder(tmp_path) == {}


def test_everything_that_identifies_a_run_is_in_the_key():
    base = trial()
    (noisier,) = simulated({"ER1": {"graph": "ER", "noise_variance": 1.0}}, (10,), ("raw",))
    others = [
        trial(seed=1),
        trial(row=Row("das")),
        trial(row=Row("das", (("cutoff", 0.05),))),
        trial(case=replace(CASE, nodes=20)),
        trial(case=replace(CASE, units="standardised")),
        trial(case=noisier),
    ]
    keys = {key_of(task_of(t)) for t in (base, *others)}
    assert len(keys) == len(others) + 1
    # what a table calls a case is not part of it: suites share runs
    assert key_of(task_of(trial(case=replace(CASE, family="mine")))) == key_of(task_of(base))


def test_commit_versions_machine_and_device_are_not_in_the_key():
    line = record(trial())
    other = line | {"commit": "abc", "versions": {}, "machine": {}, "device": "cuda", "finished": "2030"}
    assert key_of(line) == key_of(other)
    assert key_of(line) != key_of(line | {"results_version": 2})


def test_key_survives_the_file(tmp_path):
    append(tmp_path / "a.jsonl", line := record(trial()))
    assert key_of(json.loads((tmp_path / "a.jsonl").read_text())) == key_of(line)


def test_files_of_a_folder_are_read_together_and_the_newest_of_a_key_counts(tmp_path):
    append(tmp_path / "a.jsonl", record(trial(0), shd=1, day=3))
    append(tmp_path / "b.jsonl", record(trial(1), shd=2))
    append(tmp_path / "b.jsonl", record(trial(0), shd=7, day=2))
    assert sorted(r["metrics"]["shd"] for r in read_folder(tmp_path).values()) == [1, 2]


def test_runs_of_an_earlier_results_version_are_ignored(tmp_path, monkeypatch):
    append(tmp_path / "a.jsonl", record(trial(row=Row("das"))))
    append(tmp_path / "a.jsonl", record(trial(row=Row("cam"))))
    monkeypatch.setitem(RESULTS_VERSIONS, "das", 2)
    assert [r["method"] for r in read_folder(tmp_path).values()] == ["cam"]


def test_a_file_where_a_folder_should_be(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(InputError, match="names a folder"):
        read_folder(tmp_path / "results")
    assert read_folder(tmp_path / "nowhere") == {}
