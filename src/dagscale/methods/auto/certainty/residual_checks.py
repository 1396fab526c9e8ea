"""What noise says of a graph: whether it still depends on parents, on other columns' noise, or on the row before."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dagscale.methods.auto.search.objective import item_of
from dagscale.models.dependence import Dependence, dependence, waves
from dagscale.models.gain import Item, Likelihood
from dagscale.models.likelihood.rows_gain import rows_of
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

FEWEST = 30  # rows that a test needs
LEVEL = 0.01  # chance of one false alarm among all pairs of a table whose model is right


class Residuals(NamedTuple):
    """Dependence that the model of a graph leaves; sizes are like correlations, p-values of one test each.

    Attributes
    ----------
    forward : Dependence
        (d, d): the noise of each child on each of its parents [parent, child]; size 0 and p 1 elsewhere.
    backward : Dependence
        The same with the edge turned: the noise of the parent, given its parents and the child, on the child.
    between : Dependence
        The noise of every two columns, in the rows that tell of both; size 0 and p 1 where these are too few.
    refitted : (d, d) bool array
        Of every edge, whether no other model takes the dependence away, in both directions, where both had some.
    serial : (d,) float array
        Correlation of a column's noise with that of the row before.
    rows : int
    """

    forward: Dependence
    backward: Dependence
    between: Dependence
    refitted: BoolArray
    serial: FloatArray
    rows: int

    @property
    def follows(self) -> float:
        """Mean absolute correlation of noise with that of the row before, beyond chance."""
        n = self.rows
        return (
            float(np.maximum(np.abs(self.serial) - 1.0 / np.sqrt(n), 0.0).mean()) if len(self.serial) else 0.0
        )


def residual_checks(
    X: FloatArray,
    graph: BoolArray,
    gain: Likelihood,
    n_jobs: int | None = 1,
    others: Sequence[Likelihood] = (),
) -> Residuals:
    """Test the noise of a graph's items, and of those with one edge turned; `others` are models to fit anew by."""
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
    rows = [rows_of(gain, j, len(X)) for j in range(d)]
    least = alarm_level(d)
    refitted = graph & (forward.p_values < least) & (backward.p_values < least)
    for k, (i, j) in enumerate(edges):
        if refitted[i, j]:
            refitted[i, j] = all(_stays(X, own[j], turned[k], i, other, least) for other in others)
    noise = np.nan_to_num(noise)
    return Residuals(
        forward, backward, _between(noise, rows), np.asarray(refitted), _serial(X, noise, rows), len(X)
    )


def alarm_level(d: int) -> float:
    """Level of one test, all pairs of d columns corrected together (Bonferroni)."""
    return LEVEL / max(d * (d - 1) // 2, 1)


def _stays(X: FloatArray, item: Item, turned: Item, i: int, gain: Likelihood, least: float) -> bool:
    """Say whether the noise of a child depends on its parent i, and that of the parent on the child, by a model."""
    ahead = _tested(X[:, i], own_noise(X, item, gain))[1]
    return ahead < least and _tested(X[:, item[0]], own_noise(X, turned, gain))[1] < least


def _between(noise: FloatArray, rows: list[IntArray]) -> Dependence:
    """Test the noise (n, d) of every two columns in the rows that tell of both."""
    d = noise.shape[1]
    found = Dependence(np.zeros((d, d)), np.ones((d, d)))
    sets = {own.tobytes(): own for own in rows}
    columns = {key: np.array([j for j in range(d) if rows[j].tobytes() == key]) for key in sets}
    for a in sets:
        for b in sets:
            both = np.intersect1d(sets[a], sets[b])
            if len(both) >= FEWEST:
                one, other = (waves(noise[np.ix_(both, columns[key])]) for key in (a, b))
                tested, place = dependence(one, other), np.ix_(columns[a], columns[b])
                found.size[place], found.p_values[place] = tested.size, tested.p_values
    return found


def own_noise(X: FloatArray, item: Item, gain: Likelihood) -> FloatArray:
    """Noise of an item over its spread (n,), the column itself without parents; NaN where there is none to test."""
    return gain.noise(item) if item[1] else X[:, item[0]]


def _tested(x: FloatArray, noise: FloatArray) -> tuple[float, float]:
    """Effect size and p-value of the dependence of noise (n,) on a column, in the rows that have noise."""
    told = np.isfinite(noise)
    if told.sum() < FEWEST:
        return 0.0, 1.0
    one = dependence(waves(x[told, None]), waves(noise[told, None]))
    return float(one.size[0, 0]), float(one.p_values[0, 0])


def _serial(X: FloatArray, noise: FloatArray, rows: list[IntArray]) -> FloatArray:
    """Rank correlation of each column's noise (n, d) with that one row before (d,), in the rows that tell of it.

    0 for a column that the rows are sorted by: they may have been independent before that.
    """
    found = np.zeros(len(rows))
    for j, own in enumerate(rows):
        steps = np.diff(X[own, j])
        if (steps >= 0).all() or (steps <= 0).all():
            continue
        ranks = np.argsort(np.argsort(noise[own, j], kind="stable")).astype(np.float64)
        ranks -= ranks.mean()
        found[j] = (ranks[1:] * ranks[:-1]).sum() / max((ranks**2).sum(), 1e-300)
    return found
