"""Parents that act through others: found where they are, not where they are not, and never in a circle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.search.interactions import _best, _waves, add_interacting
from dagscale.models.splines import SplineTable

LEVEL = 1e-4


def product(n=600, d=10, seed=0):
    """x_0 depends on x_1, and through their product on x_2."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[:, 0] = X[:, 1] + X[:, 1] * X[:, 2] + 0.7 * X[:, 0]
    return X


def graph(d, *edges):
    A = np.zeros((d, d), dtype=bool)
    for i, j in edges:
        A[i, j] = True
    return A


def search(X, A, known=None, **options):
    known = known or Constraints.none(len(A))
    return add_interacting(
        SplineTable.of(X, n_jobs=1), A, known.allowed, known.before, options.pop("level", LEVEL), **options
    )


@pytest.mark.parametrize("seed", range(3))
def test_finds_a_parent_without_main_effect(seed):
    found, added = search(product(seed=seed), graph(10, (1, 0)))
    np.testing.assert_array_equal(found, graph(10, (1, 0), (2, 0)))
    ((z, i, j, p_value),) = added
    assert (i, j) == (2, 0)
    assert z > 4
    assert p_value < LEVEL


def test_a_node_without_parents_gets_none():
    found, added = search(product(), graph(10))
    assert not found.any()
    assert added == []


def test_one_parent_after_the_other():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 8))
    X[:, 0] = X[:, 1] * (1 + X[:, 2]) + X[:, 2] * X[:, 3] + 0.5 * X[:, 0]
    found, _ = search(X, graph(8, (1, 0)))
    np.testing.assert_array_equal(np.flatnonzero(found[:, 0]), [1, 2, 3])


def test_what_parents_do_among_themselves_is_not_credited_to_their_neighbours():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((1500, 8))
    X[:, 3] = X[:, 1] + 0.5 * X[:, 3]  # correlated with the parent x_1
    X[:, 0] = X[:, 1] + X[:, 2] + 2 * X[:, 1] * X[:, 2] + X[:, 0]
    _, added = search(X, graph(8, (1, 0), (2, 0)))
    assert added == []


def test_p_values_are_uniform_where_there_is_no_effect():
    """The smallest of k independent p-values is below u with chance 1 - (1 - u)^k."""
    rng = np.random.default_rng(2)
    smallest = []
    for _ in range(60):
        X = rng.standard_t(3, size=(300, 6))
        X[:, 0] += np.abs(X[:, 1])
        A = graph(6, (1, 0))
        waves = np.stack([_waves(x, 3) for x in X.T])
        splines = SplineTable.of(X, n_jobs=1)
        flat = waves.reshape(-1, 300).astype(np.float32)
        best = _best(splines, waves, flat, A, (~np.eye(6, dtype=bool), A), np.array([0]), 1)
        smallest.append(1 - (1 - best[0][3]) ** 4 if best else 1.0)
    assert np.mean(np.array(smallest) < 0.1) < 0.25
    assert np.mean(smallest) == pytest.approx(0.5, abs=0.12)


def test_waves_are_orthonormal_and_blind_to_units():
    rng = np.random.default_rng(0)
    for x in (rng.standard_normal(200), np.exp(3 * rng.standard_normal(200)), rng.integers(0, 9, 200) * 1.0):
        waves = _waves(x, 3)
        np.testing.assert_allclose(waves @ waves.T / 200, np.eye(3), atol=1e-10)
        np.testing.assert_allclose(waves.mean(axis=1), 0, atol=1e-12)
        np.testing.assert_allclose(_waves(7 * x + 100, 3), waves)
    binary = _waves(rng.integers(0, 2, 200) * 1.0, 3)
    assert (np.abs(binary).max(axis=1) > 0).sum() == 1
    assert not _waves(np.ones(50), 3).any()


@settings(deadline=None, max_examples=10, derandomize=True)
@given(seed=st.integers(0, 1000))
def test_knowledge_and_acyclicity(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 6))
    X = X[:, rng.permutation(6)] * X + X
    A = np.triu(rng.random((6, 6)) < 0.3, 1)
    allowed = A | ((rng.random((6, 6)) < 0.6) & ~np.eye(6, dtype=bool))
    before = np.zeros((6, 6), dtype=bool)
    before[0, 5] = True
    allowed[5, 0] = False
    found, added = search(X, A, Constraints(allowed, np.zeros_like(A), before), level=0.5)
    assert (found >= A).all()
    assert not (found & ~allowed).any()
    topological_order(found | before)
    assert len(added) == (found & ~A).sum()


def test_column_order_units_and_workers_do_not_matter():
    X, A = product(d=12), graph(12, (1, 0), (3, 4))
    places = np.random.default_rng(0).permutation(12)
    scales = np.random.default_rng(1).uniform(0.1, 50, 12)
    found, _ = search(X, A, n_jobs=1)
    moved, _ = search((X * scales)[:, places], A[np.ix_(places, places)], n_jobs=2)
    np.testing.assert_array_equal(moved, found[np.ix_(places, places)])


def test_few_rows_and_many_parents_add_nothing():
    X = np.random.default_rng(0).standard_normal((30, 9))
    A = graph(9, *((i, 0) for i in range(1, 7)))
    found, added = search(X, A, level=1.0)
    assert added == []
    np.testing.assert_array_equal(found, A)


def test_a_device_finds_the_same():
    pytest.importorskip("torch")
    X, A = product(d=12), graph(12, (1, 0), (3, 4))
    found, added = search(X, A, level=0.3)
    there, added_there = search(X, A, level=0.3, device="torch")
    np.testing.assert_array_equal(there, found)
    np.testing.assert_allclose([p for *_, p in added_there], [p for *_, p in added], rtol=1e-3)
