import json
from dataclasses import replace

import pytest

from dagscale.benchmark.cases import simulated
from dagscale.benchmark.execute import record_of
from dagscale.benchmark.rows import Row
from dagscale.benchmark.store import append, key_of, read_folder, task_of, trial_key
from dagscale.benchmark.suite import Trial
from dagscale.runtime.errors import InputError

CASE = simulated("ER1", 10, "raw", {"graph": "ER", "noise_variance": (0.4, 0.8)})
NOTHING = Row("peer:boardpeers.nothing")


def trial(seed=0, row=NOTHING, case=CASE):
    return Trial(case, row, seed)


def record(made, code="1.0+abc", shd=3):
    return record_of(made, code, {"status": "ok", "metrics": {"shd": shd}})


def test_what_is_appended_is_read(tmp_path, peers):
    made = [record(trial(seed), shd=seed) for seed in range(3)]
    for line in made:
        append(tmp_path / "a.jsonl", line)
    store = read_folder(tmp_path)
    assert [store.records[line["key"]] for line in made] == made
    assert store.damaged == 0


def test_a_half_written_last_line_is_passed_over_and_does_not_spoil_the_next(tmp_path):
    path = tmp_path / "a.jsonl"
    append(path, record(trial(0)))
    append(path, record(trial(1)))
    whole = path.read_bytes()
    for cut in (1, 10, len(whole) // 2 - 3):
        path.write_bytes(whole[:-cut])
        before = len(read_folder(tmp_path).records)
        append(path, record(trial(2)))
        store = read_folder(tmp_path)
        assert len(store.records) == before + 1
        # cutting off the newline alone loses nothing
        assert (before, store.damaged) == ((2, 0) if cut == 1 else (1, 1))


def test_a_line_changed_by_hand_is_not_believed(tmp_path):
    line = record(trial(0))
    (tmp_path / "a.jsonl").write_text(json.dumps(line | {"seed": 5}) + "\n[1, 2]\nnull\n")
    store = read_folder(tmp_path)
    assert store.records == {}
    assert store.damaged == 3


def test_everything_a_number_depends_on_is_in_the_key():
    base = trial()
    others = [
        trial(seed=1),
        trial(row=Row("das")),
        trial(row=Row("das", (("cutoff", 0.05),))),
        trial(case=replace(CASE, nodes=20)),
        trial(case=replace(CASE, units="standardised")),
        trial(case=simulated("ER1", 10, "raw", {"graph": "ER", "noise_variance": 1.0})),
    ]
    keys = {key_of(task_of(t), "1.0+abc") for t in (base, *others)} | {key_of(task_of(base), "1.0+abd")}
    assert len(keys) == len(others) + 2
    # what a table calls a case is not part of it: suites share runs
    assert key_of(task_of(trial(case=replace(CASE, family="mine"))), "x") == key_of(task_of(base), "x")


def test_key_survives_the_file(tmp_path):
    append(tmp_path / "a.jsonl", line := record(trial()))
    stored = json.loads((tmp_path / "a.jsonl").read_text())
    assert key_of({name: stored[name] for name in ("case", "method", "seed")}, stored["code"]) == line["key"]


def test_files_of_a_folder_are_read_together_and_the_last_of_a_key_counts(tmp_path):
    append(tmp_path / "a.jsonl", record(trial(0), shd=1))
    append(tmp_path / "b.jsonl", record(trial(1), shd=2))
    append(tmp_path / "b.jsonl", record(trial(0), shd=7))
    store = read_folder(tmp_path)
    assert sorted(r["metrics"]["shd"] for r in store.records.values()) == [2, 7]


def test_versions_are_kept_apart(tmp_path, peers):
    append(tmp_path / "a.jsonl", record(trial(), code="0.1+old"))
    store = read_folder(tmp_path)
    assert store.current(trial()) is None
    assert [r["code"] for r in store.any_version(trial())] == ["0.1+old"]
    present = record(trial(), code="placeholder")
    assert trial_key(trial()) != present["key"]


def test_a_file_where_a_folder_should_be(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(InputError, match="names a folder"):
        read_folder(tmp_path / "results")
    assert read_folder(tmp_path / "nowhere").records == {}
