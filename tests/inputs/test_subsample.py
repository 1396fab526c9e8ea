"""Samples of rows: small tables are left alone, large ones say what was drawn."""

import numpy as np
import pytest

import dagscale
from dagscale.inputs.subsample import drawn_rows, subsample


def test_all_rows_where_they_are_few():
    X = np.arange(12.0).reshape(6, 2)
    rows, notes = subsample(X, 6)
    assert rows is X
    assert notes == ()


def test_a_fixed_sample_without_repetition_in_the_tables_order():
    rows = drawn_rows(1000, 50)
    np.testing.assert_array_equal(rows, drawn_rows(1000, 50))
    assert len(rows) == 50
    assert (np.diff(rows) > 0).all()
    assert rows[-1] > 800
    assert rows[0] < 200


@pytest.mark.parametrize("method", ["das", "score", "nogam"])
def test_kernel_methods_say_that_they_sampled(method):
    table = dagscale.simulate(nodes=4, samples=150, random_state=1000).table
    whole = dagscale.discover(table, method=method)
    assert not any("drawn at random" in note for note in whole.notes)
    sampled = dagscale.discover(table, method=method, max_rows=100)
    (note,) = (note for note in sampled.notes if "drawn at random" in note)
    assert "100 of the 150 rows" in note


def test_the_evidence_says_that_it_sampled():
    table = dagscale.simulate(nodes=3, samples=2100, mechanism="sine", random_state=1000).table
    (note,) = (note for note in dagscale.discover(table).notes if "drawn at random" in note)
    assert "2,000 of the 2,100" in note
