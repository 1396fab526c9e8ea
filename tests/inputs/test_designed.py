"""Columns that were set: found where they are crossed by design, and never in tables of rows drawn at random."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from dagscale.inputs.designed import factors, log_chance

FIVE, FOUR = (0.1, 0.2, 0.4, 0.8, 1.6), (10.0, 20.0, 30.0, 50.0)


def crossed(*levels, rows=1, seed=1000):
    """A full factorial with so many rows for each combination, and a response; rows in random order."""
    g = np.random.default_rng(seed)
    X = np.array([combination for combination in product(*levels) for _ in range(rows)])
    return g.permutation(np.column_stack([X, X.sum(axis=1) + g.normal(size=len(X))]))


def columns(X):
    return [factor.column for factor in factors(X)]


def patients(g, many=60, visits=(0.0, 3.0, 6.0, 9.0, 12.0)):
    """Patients of three groups of one size, each measured at every visit; columns visit, group, weight, measured."""
    group, weight = np.repeat([10.0, 20.0, 30.0], many // 3), g.normal(70.0, 9.0, size=many)
    rows = np.array([(visit, group[k], weight[k]) for k in range(many) for visit in visits])
    return g.permutation(np.column_stack([rows, rows[:, 0] + g.normal(size=len(rows))]))


@pytest.mark.parametrize(("n", "k"), [(20, 10), (40, 10), (90, 30)])
def test_the_chance_of_two_columns_crossed_exactly_is_fishers(n, k):
    a, b = (np.arange(n) < k).astype(int), np.tile(np.arange(2), n // 2)
    both = k // 2
    assert np.exp(log_chance(a, b)) == pytest.approx(hypergeom(n, k, n // 2).pmf(both))
    assert log_chance(a, np.roll(a, k // 2 + 1)) == np.inf


@pytest.mark.parametrize(("n", "k", "m"), [(31, 3, 4), (60, 3, 4), (62, 3, 5)])
def test_the_bound_holds_in_simulated_tables_and_is_not_far_off(n, k, m):
    g = np.random.default_rng(1000)
    a, b = np.arange(n) % k, np.arange(n) % m
    said = np.array([log_chance(a, g.permutation(b)) for _ in range(4000)])
    for level in np.unique(said[np.isfinite(said)]):
        assert (said <= level).mean() < np.exp(level) * 1.5 + 1e-3
    assert np.isfinite(said).any()


def test_factors_of_an_experiment_are_set_and_responses_are_not():
    assert columns(crossed(FIVE, FOUR, rows=6)) == [0, 1]
    assert columns(crossed(*[(-1.0, 0.0, 1.0)] * 4)) == [0, 1, 2, 3]
    large = crossed(FIVE, FOUR, (1.0, 3.0, 9.0), rows=3)
    assert columns(large) == columns(large[:-2]) == [0, 1, 2]  # two rows are missing


def test_factors_of_a_sorted_table_of_many_rows_are_found():
    X = np.array([(a, b) for a in FIVE for b in FOUR] * 400)
    assert columns(np.column_stack([X, np.sin(np.arange(len(X)))])) == [0, 1]


def test_no_pair_of_small_factors_is_beyond_chance():
    assert not columns(crossed((1.0, 2.0, 4.0), (5.0, 6.0, 7.0), rows=4))


def test_what_was_set_for_every_object_is_and_what_the_object_is_like_is_not():
    g = np.random.default_rng(1000)
    assert columns(patients(g)) == [0]
    hulls = np.column_stack([g.permutation(22) // 4, g.normal(size=(22, 2))])
    speeds = 0.125 + 0.025 * np.arange(14)
    X = np.array([(*hull, speed) for hull in hulls for speed in speeds])
    (found,) = factors(X)
    assert (found.column, found.crossed, found.once) == (3, (0, 1, 2), True)


def test_the_objects_own_numbers_are_not_set_and_neither_is_what_differs_between_them():
    g = np.random.default_rng(1000)
    numbers, visits = np.arange(1.0, 41.0), np.arange(5.0)
    assert not columns(crossed(numbers, visits))
    assert not columns(crossed(np.sort(g.normal(size=40)), visits))
    assert columns(crossed(numbers, 1990.0 + visits)) == [1]


def test_cases_and_controls_in_equal_numbers_are_no_experiment():
    g = np.random.default_rng(1000)
    age = np.repeat(np.round(g.normal(55, 9, size=300)), 2)
    case = np.tile([0.0, 1.0], 300)  # each with a control of the same age
    assert not columns(np.column_stack([age, case, age + case + g.normal(size=600)]))


def test_equal_classes_quantiles_and_codes_of_classes_alone_are_no_experiment():
    g = np.random.default_rng(1000)
    outcome = g.normal(size=600)
    tenth = np.asarray(pd.qcut(outcome, 10, labels=False), dtype=float)
    other = np.asarray(pd.qcut(outcome + g.normal(size=600), 10, labels=False), dtype=float)
    one_hot = np.eye(10)[tenth.astype(int)]
    assert not columns(np.column_stack([outcome, tenth, other, one_hot, np.arange(600.0)]))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 8), st.integers(30, 600), st.booleans())
def test_rows_drawn_at_random_are_never_crossed(seed, d, levels, n, even):
    """Categories, dependent or not, of equal or other frequencies; counts; rounded numbers."""
    g = np.random.default_rng(seed)
    share = np.full(levels, 1.0 / levels) if even else g.dirichlet(np.ones(levels))
    X = g.choice(levels, size=(n, d), p=share).astype(float)
    X[:, 0] = np.where(g.random(n) < g.random(), X[:, 1], X[:, 0])
    X = np.column_stack([X, g.poisson(2.0, size=n), np.round(g.normal(size=n) + X[:, 0])])
    if even:  # one column by a quota
        X[:, 1] = g.permutation(np.arange(n) % levels)
    assert not columns(X)
