"""Ties are decided by what columns hold: the order of the table's columns changes nothing."""

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.stages.ordering.greedy import greedy_order
from dagscale.stages.ordering.leaf import leaf_order
from dagscale.stages.ordering.ties import content_rank, first_least


def binary(seed, d=2):
    rng = np.random.default_rng(seed)
    X = (rng.random((90, d)) < 0.5).astype(float)
    X[:30, 1] = X[:30, 0]
    return X


def test_the_rank_goes_with_the_column():
    X = np.random.default_rng(0).normal(size=(50, 6))
    some = np.array([3, 0, 5, 1, 4, 2])
    np.testing.assert_array_equal(content_rank(X[:, some]), content_rank(X)[some])


def test_equal_values_are_decided_by_rank_and_others_are_not():
    assert first_least(np.array([1.0, 1.0 - 1e-12, 2.0]), np.array([0, 1, 2])) == 0
    assert first_least(np.array([1.0, 0.9, 2.0]), np.array([0, 1, 2])) == 1
    assert first_least(np.array([np.inf, np.inf]), np.array([1, 0])) == 0
    assert first_least(np.array([1e-17, 0.0]), np.array([0, 1]), scale=1.0) == 0


@pytest.mark.parametrize("order", [leaf_order, lambda X: greedy_order(X)[0]], ids=["leaf", "greedy"])
def test_two_binary_columns_have_one_order_wherever_they_stand(order):
    for seed in range(10):
        X = binary(seed)
        np.testing.assert_array_equal(order(X[:, ::-1]), 1 - order(X))


@pytest.mark.parametrize("method", ["das", "score", "cam"])
def test_tables_of_ties_give_one_graph_wherever_the_columns_stand(method):
    for seed in range(5):
        table = pd.DataFrame(binary(seed, 4), columns=list("abcd"))
        kinds = None if method == "cam" else dict.fromkeys("abcd", "continuous")
        one = dagscale.discover(table, method=method, n_jobs=1, kinds=kinds)
        other = dagscale.discover(table[list("dbca")], method=method, n_jobs=1, kinds=kinds)
        assert one.order == other.order
        assert set(one.graph.edges) == set(other.graph.edges)


def test_mixed_tables_give_one_graph_wherever_the_columns_stand():
    table = dagscale.simulate(nodes=7, samples=300, discrete=0.6, random_state=1001).table
    one = dagscale.discover(table, method="cam", n_jobs=1)
    other = dagscale.discover(table[table.columns[::-1]], method="cam", n_jobs=1)
    assert one.order == other.order
    assert set(one.graph.edges) == set(other.graph.edges)
