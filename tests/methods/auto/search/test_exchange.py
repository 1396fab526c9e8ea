"""Exchanges of parents: what is offered, what is kept, and that they leave where single moves stop."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.search.loop import climb
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.proposers import (
    LONGEST,
    WIDEST,
    Scene,
    eliminated,
    exchange,
    single,
    turned_blocks,
)
from dagscale.models.likelihood.spline_gain import Told

seeds = st.integers(0, 10_000)


def is_dag(A):
    return nx.is_directed_acyclic_graph(nx.from_numpy_array(A, create_using=nx.DiGraph))


class Gain:
    """Nats of items by a function of one; knows nothing of idle parents."""

    def __init__(self, one):
        self.one, self.told = one, {}

    def __call__(self, items):
        self.told.update((item, Told(self.one(*item))) for item in items)
        return np.array([self.told[item].nats for item in items])


def table_gain(seed):
    """Any number for a set of parents, up to ten nats a parent."""
    return Gain(
        lambda j, S: float(np.random.default_rng([seed, j, *S]).uniform(0, 10 * len(S))) if S else 0.0
    )


def random_dag(rng, d, rate=0.5):
    order = rng.permutation(d)
    upper = np.triu(rng.random((d, d)) < rate, 1)
    return upper[np.ix_(np.argsort(order), np.argsort(order))]


def scene(d, required=None, allowed=None):
    none = Constraints.none(d)
    required = none.required if required is None else required
    known = Constraints(none.allowed if allowed is None else allowed, required, required)
    return Scene(known, known.allowed, 20)


def with_parents(graph, block):
    after = graph.copy()
    for j, parents in block:
        after[:, j] = False
        after[list(parents), j] = True
    return after


def blocks_of(graph, where):
    return {tuple(block) for block in turned_blocks(graph, where)}


@settings(deadline=None, max_examples=60, derandomize=True)
@given(seed=seeds, d=st.integers(2, 7))
def test_no_block_closes_a_cycle_or_breaks_what_is_fixed(seed, d):
    rng = np.random.default_rng(seed)
    graph = random_dag(rng, d)
    fixed = graph & (rng.random((d, d)) < 0.3)
    for block in turned_blocks(graph, scene(d, fixed)):
        assert is_dag(with_parents(graph, block) | fixed)
        assert 2 <= len(block) <= max(LONGEST, WIDEST)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(seed=seeds, d=st.integers(2, 6))
def test_every_edge_without_a_way_round_is_turned_with_the_parents_of_both(seed, d):
    graph = random_dag(np.random.default_rng(seed), d)
    blocks = blocks_of(graph, scene(d))
    whole = nx.from_numpy_array(graph, create_using=nx.DiGraph)
    for i, j in np.argwhere(graph).tolist():
        if sum(1 for _ in nx.all_simple_paths(whole, i, j)) > 1:
            continue
        both = set(np.flatnonzero(graph[:, i] | graph[:, j]).tolist()) - {i}
        assert ((j, tuple(sorted(both))), (i, tuple(sorted(both | {j})))) in blocks


def test_a_path_is_turned_round_and_its_ends_are_moved():
    graph = np.eye(3, k=1, dtype=bool)
    orders = {tuple(j for j, _ in block) for block in turned_blocks(graph, scene(3))}
    assert orders == {(1, 0), (2, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0)}


def test_nothing_is_offered_that_is_not_allowed():
    graph = np.zeros((3, 3), bool)
    graph[0, 1] = graph[2, 1] = True
    allowed = ~np.eye(3, dtype=bool)
    allowed[2, 0] = False
    assert ((1, (2,)), (0, (1,))) in blocks_of(graph, scene(3, allowed=allowed))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(seed=seeds, caution=st.floats(0, 8))
def test_elimination_is_the_same_for_one_item_as_for_many_and_keeps_what_is_required(seed, caution):
    objective, rng = Objective(table_gain(seed), 6, caution), np.random.default_rng(seed)
    required, graph = rng.random((6, 6)) < 0.2, np.zeros((6, 6), bool)
    items = [(j, tuple(i for i in range(6) if i != j and rng.random() < 0.7)) for j in range(6)]
    together = eliminated(items, objective, graph, required)
    for item, left in zip(items, together, strict=True):
        assert eliminated([item], objective, graph, required) == [left]
        j, parents = left
        assert {i for i in item[1] if required[i, j]} <= set(parents) <= set(item[1])
        for i in parents:
            fewer = tuple(k for k in parents if k != i)
            if not required[i, j]:
                lost = objective.gain([left])[0] - objective.gain([(j, fewer)])[0]
                assert lost >= objective.price(0)


class Counting(Gain):
    """Four parents worth 0, 1, 30 and 40 nats, which is known up to a doubt; counts the items that are asked for."""

    def __init__(self, doubt):
        worth = dict(enumerate((0.0, 1.0, 30.0, 40.0)))
        super().__init__(lambda j, S: sum(worth[i] for i in S))
        self.idle, self.doubt = worth, doubt

    def __call__(self, items):
        nats = super().__call__(items)
        for item in items:
            known = tuple(self.idle[i] for i in item[1])
            self.told[item] = replace(self.told[item], idle=known, doubt=self.doubt)
        return nats


@pytest.mark.parametrize(("doubt", "asked"), [(5.0, 3), (15.0, 4), (np.inf, 9)])
def test_parents_that_are_surely_worth_their_price_are_not_tried(doubt, asked):
    gain = Counting(doubt)
    none = np.zeros((5, 5), bool)
    assert eliminated([(4, (0, 1, 2, 3))], Objective(gain, 5, 3.0), none, none) == [(4, (2, 3))]
    assert len(gain.told) == asked


@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=seeds, d=st.integers(3, 6))
def test_climbing_by_exchanges_never_lowers_the_score_and_keeps_knowledge(seed, d):
    rng, objective = np.random.default_rng(seed), Objective(table_gain(seed), d, 1.0)
    graph = random_dag(rng, d)
    required = graph & (rng.random((d, d)) < 0.3)
    after = climb(graph, objective, scene(d, required), (exchange,))
    assert is_dag(after)
    assert (after >= required).all()
    assert objective.score(after) >= objective.score(graph)


def gaussian_gain(S, shape):
    """Evidence of lines by the covariance S of 1000 rows, and what `shape` {item: nats} adds."""

    def one(j, P):
        rest = S[j, j] - S[j, P] @ np.linalg.solve(S[np.ix_(P, P)], S[P, j]) if P else S[j, j]
        return float(-500 * np.log(rest / S[j, j]) - 3.45 * len(P) + shape.get((j, P), 0.0))

    return Gain(one)


@pytest.mark.parametrize("proposer", [single, exchange])
def test_an_edge_whose_turning_needs_another_parent_is_turned(proposer):
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
    ended = climb(found, Objective(gain, 3, 1.0), scene(3), (proposer,))
    assert np.array_equal(ended, B != 0 if proposer is exchange else found)


def test_without_time_nothing_is_exchanged():
    graph = np.triu(np.ones((4, 4), bool), 1)
    assert np.array_equal(climb(graph, Objective(table_gain(0), 4, 0.0), scene(4), (exchange,), 0.0), graph)
