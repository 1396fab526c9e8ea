"""Exchanges of parents: what is offered, what is kept, and that they leave where single moves stop."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.methods.auto.climb import climb, graph_score, single_moves
from dagscale.methods.auto.exchange import eliminated, exchange_moves, turned_blocks
from dagscale.methods.auto.settings import SETTINGS

seeds = st.integers(0, 10_000)


def is_dag(A):
    return nx.is_directed_acyclic_graph(nx.from_numpy_array(A, create_using=nx.DiGraph))


def table_gain(seed):
    """Any number for a set of parents, up to ten nats a parent."""

    def one(node, parents):
        return np.random.default_rng([seed, node, *parents]).uniform(0, 10 * len(parents)) if parents else 0.0

    return lambda items: np.array([one(*item) for item in items])


def random_dag(rng, d, rate=0.5):
    order = rng.permutation(d)
    upper = np.triu(rng.random((d, d)) < rate, 1)
    return upper[np.ix_(np.argsort(order), np.argsort(order))]


def free(d):
    return ~np.eye(d, dtype=bool)


def with_parents(graph, block):
    after = graph.copy()
    for j, parents in block:
        after[:, j] = False
        after[list(parents), j] = True
    return after


@settings(deadline=None, max_examples=60, derandomize=True)
@given(seed=seeds, d=st.integers(2, 7))
def test_no_block_closes_a_cycle_or_breaks_what_is_fixed(seed, d):
    rng = np.random.default_rng(seed)
    graph = random_dag(rng, d)
    fixed = graph & (rng.random((d, d)) < 0.3)
    for block in turned_blocks(graph, free(d), fixed):
        after = with_parents(graph, block)
        assert is_dag(after | fixed)
        assert 2 <= len(block) <= SETTINGS.largest


@settings(deadline=None, max_examples=40, derandomize=True)
@given(seed=seeds, d=st.integers(2, 6))
def test_every_edge_without_a_way_round_is_turned_with_the_parents_of_both(seed, d):
    graph = random_dag(np.random.default_rng(seed), d)
    blocks = set(turned_blocks(graph, free(d), np.zeros_like(graph)))
    whole = nx.from_numpy_array(graph, create_using=nx.DiGraph)
    for i, j in np.argwhere(graph).tolist():
        if sum(1 for _ in nx.all_simple_paths(whole, i, j)) > 1:
            continue
        both = set(np.flatnonzero(graph[:, i] | graph[:, j]).tolist()) - {i}
        assert ((j, tuple(sorted(both))), (i, tuple(sorted(both | {j})))) in blocks


def test_a_path_is_turned_round_and_its_ends_are_moved():
    graph = np.zeros((3, 3), bool)
    graph[0, 1] = graph[1, 2] = True
    orders = {tuple(j for j, _ in block) for block in turned_blocks(graph, free(3), np.zeros_like(graph))}
    assert orders == {(1, 0), (2, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0)}


def test_nothing_is_offered_that_is_not_allowed():
    graph = np.zeros((3, 3), bool)
    graph[0, 1] = graph[2, 1] = True
    allowed = free(3)
    allowed[2, 0] = False
    assert ((1, (2,)), (0, (1,))) in set(turned_blocks(graph, allowed, np.zeros_like(graph)))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(seed=seeds, penalty=st.floats(0, 8))
def test_elimination_is_the_same_for_one_item_as_for_many_and_keeps_what_is_required(seed, penalty):
    gain, rng = table_gain(seed), np.random.default_rng(seed)
    required = rng.random((6, 6)) < 0.2
    items = [(j, tuple(i for i in range(6) if i != j and rng.random() < 0.7)) for j in range(6)]
    together = eliminated(items, gain, required, penalty)
    for item, left in zip(items, together, strict=True):
        assert eliminated([item], gain, required, penalty) == [left]
        j, parents = left
        assert {i for i in item[1] if required[i, j]} <= set(parents) <= set(item[1])
        for i in parents:
            fewer = tuple(k for k in parents if k != i)
            if not required[i, j]:
                assert gain([left])[0] - gain([(j, fewer)])[0] >= penalty


@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=seeds, d=st.integers(3, 6))
def test_climbing_by_exchanges_never_lowers_the_score_and_keeps_knowledge(seed, d):
    rng, gain = np.random.default_rng(seed), table_gain(seed)
    graph = random_dag(rng, d)
    required = graph & (rng.random((d, d)) < 0.3)
    after = climb(graph, gain, free(d), 1.0, required, required, moves=exchange_moves(gain, 1.0, free(d)))
    assert is_dag(after)
    assert (after >= required).all()
    assert graph_score(after, gain, 1.0) >= graph_score(graph, gain, 1.0)


def gaussian_gain(S, shape):
    """Evidence of lines by the covariance S of 1000 rows, and what `shape` {item: nats} adds."""

    def gain(items):
        nats = []
        for j, P in items:
            rest = S[j, j] - S[j, P] @ np.linalg.solve(S[np.ix_(P, P)], S[P, j]) if P else S[j, j]
            nats.append(-500 * np.log(rest / S[j, j]) - 3.45 * len(P) + shape.get((j, P), 0.0))
        return np.array(nats)

    return gain


@pytest.mark.parametrize("moves", ["single", "exchange"])
def test_an_edge_whose_turning_needs_another_parent_is_turned(moves):
    """Truth: c -> b -> a, and c -> a that cancels it. Found: a -> b <- c, as good for lines; shape differs.

    Any edge may be put in, but c tells nothing of a, and b -> a without c -> a loses hundreds of nats.
    """
    a, b, c = range(3)
    B = np.zeros((3, 3))
    B[c, b], B[b, a], B[c, a] = 1.0, 1.0, -1.0
    inverse = np.linalg.inv(np.eye(3) - B)
    gain = gaussian_gain(inverse.T @ inverse, {(a, (b, c)): 20.0, (b, (c,)): 20.0})
    found = np.zeros((3, 3), bool)
    found[[a, c], b] = True
    kinds = {"single": single_moves, "exchange": exchange_moves(gain, 1.0, free(3))}
    ended = climb(found, gain, free(3), 1.0, moves=kinds[moves])
    assert np.array_equal(ended, B != 0 if moves == "exchange" else found)


def test_without_time_nothing_is_exchanged():
    gain, graph = table_gain(0), np.triu(np.ones((4, 4), bool), 1)
    nothing = np.zeros_like(graph)
    late = exchange_moves(gain, 0.0, free(4), lambda: True)
    assert list(late(graph, free(4), nothing, nothing, 20)) == []
