"""The bound of `benchmarks/hidden_causes.py --told`, beside a search through all graphs of the same independences."""

import runpy
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from dagscale.data.simulate.hidden import with_hidden
from dagscale.graphs.adjustment import separated
from dagscale.graphs.dag import descendants

SCRIPT = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "told_apart.py"))
D = 4


def graph_of(d, edges, symmetric=False):
    graph = np.zeros((d, d), dtype=bool)
    for i, j in edges:
        graph[i, j] = True
        graph[j, i] |= symmetric
    return graph


@pytest.mark.parametrize(
    ("edges", "hidden", "told"),
    [
        ([(0, 2), (1, 3)], [(2, 3)], [(2, 3)]),  # each end has a parent of its own
        ([(0, 2)], [(2, 3)], []),  # 3 -> 2 allows the same
        ([(0, 2), (0, 3)], [(2, 3)], []),  # so does an arrow between children of one parent
        (
            [(0, 3)],
            [(1, 2), (2, 3)],
            [(2, 3)],
        ),  # a hidden cause of one end and a third column does for a parent
    ],
)
def test_a_hidden_cause_is_told_where_each_end_has_a_parent_of_its_own(edges, hidden, told):
    found = SCRIPT["told_by_independence"](graph_of(D, edges), graph_of(D, hidden, symmetric=True))
    assert [tuple(pair) for pair in np.argwhere(np.triu(found)).tolist()] == told


def independences(dag, hidden):
    """Say of all pairs and sets whether the set separates the pair."""
    return [
        separated(dag, hidden, i, j, list(given))
        for i, j in combinations(range(D), 2)
        for size in range(D - 1)
        for given in combinations([k for k in range(D) if k not in (i, j)], size)
    ]


def marks_in_common(joined, true):
    """Arrowheads that all ancestral graphs with the same links and independences have in common."""
    common = np.ones((D, D), dtype=bool)
    ends = np.argwhere(np.triu(joined)).tolist()
    for marks in product(("->", "<-", "<->"), repeat=len(ends)):
        dag, heads, hidden = np.zeros((D, D), dtype=bool), np.zeros((D, D), dtype=bool), []
        for (i, j), mark in zip(ends, marks, strict=True):
            heads[i, j], heads[j, i] = mark != "<-", mark != "->"
            dag[i, j], dag[j, i] = mark == "->", mark == "<-"
            if mark == "<->":
                hidden.append((i, j))
        try:
            reach = descendants(dag)
        except ValueError:  # a cycle
            continue
        ancestral = not any(reach[i, j] or reach[j, i] for i, j in hidden)
        if ancestral and independences(dag, hidden) == true:
            common &= heads
    return common


@pytest.mark.parametrize("seed", range(8))
def test_arrowheads_are_those_that_all_graphs_of_the_same_independences_share(seed):
    rng = np.random.default_rng(seed)
    dag = np.triu(rng.random((D, D)) < 0.4, 1)
    _, hidden = with_hidden(dag, 1 + seed % 2, rng)
    joined, heads = SCRIPT["ancestral"](dag, hidden)
    expected = marks_in_common(joined, independences(dag, np.argwhere(np.triu(hidden)).tolist()))
    assert (SCRIPT["compelled_heads"](joined, heads) == expected).all()
