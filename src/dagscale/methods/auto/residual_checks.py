"""What noise says of a graph: whether it still depends on parents, on other columns' noise, or on the row before."""

from typing import NamedTuple

import numpy as np

from dagscale.methods.auto.objective import item_of
from dagscale.models.dependence import Dependence, dependence, waves
from dagscale.models.gain import Likelihood
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray

FEWEST = 30  # rows that a test needs


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
    rows : int
    """

    forward: Dependence
    backward: Dependence
    between: Dependence
    serial: FloatArray
    rows: int

    @property
    def follows(self) -> float:
        """Mean absolute correlation of noise with that of the row before, beyond chance."""
        n = self.rows
        return (
            float(np.maximum(np.abs(self.serial) - 1.0 / np.sqrt(n), 0.0).mean()) if len(self.serial) else 0.0
        )


def residual_checks(X: FloatArray, graph: BoolArray, gain: Likelihood, n_jobs: int | None = 1) -> Residuals:
    """Test the noise of a graph's items, and of those with one edge turned."""
    d = len(graph)
    edges = np.argwhere(graph).tolist()
    own = [item_of(graph, j) for j in range(d)]
    turned = [(i, tuple(sorted((*own[i][1], j)))) for i, j in edges]
    gain(turned)  # all at once
    noises = parallel_map(lambda item: own_noise(X, item, gain), [*own, *turned], n_jobs, local=True)
    noise = np.stack(noises[:d], axis=1)
    forward = Dependence(np.zeros((d, d)), np.ones((d, d)))
    backward = Dependence(np.zeros((d, d)), np.ones((d, d)))
    for (i, j), back in zip(edges, noises[d:], strict=True):
        for found, column, left in ((forward, i, noise[:, j]), (backward, j, back)):
            found.size[i, j], found.p_values[i, j] = _tested(X[:, column], left)
    of_noise = waves(np.nan_to_num(noise))
    return Residuals(forward, backward, dependence(of_noise, of_noise), _serial(np.nan_to_num(noise)), len(X))


def own_noise(X: FloatArray, item: tuple[int, tuple[int, ...]], gain: Likelihood) -> FloatArray:
    """Noise of an item over its spread (n,), the column itself without parents; NaN where there is none to test."""
    return gain.noise(item) if item[1] else X[:, item[0]]


def _tested(x: FloatArray, noise: FloatArray) -> tuple[float, float]:
    """Effect size and p-value of the dependence of noise (n,) on a column, in the rows that have noise."""
    told = np.isfinite(noise)
    if told.sum() < FEWEST:
        return 0.0, 1.0
    one = dependence(waves(x[told, None]), waves(noise[told, None]))
    return float(one.size[0, 0]), float(one.p_values[0, 0])


def _serial(noise: FloatArray) -> FloatArray:
    """Rank correlation of each column with itself one row before (d,)."""
    ranks = np.argsort(np.argsort(noise, axis=0, kind="stable"), axis=0).astype(np.float64)
    ranks -= ranks.mean(axis=0)
    total = np.maximum((ranks**2).sum(axis=0), 1e-300)
    return np.asarray((ranks[1:] * ranks[:-1]).sum(axis=0) / total)
