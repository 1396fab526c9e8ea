"""Noise whose spread follows the level: found where it is, and only there."""

import numpy as np
import pytest

import dagscale
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.noise.under_graph import noise_under
from dagscale.models.splines import SplineTable

UNEVEN, EVEN = 0.2, 0.1  # effect sizes


def uneven_noise(table, graph):
    return noise_under(table, graph).uneven


def pair(spread, n=1000, seed=1000):
    """x and a child whose noise is `spread` of the level, or of one size if that is 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    level = np.exp(0.5 * x)
    noise = rng.normal(size=n) * (spread * level if spread else 0.5)
    return np.column_stack([x, level + noise]), np.array([[False, True], [False, False]])


def test_noise_in_proportion_to_the_level_is_uneven():
    X, graph = pair(0.5)
    assert uneven_noise(SplineTable.of(X), graph) > 0.3
    X, graph = pair(0.0)
    assert uneven_noise(SplineTable.of(X), graph) < EVEN
    assert uneven_noise(SplineTable.of(X), np.zeros((2, 2), dtype=bool)) == 0.0


def test_units_do_not_matter_and_many_rows_and_children_are_sampled():
    X, graph = pair(0.5, n=5000)
    uneven = uneven_noise(SplineTable.of(X), graph)
    assert uneven_noise(SplineTable.of(X * [7.0, 0.01] + 3.0), graph) == pytest.approx(uneven, abs=1e-6)
    X, graph = pair(0.5, n=200)
    wide = np.hstack([X[:, :1], np.tile(X[:, 1:], 400)])
    star = np.zeros((401, 401), dtype=bool)
    star[0, 1:] = True
    assert uneven_noise(SplineTable.of(wide), star) == pytest.approx(uneven_noise(SplineTable.of(X), graph))


@pytest.mark.parametrize("mechanism", ["gp", "mlp", "polynomial", "sigmoid-additive"])
@pytest.mark.parametrize("noise", ["gaussian", "laplace", "gumbel", "uniform"])
def test_additive_noise_of_any_kind_is_even_also_where_parents_are_missed(mechanism, noise):
    made = dagscale.simulate(
        nodes=12, edges_per_node=3, samples=500, mechanism=mechanism, noise=noise,
        standardize=True, random_state=1000,
    )  # fmt: skip
    X = made.table.to_numpy()
    rng = np.random.default_rng(1000)
    for graph in (made.adjacency, made.adjacency & (rng.random(made.adjacency.shape) < 0.5)):
        assert uneven_noise(SplineTable.of(X), graph) < UNEVEN


def test_normal_noise_has_no_shape_that_counts():
    made = dagscale.simulate(nodes=6, samples=300, standardize=True, random_state=1000)
    assert noise_under(SplineTable.of(made.table.to_numpy()), made.adjacency).negentropy < SETTINGS.shaped
