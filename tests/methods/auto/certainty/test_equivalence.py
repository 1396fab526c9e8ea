"""Equivalence classes: Meek's rules against all graphs of a class."""

from itertools import product

import numpy as np
import pytest

from dagscale.graphs.partial import colliding, following
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.auto.certainty.equivalence import COARSE, many_valued, told_by_shape_alone, with_turned


def random_dag(d, share, rng):
    order = rng.permutation(d)
    graph = np.zeros((d, d), dtype=bool)
    graph[np.ix_(order, order)] = np.triu(rng.random((d, d)) < share, 1)
    return graph


def colliders(graph):
    d = len(graph)
    return {
        (a, b, c)
        for b in range(d)
        for a in range(d)
        for c in range(a + 1, d)
        if graph[a, b] and graph[c, b] and not graph[a, c] and not graph[c, a]
    }


def members(graph, fixed):
    """All DAGs with the graph's adjacencies and v-structures that have its fixed edges."""
    edges, own = np.argwhere(graph), colliders(graph)
    for turned in product([False, True], repeat=len(edges)):
        other = np.zeros_like(graph)
        for (i, j), turn in zip(edges, turned, strict=True):
            other[(j, i) if turn else (i, j)] = True
        if (
            not (fixed & ~other).any()
            and not np.linalg.matrix_power(other.astype(int), len(other)).any()
            and colliders(other) == own
        ):
            yield other


@pytest.mark.parametrize("seed", range(40))
def test_implied_edges_are_those_that_all_members_share(seed):
    rng = np.random.default_rng(seed)
    graph = random_dag(5, rng.uniform(0.3, 0.9), rng)
    fixed = graph & (rng.random(graph.shape) < rng.choice([0.0, 0.3]))
    shared = np.logical_and.reduce(list(members(graph, fixed)))
    assert np.array_equal(following(graph, colliding(graph) | fixed)[0], shared)


def edge(d, *pairs):
    graph = np.zeros((d, d), dtype=bool)
    for i, j in pairs:
        graph[i, j] = True
    return graph


def by_shape(graph, doubtful, kinds, tells=()):
    """Ask with a likelihood in which every column tells 100 nats of those in `tells`, and nothing of others."""

    def gain(items):
        return np.array([100.0 * len(parents) * (child in tells) for child, parents in items])

    numbers = np.array([kind == CONTINUOUS for kind in kinds])
    return told_by_shape_alone(graph, doubtful, numbers, gain)


def test_a_pair_with_a_discrete_end_is_open_and_numbers_are_left_alone():
    graph, none = edge(2, (0, 1)), np.zeros((2, 2), dtype=bool)
    assert by_shape(graph, none, ("continuous", "binary"))[0, 1]
    assert by_shape(graph, none, ("categorical", "continuous"))[0, 1]
    assert not by_shape(graph, none, ("continuous", "continuous")).any()


def test_third_columns_tell():
    """A collider tells its arms; a claimed arrow between numbers tells what comes after it, a doubtful one not."""
    none = np.zeros((3, 3), dtype=bool)
    kinds = ("binary", "count", "categorical")
    assert not by_shape(edge(3, (0, 2), (1, 2)), none, kinds, tells=(0,)).any()
    chain = edge(3, (0, 1), (1, 2))
    numbers_first = ("continuous", "continuous", "binary")
    assert not by_shape(chain, none, numbers_first).any()
    assert by_shape(chain, edge(3, (0, 1)), numbers_first)[1, 2]
    assert by_shape(chain, none, ("binary", "continuous", "continuous"))[0, 1]


def test_a_collider_needs_both_arms_and_dependence_given_its_middle():
    none, collider = np.zeros((3, 3), dtype=bool), edge(3, (0, 2), (1, 2))
    kinds = ("continuous", "continuous", "binary")
    assert not by_shape(collider, none, kinds, tells=(1,)).any()
    assert np.array_equal(
        by_shape(collider, none, kinds), collider
    )  # nothing but shape says that 2 is an effect
    one_arm = by_shape(
        collider, edge(3, (1, 2)), kinds, tells=(0, 1)
    )  # the other arm's direction is not told
    assert np.array_equal(one_arm, collider)
    joined = edge(3, (0, 2), (1, 2), (0, 1))
    assert by_shape(joined, edge(3, (0, 1)), kinds, tells=(0, 1))[0, 2]
    numbers = ("continuous", "continuous", "continuous")
    assert not by_shape(collider, none, numbers).any()


def test_a_collider_in_doubt_is_no_chain_either():
    """0 -> 2 <- 1 is told; 3 -> 2 is not: that neither makes 2 a cause of 3 nor tells what 3 does."""
    graph = edge(5, (0, 2), (1, 2), (3, 2), (3, 4))
    kinds = ("continuous", "continuous", "binary", "binary", "binary")
    found = by_shape(graph, edge(5, (3, 2)), kinds, tells=(0, 1))
    assert np.array_equal(found, edge(5, (3, 2), (3, 4)))
    none = np.zeros((4, 4), dtype=bool)
    chain = edge(4, (0, 2), (1, 2), (2, 3))
    assert not by_shape(chain, none, kinds[:4], tells=(0, 1)).any()


def test_a_known_direction_tells_what_follows():
    chain, none, kinds = edge(3, (0, 1), (1, 2)), np.zeros((3, 3), dtype=bool), np.zeros(3, dtype=bool)

    def silent(items):
        return np.zeros(len(items))

    assert np.array_equal(told_by_shape_alone(chain, none, kinds, silent), chain)
    assert not told_by_shape_alone(chain, none, kinds, silent, edge(3, (0, 1))).any()
    only = told_by_shape_alone(chain, edge(3, (1, 2)), kinds, silent, edge(3, (0, 1)))
    assert np.array_equal(only, edge(3, (1, 2)))  # its own direction is in doubt


def test_nothing_follows_through_a_link_in_doubt():
    """0 -> 1 of numbers; 1 -> 2 is in doubt, so that 2 -> 3 does not follow from it, nor 0 -> 2 from a path."""
    kinds = ("continuous", "continuous", "binary", "binary")
    found = by_shape(edge(4, (0, 1), (1, 2), (2, 3)), edge(4, (1, 2)), kinds)
    assert np.array_equal(found, edge(4, (1, 2), (2, 3)))
    path = edge(5, (0, 1), (1, 2), (0, 2), (4, 0))
    found = by_shape(path, edge(5, (1, 2)), (*kinds, "binary"))
    assert found[0, 2]


def test_numbers_of_few_values_tell_no_directions_in_mixed_tables():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=500), rng.integers(0, int(COARSE), 500), rng.integers(0, 40, 500)])
    kinds = ("continuous",) * 3
    assert many_valued(X, kinds).tolist() == [True, False, True]
    assert many_valued(X, ("count", *kinds[1:])).tolist() == [False, False, True]
    assert many_valued(X, ()).all()


def test_mute_edges_are_turned_unless_that_closes_a_cycle_or_is_forbidden():
    graph, none = edge(3, (0, 1), (1, 2)), Constraints.none(3)
    assert np.array_equal(with_turned(graph, edge(3, (0, 1)), none), edge(3, (1, 0), (1, 2)))
    assert with_turned(graph, np.zeros_like(graph), none) is None
    triangle = edge(3, (0, 1), (1, 2), (0, 2))
    assert with_turned(triangle, edge(3, (0, 2)), none) is None
    known = Knowledge(required=[("a", "b")]).resolve(["a", "b", "c"])
    assert with_turned(graph, edge(3, (0, 1)), known) is None
