"""SCORE's order: leaves one by one, under constraints, and where it must fail."""

import importlib.util
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.runtime.arrays import on_device, to_numpy
from dagscale.runtime.errors import InputError
from dagscale.stages.jacobian.stein import fit
from dagscale.stages.ordering.leaf import CRITERIA, leaf_order, peel

HAS_TORCH = importlib.util.find_spec("torch") is not None


def chain(n, d, seed, link):
    """x0 -> x1 -> ... with unit noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] += link(X[:, j - 1])
    return X


def sine(x):
    return 2 * np.sin(x)


def wave(x):
    return np.sin(2 * x)


def misordered(order):
    """Share of a chain's edges that the order has the wrong way round."""
    place = np.argsort(order)
    return np.mean([place[i] > place[j] for i, j in pairwise(range(len(order)))])


def random_partial_order(d, seed):
    """A transitively closed strict partial order, from random edges along a random permutation."""
    rng = np.random.default_rng(seed)
    before = np.triu(rng.random((d, d)) < 0.3, 1)
    for k in range(d):
        before |= before[:, [k]] & before[[k], :]
    shuffled = rng.permutation(d)
    return before[np.ix_(shuffled, shuffled)]


def respects(order, before):
    place = np.argsort(order)
    return all(place[i] < place[j] for i, j in np.argwhere(before))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_nonlinear_chain_is_ordered_by_every_criterion(criterion):
    X = chain(500, 4, 0, sine)[:, [2, 0, 3, 1]]
    np.testing.assert_array_equal(leaf_order(X, criterion=criterion), [1, 3, 0, 2])


def test_an_unknown_criterion_is_refused_in_one_line():
    with pytest.raises(InputError, match=r"criterion='var'.*'variance'"):
        leaf_order(np.zeros((5, 2)), criterion="var")


def test_criteria_equal_their_definitions():
    H = np.random.default_rng(0).gamma(2, size=(101, 3)) - [1, 5, 9]
    distance = np.abs(H - np.median(H, axis=0))
    expected = {
        "variance": np.var(H, axis=0),
        "median": distance.mean(axis=0),
        "mad": np.median(distance, axis=0),
        "scale-free": (H / H.mean(axis=0)).var(axis=0),
    }
    assert set(expected) == set(CRITERIA)
    for name, criterion in CRITERIA.items():
        np.testing.assert_allclose(criterion(H), expected[name])
        np.testing.assert_allclose(criterion(H[:100])[0], criterion(H[:100, :1])[0])
        if HAS_TORCH:
            np.testing.assert_allclose(to_numpy(criterion(on_device(H, "torch"))), expected[name])


def test_every_step_is_the_leaf_of_a_fresh_estimate_on_what_remains():
    X = chain(120, 6, 0, np.tanh)
    left = list(range(6))
    for leaf, remaining, stein in peel(X):
        assert list(remaining) == left
        fresh = fit(X[:, left])
        if len(left) > 1:
            np.testing.assert_allclose(stein.diagonal, fresh.diagonal, rtol=1e-6, atol=1e-8)
        assert leaf == left[int(fresh.diagonal.var(axis=0).argmin())]
        left.remove(leaf)
    assert left == []


def test_a_step_says_where_the_leaf_stands():
    for step in peel(chain(60, 4, 0, sine)):
        assert step.remaining[step.position] == step.leaf


def test_progress_counts_every_column():
    seen = []
    leaf_order(chain(30, 3, 0, sine), progress=lambda *report: seen.append(report))
    assert seen == [("ordering", k, 3) for k in (1, 2, 3)]


@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 7), criterion=st.sampled_from(sorted(CRITERIA)))
def test_any_partial_order_is_respected(seed, d, criterion):
    X = chain(40, d, seed, sine)
    before = random_partial_order(d, seed)
    order = leaf_order(X, before, criterion=criterion)
    assert sorted(order) == list(range(d))
    assert respects(order, before)


def test_a_total_order_leaves_nothing_to_estimate():
    before = np.triu(np.ones((4, 4), dtype=bool), 1)
    not_even_numbers = np.full((10, 4), np.nan)
    np.testing.assert_array_equal(leaf_order(not_even_numbers, before), [0, 1, 2, 3])


@settings(deadline=None, max_examples=10, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_columns_permuted_give_the_order_permuted(seed):
    X = chain(150, 5, seed, sine)
    shuffled = np.random.default_rng(seed).permutation(5)
    np.testing.assert_array_equal(shuffled[leaf_order(X[:, shuffled])], leaf_order(X))


def test_threads_do_not_change_the_order():
    X = chain(600, 6, 0, np.tanh)
    np.testing.assert_array_equal(leaf_order(X, n_jobs=1), leaf_order(X, n_jobs=2))


@pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")
@pytest.mark.parametrize("seed", range(3))
def test_torch_gives_the_order_of_numpy(seed):
    X = chain(200, 8, seed, np.tanh)
    np.testing.assert_array_equal(leaf_order(X, device="torch"), leaf_order(X))


def test_a_linear_gaussian_pair_is_a_coin_toss_and_a_nonlinear_one_is_not():
    """Standardised, a linear Gaussian pair is the same in both directions: no method can tell."""
    wrong = {wave: [], np.positive: []}
    for link, outcomes in wrong.items():
        for seed in range(40):
            X = chain(200, 2, seed, link)
            outcomes.append(misordered(leaf_order(X / X.std(axis=0))))
    assert 0.25 < np.mean(wrong[np.positive]) < 0.75
    assert np.mean(wrong[wave]) < 0.05


def test_on_linear_gaussian_data_the_order_follows_the_units_and_not_the_graph():
    """All variances of the Jacobian's diagonal vanish: what is left to choose by is the scale."""
    raw, standardised, reversed_units = [], [], []
    for seed in range(12):
        X = chain(200, 4, seed, np.positive)
        Z = X / X.std(axis=0)
        raw.append(misordered(leaf_order(X)))
        standardised.append(misordered(leaf_order(Z)))
        reversed_units.append(misordered(leaf_order(Z * [8, 4, 2, 1])))
    assert np.mean(raw) < 0.3  # later columns vary more, which looks like success
    assert np.mean(standardised) > 0.4  # no better than chance once the scale says nothing
    assert np.mean(reversed_units) > 0.9  # and the same data in other units give the reverse


def test_the_diagonals_variance_separates_leaves_only_on_nonlinear_data():
    def share_of_largest(link):
        ratios = []
        for seed in range(5):
            X = chain(400, 2, seed, link)
            variance = fit(X / X.std(axis=0)).diagonal.var(axis=0)
            ratios.append(variance[1] / variance[0])
        return np.median(ratios)

    assert share_of_largest(wave) < 0.3
    assert 0.5 < share_of_largest(np.positive) < 2
