"""Sets of parents that are nothing one by one."""

import numpy as np
import pytest

from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.auto.climb import climb, graph_score
from dagscale.methods.auto.reconsider import accept, reconsidered
from dagscale.models.gp import Evidence

PENALTY = 4.0


def product_table(n=300, seed=1000):
    """Column 0 is a product of three others: no one of them has any effect alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 0] = np.sign(X[:, 1] * X[:, 2]) * np.abs(X[:, 3]) + 0.1 * rng.normal(size=n)
    return X


def reconsider(graph, evidence, penalty, known):
    return accept(graph, reconsidered(graph, evidence, penalty, known), evidence, penalty, known)


def empty(d):
    return np.zeros((d, d), dtype=bool)


@pytest.fixture(scope="module")
def evidence():
    return Evidence(product_table(), n_jobs=1)


def test_finds_what_no_single_addition_gains(evidence):
    anything = ~np.eye(6, dtype=bool)
    assert not climb(empty(6), evidence, anything, PENALTY)[:, 0].any()  # the trap is a trap
    found = reconsider(empty(6), evidence, PENALTY, Constraints.none(6))
    assert np.flatnonzero(found[:, 0]).tolist() == [1, 2, 3]


def test_never_loses_score_and_never_closes_a_cycle(evidence):
    rng = np.random.default_rng(0)
    for _ in range(4):
        start = np.triu(rng.random((6, 6)) < 0.3, 1)
        found = reconsider(start, evidence, PENALTY, Constraints.none(6))
        topological_order(found)  # refuses cycles
        assert graph_score(found, evidence, PENALTY) >= graph_score(start, evidence, PENALTY)


def test_obeys_knowledge(evidence):
    names = list("abcdef")
    known = Knowledge(required=[("e", "a")], forbidden=[("b", "a")]).resolve(names)
    found = reconsider(known.required.copy(), evidence, PENALTY, known)
    assert found[4, 0]
    assert not found[1, 0]
    reversed_only = Knowledge(tiers=[["a"], list("bcdef")]).resolve(names)
    assert not reconsider(empty(6), evidence, PENALTY, reversed_only)[:, 0].any()


def test_noise_gets_no_parents():
    X = np.random.default_rng(1001).normal(size=(300, 6))
    assert not reconsider(empty(6), Evidence(X, n_jobs=1), PENALTY, Constraints.none(6)).any()


def test_same_parents_for_permuted_and_rescaled_columns(evidence):
    order = np.array([3, 0, 5, 1, 4, 2])
    X = product_table()[:, order] * np.array([1e-3, 5.0, -2.0, 1e4, 1.0, -1.0])
    expected = reconsider(empty(6), evidence, PENALTY, Constraints.none(6))
    found = reconsider(empty(6), Evidence(X, n_jobs=1), PENALTY, Constraints.none(6))
    assert np.array_equal(found, expected[np.ix_(order, order)])
