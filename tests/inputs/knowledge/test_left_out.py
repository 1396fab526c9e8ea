"""Knowledge that names columns which the run leaves out: ignored with a note, or refused where it asks for an edge."""

import numpy as np
import pytest

import dagscale
from dagscale.inputs.knowledge import Knowledge
from dagscale.inputs.knowledge.left_out import without
from dagscale.runtime.errors import InputError


def test_tiers_of_a_left_out_column_are_ignored_and_said():
    rng = np.random.default_rng(1000)
    a = rng.normal(size=100)
    table = {"id": range(100), "a": a, "b": np.sin(2 * a) + 0.3 * rng.normal(size=100)}
    known = Knowledge(tiers=[["id"], ["a"], ["b"]], forbidden=[("id", "b")], roots=["id"])
    result = dagscale.discover(table, method="cam", knowledge=known)
    assert "knowledge about columns that are left out was ignored: 'id'" in result.notes
    assert result.knowledge == Knowledge(tiers=[["a"], ["b"]])
    assert list(result.order) == ["a", "b"]


def test_a_required_edge_of_a_left_out_column_is_refused():
    known = Knowledge(required=[("id", "b")])
    with pytest.raises(InputError, match="required edge 'id' -> 'b' names column 'id', which is left out"):
        without(known, ["id"])


def test_other_knowledge_is_the_same_object():
    known = Knowledge(tiers=[["a"], ["b"]])
    assert without(known, ["id"]) == (known, ())


def test_a_name_that_is_nowhere_is_still_refused():
    table = {"a": np.arange(50.0) ** 2, "b": np.random.default_rng(1000).normal(size=50)}
    with pytest.raises(InputError, match="the table has no column 'c'"):
        dagscale.discover(table, method="cam", knowledge=Knowledge(roots=["c"]))


def test_all_names_that_are_no_columns_are_told_at_once():
    known = Knowledge(required=[("aa", "b")], tiers=[["zzz"], ["b"]])
    with pytest.raises(InputError, match=r"no columns 'aa' \(did you mean 'a'\?\), 'zzz'; the columns are"):
        known.resolve(["a", "b"])
