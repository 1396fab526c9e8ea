"""Graphs that open links allow, and back doors, against enumerations and networkx."""

from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

from dagscale.graphs.adjustment import back_door_set, graphs_around, possibly_reached, reached, separated


def random_dag(rng, d, density=0.4):
    order = rng.permutation(d)
    graph = np.zeros((d, d), dtype=bool)
    graph[np.ix_(order, order)] = np.triu(rng.random((d, d)) < density, 1)
    return graph


def acyclic(graph):
    return nx.is_directed_acyclic_graph(nx.DiGraph(graph.astype(int)))


def colliders(graph):
    links = graph | graph.T
    return {
        (a, c, b)
        for c in range(len(graph))
        for a, b in combinations(np.flatnonzero(graph[:, c]), 2)
        if not links[a, b]
    }


def equivalence_class(graph):
    """Every DAG with the same links and colliders, by trying all directions."""
    ends = np.argwhere(np.triu(graph | graph.T))
    found = []
    for turned in product((False, True), repeat=len(ends)):
        other = np.zeros_like(graph)
        for (i, j), turn in zip(ends, turned, strict=True):
            other[(j, i) if turn else (i, j)] = True
        if acyclic(other) and colliders(other) == colliders(graph):
            found.append(other)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_open_links_of_an_equivalence_class_allow_the_parent_sets_that_its_members_have(seed):
    """IDA's theorem: the local rule finds exactly the parent sets of all equivalent DAGs."""
    rng = np.random.default_rng(1000 + seed)
    graph = random_dag(rng, 5)
    members = equivalence_class(graph)
    either = np.logical_or.reduce(members)
    open_links = either & either.T
    for cause in range(5):
        around = list(graphs_around(graph, open_links, cause))
        sets = [tuple(np.flatnonzero(one[:, cause])) for one in around]
        assert sets[0] == tuple(np.flatnonzero(graph[:, cause]))
        assert len(set(sets)) == len(sets)
        assert set(sets) == {tuple(np.flatnonzero(member[:, cause])) for member in members}


def test_the_graph_found_comes_first_even_where_its_open_links_collide():
    graph = np.zeros((3, 3), dtype=bool)
    graph[[0, 1], 2] = True
    open_links = graph | graph.T
    sets = {tuple(np.flatnonzero(one[:, 2])) for one in graphs_around(graph, open_links, 2)}
    assert sets == {(0, 1), (0,), (1,), ()}


def test_turning_a_link_must_not_close_a_cycle():
    graph = np.zeros((3, 3), dtype=bool)
    graph[0, 1] = graph[1, 2] = graph[0, 2] = True
    open_links = np.zeros_like(graph)
    open_links[0, 2] = open_links[2, 0] = True
    assert len(list(graphs_around(graph, open_links, 0))) == 1
    open_links[0, 1] = open_links[1, 0] = True
    assert {tuple(np.flatnonzero(one[:, 0])) for one in graphs_around(graph, open_links, 0)} == {
        (),
        (1, 2),
        (1,),
    }


@pytest.mark.parametrize("seed", range(20))
def test_separation_is_networkx_s(seed):
    rng = np.random.default_rng(seed)
    graph = random_dag(rng, 7, 0.35)
    hidden = [tuple(rng.choice(7, 2, replace=False).tolist()) for _ in range(2)]
    whole = nx.DiGraph()
    whole.add_nodes_from(range(7))
    whole.add_edges_from(np.argwhere(graph).tolist())
    for k, (i, j) in enumerate(hidden):
        whole.add_edges_from([(f"h{k}", i), (f"h{k}", j)])
    for a, b in combinations(range(7), 2):
        given = [v for v in range(7) if v not in (a, b) and rng.random() < 0.4]
        assert separated(graph, hidden, a, b, given) == nx.is_d_separator(whole, {a}, {b}, set(given))


@pytest.mark.parametrize("seed", range(20))
def test_a_back_door_set_is_found_where_any_subset_is_one(seed):
    rng = np.random.default_rng(2000 + seed)
    d = 5
    graph = random_dag(rng, d)
    hidden = np.zeros_like(graph)
    i, j = rng.choice(d, 2, replace=False)
    hidden[i, j] = hidden[j, i] = True
    pairs = np.argwhere(np.triu(hidden)).tolist()
    for cause, outcome in product(range(d), repeat=2):
        if cause == outcome or graph[outcome, cause]:
            continue
        cut = graph.copy()
        cut[cause] = False
        below = np.flatnonzero(reached(graph, [cause]))
        rest = [v for v in range(d) if v not in (cause, outcome, *below)]
        valid = [
            set(own)
            for size in range(len(rest) + 1)
            for own in combinations(rest, size)
            if separated(cut, pairs, cause, outcome, list(own))
        ]
        found = back_door_set(graph, hidden, cause, outcome)
        assert (found is None) == (not valid)
        assert found is None or set(found) in valid


def test_open_links_may_lead_on_but_the_cause_s_own_are_taken_as_directed():
    graph = np.zeros((4, 4), dtype=bool)
    graph[0, 1] = graph[2, 1] = graph[3, 0] = True  # 3 -> 0 -> 1 <- 2
    open_links = np.zeros_like(graph)
    open_links[1, 2] = open_links[2, 1] = open_links[0, 3] = open_links[3, 0] = True
    assert possibly_reached(graph, open_links, 0).tolist() == [False, True, True, False]
