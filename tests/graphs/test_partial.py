"""Meek's rules against a slow version that lists all orientations."""

from itertools import product

import numpy as np
import pytest

from dagscale.graphs.dag import topological_order
from dagscale.graphs.partial import equivalence_class, implied, with_direction


def graph(d, edges):
    found = np.zeros((d, d), dtype=bool)
    for i, j in edges:
        found[i, j] = True
    return found


def both(d, links):
    found = graph(d, links)
    return found | found.T


def colliders(directed):
    linked = directed | directed.T
    return {
        (a, c, b)
        for c in range(len(directed))
        for a in np.flatnonzero(directed[:, c])
        for b in np.flatnonzero(directed[:, c])
        if a < b and not linked[a, b]
    }


def acyclic(directed):
    try:
        topological_order(directed)
    except ValueError:
        return False
    return True


def slow(directed, open_):
    """What all orientations agree on that are acyclic and have no collider besides those that are there."""
    links = np.argwhere(np.triu(open_)).tolist()
    allowed = colliders(directed)
    found = []
    for turns in product((False, True), repeat=len(links)):
        trial = directed.copy()
        for (i, j), turn in zip(links, turns, strict=True):
            trial[(j, i) if turn else (i, j)] = True
        if acyclic(trial) and colliders(trial) <= allowed:
            found.append(trial)
    return np.logical_and.reduce(found) if found else None


@pytest.mark.parametrize("seed", range(30))
def test_rules_find_all_that_follows_from_one_more_direction(seed):
    rng = np.random.default_rng(seed)
    d = 6
    dag = np.triu(rng.random((d, d)) < 0.45, 1)
    order = rng.permutation(d)
    dag = dag[np.ix_(order, order)]
    directed, open_ = equivalence_class(dag)
    links = np.argwhere(dag & open_)
    if not len(links):
        return
    i, j = links[rng.integers(len(links))]
    after = with_direction(directed, open_, int(i), int(j))
    told = directed.copy()
    told[i, j] = True
    left = open_.copy()
    left[i, j] = left[j, i] = False
    expected = slow(told, left)
    assert after is not None
    assert (after[0] == expected).all()


@pytest.mark.parametrize("seed", range(20))
def test_an_equivalence_class_is_what_graphs_with_its_links_and_colliders_agree_on(seed):
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((5, 5)) < 0.5, 1)
    links = np.argwhere(dag).tolist()
    alike = []
    for turns in product((False, True), repeat=len(links)):
        trial = graph(5, [(j, i) if turn else (i, j) for (i, j), turn in zip(links, turns, strict=True)])
        if acyclic(trial) and colliders(trial) == colliders(dag):
            alike.append(trial)
    directed, open_ = equivalence_class(dag)
    common = np.logical_and.reduce(alike)
    assert (directed == common).all()
    assert (open_ == ((dag | dag.T) & ~common & ~common.T)).all()


def test_a_chain_follows_from_its_first_link():
    directed, open_ = np.zeros((4, 4), dtype=bool), both(4, [(0, 1), (1, 2), (2, 3)])
    after = with_direction(directed, open_, 0, 1)
    assert after is not None
    assert (after[0] == graph(4, [(0, 1), (1, 2), (2, 3)])).all()
    assert not after[1].any()


def test_a_cycle_is_refused_and_acyclicity_directs():
    directed, open_ = graph(3, [(0, 1), (1, 2)]), both(3, [(0, 2)])
    assert with_direction(directed, open_, 2, 0) is None
    assert implied(directed, open_)[0][0, 2]
