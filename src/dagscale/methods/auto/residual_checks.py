"""What noise says of a graph: whether it still depends on parents, on other columns' noise, or on the row before."""

from typing import NamedTuple

import numpy as np

from dagscale.methods.auto.objective import item_of
from dagscale.models.dependence import Dependence, dependence, waves
from dagscale.models.gain import Likelihood
from dagscale.runtime.types import BoolArray, FloatArray


class Residuals(NamedTuple):
    """Dependence that the model of a graph leaves; sizes are like correlations, p-values of one test each.

    Attributes
    ----------
    forward : Dependence
        (d, d): the noise of each child on each of its parents [parent, child]; size 0 and p 1 elsewhere.
    backward : Dependence
        The same with the edge turned: the noise of the parent, given its parents and the child, on the child.
    between : Dependence
        The noise of every two columns.
    serial : (d,) float array
        Correlation of a column's noise with that of the row before.
    """

    forward: Dependence
    backward: Dependence
    between: Dependence
    serial: FloatArray


def residual_checks(X: FloatArray, graph: BoolArray, gain: Likelihood) -> Residuals:
    """Test the noise of a graph's items, and of those with one edge turned."""
    d = len(graph)
    noise = np.stack([own_noise(X, item_of(graph, j), gain) for j in range(d)], axis=1)
    columns, noises = waves(X), waves(noise)
    everything = dependence(columns, noises)
    forward = Dependence(np.where(graph, everything.size, 0.0), np.where(graph, everything.p_values, 1.0))
    backward = Dependence(np.zeros((d, d)), np.ones((d, d)))
    for i, j in np.argwhere(graph).tolist():
        turned = (i, tuple(sorted((*item_of(graph, i)[1], j))))
        one = dependence(columns[:, :, [j]], waves(own_noise(X, turned, gain)[:, None]))
        backward.size[i, j], backward.p_values[i, j] = one.size[0, 0], one.p_values[0, 0]
    return Residuals(forward, backward, dependence(noises, noises), _serial(noise))


def own_noise(X: FloatArray, item: tuple[int, tuple[int, ...]], gain: Likelihood) -> FloatArray:
    """Noise of an item over its spread (n,): the column itself without parents; 0 where there is none to test."""
    if not item[1]:
        return X[:, item[0]]
    noise = gain.noise(item)
    return noise if np.isfinite(noise).all() else np.zeros(len(X))


def _serial(noise: FloatArray) -> FloatArray:
    """Rank correlation of each column with itself one row before (d,)."""
    ranks = np.argsort(np.argsort(noise, axis=0, kind="stable"), axis=0).astype(np.float64)
    ranks -= ranks.mean(axis=0)
    total = np.maximum((ranks**2).sum(axis=0), 1e-300)
    return np.asarray((ranks[1:] * ranks[:-1]).sum(axis=0) / total)
