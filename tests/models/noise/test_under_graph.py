"""Noise that is not normal: its shape is seen under the graph, and normal noise has none."""

import numpy as np
import pytest

import dagscale
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.noise.under_graph import negentropy_under
from dagscale.models.splines import SplineTable


def made(noise):
    return dagscale.simulate(nodes=6, samples=500, noise=noise, standardize=True, random_state=1000)


@pytest.mark.parametrize("noise", ["laplace", "gumbel", "uniform"])
def test_noise_of_another_shape_counts(noise):
    drawn = made(noise)
    assert negentropy_under(SplineTable.of(drawn.table.to_numpy()), drawn.adjacency) > SETTINGS.shaped


def test_normal_noise_has_no_shape_that_counts():
    drawn = made("gaussian")
    table = SplineTable.of(drawn.table.to_numpy())
    assert negentropy_under(table, drawn.adjacency) < SETTINGS.shaped
    assert negentropy_under(table, np.zeros_like(drawn.adjacency)) == 0.0


def test_units_do_not_matter_and_many_rows_and_children_are_sampled():
    drawn = made("laplace")
    X, graph = drawn.table.to_numpy(), drawn.adjacency
    shape = negentropy_under(SplineTable.of(X), graph)
    assert negentropy_under(SplineTable.of(X * 7.0 + 3.0), graph) == pytest.approx(shape, abs=1e-6)
    child = int(np.flatnonzero(graph.any(axis=0))[0])
    parents = np.flatnonzero(graph[:, child])
    wide = np.hstack([X[:, parents], np.tile(X[:, [child]], 400)])
    star = np.zeros((wide.shape[1],) * 2, dtype=bool)
    star[: len(parents), len(parents) :] = True
    alone = np.zeros((len(parents) + 1,) * 2, dtype=bool)
    alone[:-1, -1] = True
    few = negentropy_under(SplineTable.of(wide[:, : len(parents) + 1]), alone)
    assert 0.0 <= negentropy_under(SplineTable.of(wide), star) - few < 0.01
