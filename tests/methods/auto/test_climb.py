"""Climbing against brute force over all neighbouring graphs."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.graphs.dag import descendants, reaches
from dagscale.methods.auto.climb import climb, graph_score, path_moves
from dagscale.methods.auto.penalty import edge_penalty
from dagscale.methods.auto.settings import SETTINGS

seeds = st.integers(0, 10_000)


def table_gain(seed):
    def gain(items):
        return np.array(
            [0.0 if not S else np.random.default_rng([seed, j, *S]).uniform(0, 10 * len(S)) for j, S in items]
        )

    return gain


def is_dag(A):
    return nx.is_directed_acyclic_graph(nx.from_numpy_array(A, create_using=nx.DiGraph))


def neighbouring_graphs(A):
    """All DAGs one addition, deletion or reversal away."""
    for i, j in zip(*np.nonzero(~np.eye(len(A), dtype=bool)), strict=True):
        B = A.copy()
        if A[i, j]:
            B[i, j] = False
            yield B.copy()
            B[j, i] = True
        elif not A[j, i]:
            B[i, j] = True
        if is_dag(B):
            yield B


@settings(deadline=None, max_examples=30, derandomize=True)
@given(seed=seeds, d=st.integers(2, 5), penalty=st.floats(0, 8))
def test_ends_in_a_dag_that_no_single_move_improves(seed, d, penalty):
    gain = table_gain(seed)
    A = climb(np.zeros((d, d), bool), gain, ~np.eye(d, dtype=bool), penalty, rounds=200)
    assert is_dag(A)
    best = graph_score(A, gain, penalty)
    for B in neighbouring_graphs(A):
        assert graph_score(B, gain, penalty) < best + SETTINGS.worth_a_move + 1e-9


@settings(deadline=None, max_examples=30, derandomize=True)
@given(seed=seeds, d=st.integers(2, 6))
def test_keeps_required_edges_and_stays_in_the_mask(seed, d):
    rng = np.random.default_rng(seed)
    required = np.triu(rng.random((d, d)) < 0.3, 1)
    mask = (~np.eye(d, dtype=bool) & (rng.random((d, d)) < 0.6)) | required
    A = climb(required.copy(), table_gain(seed), mask, 1.0, required)
    assert is_dag(A)
    assert (required <= A).all()
    assert (mask >= A).all()


@settings(deadline=None, max_examples=30, derandomize=True)
@given(seed=seeds, d=st.integers(3, 6))
def test_no_path_leads_back_over_a_known_order(seed, d):
    rng = np.random.default_rng(seed)
    before = descendants(np.triu(rng.random((d, d)) < 0.3, 1))
    A = climb(
        np.zeros((d, d), bool), table_gain(seed), ~np.eye(d, dtype=bool) & ~before.T, 1.0, before=before
    )
    assert is_dag(A | before)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(seed=seeds, d=st.integers(2, 8))
def test_reachability_is_networkx(seed, d):
    A = np.random.default_rng(seed).random((d, d)) < 0.25
    np.fill_diagonal(A, False)
    places = np.random.default_rng(seed + 1).permutation(d)
    acyclic = np.triu(A)[np.ix_(places, places)]
    for graph in (A, acyclic):
        G = nx.from_numpy_array(graph, create_using=nx.DiGraph)
        expected = np.array([[nx.has_path(G, i, j) for j in range(d)] for i in range(d)])
        assert all(reaches(graph, i, j) == expected[i, j] for i in range(d) for j in range(d))
    assert np.array_equal(descendants(acyclic) | np.eye(d, dtype=bool), expected)


def test_penalty_falls_with_density_and_rises_with_size():
    def penalty(d, edges):
        A = np.zeros((d, d), bool)
        A[np.triu_indices(d, 1)] = np.arange(d * (d - 1) // 2) < edges
        return edge_penalty(A, 1000)

    assert penalty(50, 50) > penalty(50, 200) > SETTINGS.least
    assert penalty(1000, 1000) > penalty(50, 50)
    assert penalty(10, 45) == SETTINGS.least


@given(seed=st.integers(0, 10_000), d=st.integers(2, 9), density=st.floats(0.1, 0.7))
@settings(deadline=None, max_examples=60, derandomize=True)
def test_turned_paths_keep_the_skeleton_and_close_no_cycle(seed, d, density):
    rng = np.random.default_rng(seed)
    graph = np.triu(rng.random((d, d)) < density, 1)
    mixed = rng.permutation(d)
    graph = graph[np.ix_(mixed, mixed)]
    anywhere, nothing = ~np.eye(d, dtype=bool), np.zeros((d, d), dtype=bool)
    seen = set()
    for move in path_moves(graph, anywhere, nothing, nothing, d):
        turned = graph.copy()
        move.apply(turned)
        assert is_dag(turned)
        assert np.array_equal(turned | turned.T, graph | graph.T)
        assert 3 <= len(move.touched) <= SETTINGS.longest
        seen.add(frozenset(move.out))
    chains = [(i, j, k) for i, j in np.argwhere(graph) for k in np.flatnonzero(graph[j]) if not graph[i, k]]
    for i, j, k in chains:
        others = (descendants(graph)[i] & descendants(graph)[:, k]).sum()
        assert others > 1 or frozenset({(int(i), int(j)), (int(j), int(k))}) in seen


def test_a_reversed_chain_is_turned_at_once_unless_knowledge_forbids():
    """Its middle is expensive on the way: one edge at a time would not get there."""
    true = {(1, (0,)): 10.0, (2, (1,)): 8.5, (0, (1,)): 9.0, (1, (2,)): 9.0}

    def gain(items):
        return np.array([true.get((j, tuple(parents)), 0.0) for j, parents in items])

    wrong = np.zeros((3, 3), dtype=bool)
    wrong[2, 1] = wrong[1, 0] = True
    both = wrong | wrong.T
    assert np.array_equal(climb(wrong, gain, both, 1.0), wrong)
    assert np.array_equal(climb(wrong, gain, both, 1.0, moves=path_moves), wrong.T)
    required = np.zeros_like(wrong)
    required[2, 1] = True
    before = required
    assert np.array_equal(climb(wrong, gain, both, 1.0, required, moves=path_moves), wrong)
    assert np.array_equal(climb(wrong, gain, both, 1.0, None, before, moves=path_moves), wrong)
