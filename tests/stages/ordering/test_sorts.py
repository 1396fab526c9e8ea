"""Baseline orders: sorted by variance, by R², at random; always within a partial order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from dagscale.stages.ordering.sorts import (
    order_by_priority,
    r2_given_others,
    r2_order,
    random_order,
    variance_order,
)


@st.composite
def partial_orders(draw, most=8):
    d = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    before = np.triu(rng.random((d, d)) < draw(st.floats(0, 0.6)), 1)
    for k in range(d):
        before |= before[:, [k]] & before[[k], :]
    shuffled = rng.permutation(d)
    return before[np.ix_(shuffled, shuffled)]


def data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.normal(size=d)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(before=partial_orders(), seed=st.integers(0, 10**6))
def test_every_sort_is_a_permutation_that_respects_the_partial_order(before, seed):
    d = len(before)
    X = data(20, d, seed)
    orders = [
        sort(X, before, descending=down) for sort in (variance_order, r2_order) for down in (False, True)
    ]
    for order in (*orders, random_order(d, np.random.default_rng(seed), before)):
        assert sorted(order) == list(range(d))
        place = np.argsort(order)
        assert all(place[i] < place[j] for i, j in np.argwhere(before))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(before=partial_orders(most=6), seed=st.integers(0, 10**6))
def test_the_least_priority_that_may_come_next_comes_next(before, seed):
    priority = np.random.default_rng(seed).integers(0, 4, len(before)).astype(float)  # with ties
    placed = []
    for v in order_by_priority(priority, before):
        free = [
            u
            for u in range(len(before))
            if u not in placed and set(np.flatnonzero(before[:, u])) <= set(placed)
        ]
        assert v == min(free, key=lambda u: (priority[u], u))
        placed.append(v)


def test_variances_sort_both_ways():
    X = np.random.default_rng(0).standard_normal((50, 4)) * [3, 1, 4, 2]
    np.testing.assert_array_equal(variance_order(X), [1, 3, 0, 2])
    np.testing.assert_array_equal(variance_order(X, descending=True), [2, 0, 3, 1])


def test_r2_equals_a_regression_on_the_others():
    X = data(60, 5)
    expected = [
        LinearRegression().fit(np.delete(X, j, axis=1), X[:, j]).score(np.delete(X, j, axis=1), X[:, j])
        for j in range(5)
    ]
    np.testing.assert_allclose(r2_given_others(X), expected, atol=1e-6)
    np.testing.assert_array_equal(r2_order(X), np.argsort(expected))
    np.testing.assert_array_equal(r2_order(X, descending=True), np.argsort(expected)[::-1])


def test_r2_ignores_units():
    X = data(60, 5)
    np.testing.assert_allclose(r2_given_others(X * [1e-6, 1e6, -1, 3, 1] + 7), r2_given_others(X), atol=1e-6)


def test_r2_of_copies_is_one_and_of_constants_zero():
    X = np.random.default_rng(0).standard_normal((40, 4))
    X[:, 1] = 5 - 2 * X[:, 0]
    X[:, 3] = 0.1
    r2 = r2_given_others(X)
    np.testing.assert_allclose(r2[:2], 1, atol=1e-6)
    assert r2[2] < 0.3
    assert r2[3] == pytest.approx(0, abs=1e-6)


def test_r2_with_fewer_rows_than_columns_still_ranks():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 60))
    X[:, 7] = X[:, 3] + 0.1 * rng.standard_normal(30)
    r2 = r2_given_others(X)
    assert np.isfinite(r2).all()
    assert set(np.argsort(r2)[-2:]) == {3, 7}


def test_random_orders_come_from_the_generator_and_differ():
    first = random_order(30, np.random.default_rng(1))
    np.testing.assert_array_equal(first, random_order(30, np.random.default_rng(1)))
    assert (first != random_order(30, np.random.default_rng(2))).any()
    rng = np.random.default_rng(0)
    first_places = np.bincount([random_order(4, rng)[0] for _ in range(400)], minlength=4)
    assert (np.abs(first_places - 100) < 40).all()
