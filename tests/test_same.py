"""Results are as stored (the quick cases of `make same`), a changed one is noticed, saved ones load."""

import copy
from pathlib import Path

import pytest

import dagscale
import same
from same_cases import BASELINES, CASES, METHODS

QUICK = [name for name, case in CASES.items() if case.quick]
SAVED = Path(__file__).parent / "fingerprints" / "saved"
KNOWN = "auto tiers"


@pytest.fixture(scope="module")
def stored():
    return same.read()


@pytest.mark.parametrize("name", QUICK)
def test_the_result_is_as_stored(stored, name):
    _, told = same.check(CASES[name], stored)
    assert told == []


def test_every_case_is_stored_and_every_method_has_one(stored):
    assert set(stored) == set(CASES)
    assert {*METHODS, *BASELINES, "grandag"} == {case.method for case in CASES.values()}


@pytest.fixture
def changed(stored):
    return copy.deepcopy(stored["cam raw"])


def test_a_turned_a_lost_and_a_new_edge_are_noticed(stored, changed):
    before = stored["cam raw"]
    (first, numbers), (second, _), *_ = changed["edges"].items()
    a, b = first.split(" -> ")
    del changed["edges"][first], changed["edges"][second]
    changed["edges"][f"{b} -> {a}"] = numbers
    told = same.differences(before, changed)
    assert told == [f"turned, now {b} -> {a}", f"removed {second}"]
    assert same.differences(changed, before) == [f"turned, now {first}", f"added {second}"]


def test_a_changed_number_is_noticed_and_a_last_digit_is_not(stored, changed):
    edge = next(iter(changed["edges"]))
    strength = changed["edges"][edge][0]
    changed["edges"][edge][0] = round(strength * 1.0005, 4)
    assert same.differences(stored["cam raw"], changed) == []
    changed["edges"][edge][0] = round(strength * 1.1, 4)
    assert same.differences(stored["cam raw"], changed) == [
        f"{edge} strength: {strength} became {changed['edges'][edge][0]}"
    ]


@pytest.mark.parametrize("key", ["order", "stages", "columns", "table", "costs", "graph"])
def test_anything_else_that_changed_is_noticed(stored, changed, key):
    changed[key] = changed[key] + (" X" if isinstance(changed[key], str) else [9])
    assert same.differences(stored["cam raw"], changed)


def test_another_method_on_the_same_table_is_not_the_same(stored):
    case = CASES["cam raw"]
    assert same.differences(stored["varsort-desc raw"], same.run(case))


def test_the_command_fails_where_a_result_differs_and_stores_it_anew(tmp_path, monkeypatch, capsys, stored):
    path = tmp_path / "graphs.json"
    monkeypatch.setattr(same, "STORED", path)
    same.write({"empty raw": stored["cam raw"]}, path)
    assert same.main(["--only", "empty raw"]) == 1
    printed = capsys.readouterr().out
    assert "empty raw: DIFFERS" in printed
    assert "removed" in printed
    assert same.main(["--only", "empty raw", "--store"]) == 0
    assert same.main(["--only", "empty raw"]) == 0
    assert same.read(path) == {"empty raw": stored["empty raw"]}


def test_a_case_that_fails_is_named_and_not_stored(stored):
    case = same.Case("broken", "", lambda: CASES["cam raw"].table(), "no such method")
    now, told = same.check(case, stored)
    assert now is None
    assert "failed" in told[0]


SAVED_EDGES = {
    "das": [("X4", "X1"), ("X0", "X2"), ("X3", "X2")],
    "auto-quick": [("X1", "X4"), ("X4", "X5"), ("X0", "X1")],
}


@pytest.mark.parametrize("name", SAVED_EDGES)
def test_results_saved_by_an_earlier_version_load(name):
    result = dagscale.Result.load(SAVED / name)
    edges = list(zip(result.edges["source"], result.edges["target"], strict=True))
    assert edges == SAVED_EDGES[name]
    assert result.names == [f"X{j}" for j in range(len(result.names))]
    assert sorted(result.order) == result.names
    assert all(result.why(*edge).kept for edge in edges)
    missing = result.why("X2", "X0")
    assert not missing.kept
    assert missing.stage
    assert len(result.diagnostics.to_dict()) > 0
    assert result.graph.number_of_edges() == len(edges)


def test_what_a_saved_result_knew_is_still_known():
    result = dagscale.Result.load(SAVED / "auto-quick")
    assert result.knowledge.required == (("X0", "X1"),)
    assert result.knowledge.tiers == (("X0", "X1", "X2"), ("X3", "X4", "X5"))
    assert result.stored_checks is not None


def test_a_saved_result_takes_knowledge_afterwards():
    result = dagscale.Result.load(SAVED / "das")
    later = result.with_knowledge(dagscale.Knowledge(forbidden=[("X3", "X2")]), n_jobs=1)
    assert later.order == result.order
    assert ("X3", "X2") not in zip(later.edges["source"], later.edges["target"], strict=True)
    assert later.costs[0]["cost"] > 0
