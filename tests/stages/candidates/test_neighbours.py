"""The neighbour search: against boosting written as a loop, on known parents, and its invariances."""

from collections import Counter

import numpy as np
import pytest

from dagscale.models.splines import SplineTable
from dagscale.runtime.errors import InputError
from dagscale.stages.candidates import neighbours as module
from dagscale.stages.candidates.neighbours import neighbours


def table(n=300, d=12, seed=0):
    """Column 0 depends on 1 and 2, the other columns on nothing."""
    X = np.random.default_rng(seed).standard_normal((n, d))
    X[:, 0] += np.sin(2 * X[:, 1]) + 0.6 * X[:, 2] ** 2
    return X


def everything(d):
    return ~np.eye(d, dtype=bool)


def slow_boosting(X, mask, K, steps=100, nu=0.1):
    """Componentwise boosting on all other columns, node by node and column by column."""
    splines = SplineTable.of(X)
    kept = np.zeros_like(mask)
    for j in range(X.shape[1]):
        if mask[:, j].sum() <= K:
            kept[:, j] = mask[:, j]
            continue
        residual, taken = X[:, j] - X[:, j].mean(), []
        for _ in range(steps):
            fits = {}
            for i in np.delete(np.arange(X.shape[1]), j):
                Q = splines.term(i, 5)[0]
                fits[i] = Q @ (Q.T @ residual)
            best = min(fits, key=lambda i: ((residual - fits[i]) ** 2).sum())
            residual = residual - nu * fits[best]
            taken.append(best)
        often = [i for i, times in Counter(taken).most_common(K) if times >= 2]
        kept[often, j] = mask[often, j]
    return kept


@pytest.mark.parametrize("K", [1, 3, 6])
def test_boosting_is_the_loop(K, monkeypatch):
    X = table()
    mask = everything(12)
    mask[:5, 3] = False
    monkeypatch.setattr(module, "CHUNK", 5)
    np.testing.assert_array_equal(neighbours(X, mask, K=K), slow_boosting(X, mask, K))


@pytest.mark.parametrize("method", ["boosting", "trees"])
def test_keeps_the_parents_among_at_most_k(method):
    X = table()
    mask = neighbours(X, everything(12), K=4, method=method, rng=np.random.default_rng(0), trees=20)
    assert mask[1, 0]
    assert mask[2, 0]
    assert (mask.sum(axis=0) <= 4).all()
    assert not mask.diagonal().any()


@pytest.mark.parametrize("method", ["boosting", "trees"])
def test_is_a_subset_and_leaves_small_sets_alone(method):
    rng = np.random.default_rng(3)
    mask = everything(12) & (rng.random((12, 12)) < 0.6)
    mask[:, 5] = False
    mask[[1, 2], 5] = True
    kept = neighbours(table(), mask, K=3, method=method, rng=rng, trees=5)
    assert not (kept & ~mask).any()
    np.testing.assert_array_equal(kept[:, 5], mask[:, 5])


def test_column_order_units_and_workers_do_not_matter():
    X = table()
    places = np.random.default_rng(1).permutation(12)
    base = neighbours(X, everything(12), K=4, n_jobs=1)
    moved = neighbours((X * np.linspace(-50, 900, 12))[:, places], everything(12), K=4, n_jobs=2)
    np.testing.assert_array_equal(moved, base[np.ix_(places, places)])


def test_constant_and_binary_columns():
    X = table()
    X[:, 4], X[:, 5] = 2.0, np.random.default_rng(0).integers(0, 2, len(X))
    X[:, 6] += X[:, 5]
    mask = neighbours(X, everything(12), K=4)
    assert mask[5, 6]
    assert not mask[4].any()


def test_trees_draw_from_the_generator_alone():
    X, mask = table(), everything(12)
    first, again = (
        neighbours(X, mask, K=3, method="trees", rng=np.random.default_rng(5), n_jobs=jobs, trees=5)
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(first, again)


def test_unknown_method_is_refused():
    with pytest.raises(InputError, match="forest"):
        neighbours(table(), everything(12), method="forest")


def test_many_columns_are_boosted_on_those_that_explain_most(monkeypatch):
    X = table(d=20)
    whole = neighbours(X, everything(20), K=6)
    monkeypatch.setattr(module, "WHOLE_GRAM", 0)
    np.testing.assert_array_equal(neighbours(X, everything(20), K=6), whole)  # 3 K + 4 are all there are
    few = neighbours(X, everything(20), K=3)
    assert few[[1, 2], 0].all()
    assert (few.sum(axis=0) <= 3).all()


@pytest.mark.parametrize("method", ["boosting", "trees"])
def test_columns_outside_the_mask_compete(method):
    """What a child says about a node leaves nothing for a column that the child knows as much about."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8))
    X[:, 1] = X[:, 0] + 0.1 * rng.standard_normal(400)
    X[:, 2] = X[:, 1] + rng.standard_normal(400)
    mask = everything(8)
    mask[1, 0] = False
    kept = neighbours(X, mask, K=1, method=method, rng=rng, trees=10)
    assert not kept[:, 0].any()  # column 1 takes the only place, and is no candidate
    assert kept[0, 1]
