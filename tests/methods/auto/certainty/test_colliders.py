"""Edges between two causes of one column, which a graph needs that takes this column for a cause."""

import numpy as np

from dagscale.methods.auto.certainty.colliders import turned_colliders

N = 1000


def two_causes(seed=0):
    g = np.random.default_rng(seed)
    i, j = g.uniform(-1.0, 1.0, size=(2, N))
    return np.column_stack([i, j, i + j + 0.1 * g.normal(size=N)])


def edges(*pairs, d=3):
    graph = np.zeros((d, d), dtype=bool)
    for parent, child in pairs:
        graph[parent, child] = True
    return graph


def test_a_collider_turned_round_is_marked():
    turned = edges((0, 1), (2, 1))
    assert np.array_equal(turned_colliders(two_causes(), turned), turned)


def test_the_true_collider_is_not():
    assert not turned_colliders(two_causes(), edges((0, 2), (1, 2))).any()


def test_causes_that_depend_on_each_other_are_not():
    g = np.random.default_rng(1)
    i = g.normal(size=N)
    k = i + g.normal(size=N)
    X = np.column_stack([i, i + k + g.normal(size=N), k])
    assert not turned_colliders(X, edges((0, 1), (2, 1), (0, 2))).any()


def test_a_third_column_that_tells_nothing_is_no_reason():
    X = two_causes()
    X[:, 2] = np.random.default_rng(2).normal(size=N)
    assert not turned_colliders(X, edges((0, 1), (2, 1))).any()


def test_it_does_not_depend_on_column_order():
    X, graph, order = two_causes(), edges((0, 1), (2, 1)), np.array([2, 0, 1])
    moved = turned_colliders(X[:, order], graph[np.ix_(order, order)])
    assert np.array_equal(moved, turned_colliders(X, graph)[np.ix_(order, order)])
