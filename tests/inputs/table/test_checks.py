"""Copies are found among thousands of columns without comparing all pairs, and near misses are kept."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from dagscale.inputs.table import read_table
from dagscale.inputs.table.checks import refuse_degenerate, without_missing
from dagscale.runtime.errors import InputError


def correlated(x, gap, rng):
    """A column whose correlation with x is 1 - gap, in units and offset of its own."""
    x = (x - x.mean()) / x.std()
    other = rng.normal(size=len(x))
    other -= other.mean() + x * (x @ other) / len(x)
    other /= other.std()
    cosine = 1 - gap
    return 40 - 3 * (cosine * x + np.sqrt(1 - cosine**2) * other)


@pytest.mark.parametrize(
    ("gap", "copy"), [(0, True), (1e-12, True), (5e-10, True), (5e-9, False), (1e-6, False)]
)
@pytest.mark.parametrize("n", [20, 300])
def test_the_line_between_copy_and_neighbour(gap, copy, n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 400))
    X[:, 250] = correlated(X[:, 17], gap, rng)
    names = [f"g{j}" for j in range(400)]
    if not copy:
        refuse_degenerate(X, names)
        return
    with pytest.raises(InputError, match="column 'g250' is a copy of 'g17' up to shift and scale; leave out"):
        refuse_degenerate(X, names)


@pytest.mark.parametrize("offset", [0, 1e5, -1e9])
def test_an_offset_hides_no_copy_and_makes_none(offset):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 50)) + offset
    refuse_degenerate(X, range(50))
    X[:, 9] = 2 * X[:, 5] - offset
    with pytest.raises(InputError, match="column 9 is a copy of 5"):
        refuse_degenerate(X, range(50))


def test_every_column_the_same_is_answered_at_once():
    X = np.random.default_rng(2).normal(size=(50, 1)) * np.linspace(1, 2, 3000)
    with pytest.raises(InputError, match=r"column 1 is a copy of 0 .* \(2999 such columns in all\)"):
        refuse_degenerate(X, range(3000))


def test_tables_of_zeros_and_ones_are_compared_exactly():
    X = (np.random.default_rng(3).random((60, 200)) < 0.5).astype(float)
    refuse_degenerate(X, range(200))
    X[:, 150] = 1 - X[:, 3]
    with pytest.raises(InputError, match="column 150 is a copy of 3"):
        refuse_degenerate(X, range(200))


@pytest.mark.parametrize("row", [0, 1, 2, 49])
def test_a_single_deviating_row_is_found_wherever_it_is(row):
    X = np.random.default_rng(4).normal(size=(50, 2))
    X[:, 1] = 0
    X[row, 1] = 5
    with pytest.raises(InputError, match="the same value in every row but one"):
        refuse_degenerate(X, ["a", "b"])
    X[(row + 7) % 50, 1] = 5
    refuse_degenerate(X, ["a", "b"])


def test_checks_take_no_copy_of_a_large_table():
    X = np.random.default_rng(5).normal(size=(500, 4000))
    tracemalloc.start()
    refuse_degenerate(X, range(4000))
    without_missing(X, range(4000), "raise")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * X.nbytes


def continuous(rows=60):
    return np.random.default_rng(0).normal(size=(rows, 3))


def test_repeated_rows_are_said():
    X = continuous()
    assert read_table(X).notes == ()
    (note,) = read_table(np.vstack([X, X[:40]])).notes
    assert note.startswith("40 of 100 rows repeat another row exactly")


def test_copies_are_seen_where_no_column_has_a_value_of_its_own():
    """Wines measured to two digits, some of them entered twice: no column alone tells the rows apart."""
    X = np.random.default_rng(0).normal(size=(400, 8)).round(1)
    X[:60] = X[60:120]
    [note] = [note for note in read_table(X).notes if "repeat" in note]
    assert note.startswith("60 of 400 rows repeat another row exactly")


def test_brothers_of_one_height_are_no_copies():
    g = np.random.default_rng(0)
    family = np.repeat(np.arange(200), 5)
    parents = g.normal(68, 3, (200, 2)).round(1)[family]
    height = (parents.mean(axis=1) + g.normal(0, 2, 1000)).round()
    X = np.column_stack([parents, height])
    assert len(np.unique(X, axis=0)) < 900
    assert not any("repeat another row" in note for note in read_table(X).notes)


def test_rows_of_few_values_repeat_by_chance():
    X = np.random.default_rng(0).integers(0, 3, size=(200, 3)).astype(float)
    assert not any("repeat" in note for note in read_table(X).notes)


def test_values_far_from_all_others_are_said():
    X = continuous()
    X[3, 1] = 1e6
    (note,) = read_table(pd.DataFrame(X, columns=list("abc"))).notes
    assert "column 'b'" in note
    assert "transform='rank'" in note


def test_nines_that_may_mean_a_missing_value_are_asked_about():
    g = np.random.default_rng(1000)
    X = g.normal(size=(80, 3))
    X[[3, 9], 0] = X[[4, 7, 60], 1] = -999
    X[5, 2] = 99  # once: a value far out, not a code
    (note,) = read_table(X).notes
    assert note == (
        "-999 stands far from all other values in columns 0, 1; if it means a missing value, leave those cells empty"
    )
    grades = np.column_stack([g.integers(1, 10, 200), g.normal(size=200)])
    assert not any("missing" in note for note in read_table(grades).notes)  # nine is the best of the grades
