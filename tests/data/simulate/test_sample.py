"""Ancestral sampling: parents first, one seed a node."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.data.simulate.graphs import FAMILIES
from dagscale.data.simulate.mechanisms import MECHANISMS
from dagscale.data.simulate.noise import NOISES
from dagscale.data.simulate.sample import Model, levels, sample


def model(mechanism=MECHANISMS["linear"], **options):
    return Model(mechanism, NOISES["gaussian"], **options)


def test_a_given_function_is_applied_to_the_parents_and_noise_is_added():
    fork = np.zeros((3, 3), dtype=bool)
    fork[2, [0, 1]] = True
    doubled = model(lambda P, rng, scale: 2 * P[:, 0], noise_variance=0.25)
    X = sample(fork, 20_000, doubled, np.random.SeedSequence(0))
    e = X[:, :2] - 2 * X[:, [2]]
    assert np.cov(np.column_stack([e, X[:, 2]]).T) == pytest.approx(0.25 * np.eye(3), abs=0.01)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(1, 25), st.sampled_from([0, 1, 3]), st.integers(0, 1000))
def test_levels_put_every_node_after_its_parents_and_as_early_as_possible(d, k, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(d)
    adjacency = FAMILIES["ER"](d, k, "exact", rng)[np.ix_(order, order)]
    depth = np.full(d, -1)
    for height, level in enumerate(levels(adjacency)):
        depth[level] = height
    for j in range(d):
        parents = np.flatnonzero(adjacency[:, j])
        assert depth[j] == (depth[parents].max() + 1 if len(parents) else 0)


def test_no_nodes():
    assert sample(np.zeros((0, 0), dtype=bool), 5, model(), np.random.SeedSequence(0)).shape == (5, 0)


def test_a_node_keeps_its_noise_when_another_part_of_the_graph_changes():
    empty = np.zeros((3, 3), dtype=bool)
    edge = empty.copy()
    edge[0, 1] = True
    before, after = (sample(A, 50, model(), np.random.SeedSequence(4)) for A in (empty, edge))
    assert (before[:, [0, 2]] == after[:, [0, 2]]).all()
    assert (before[:, 1] != after[:, 1]).all()
