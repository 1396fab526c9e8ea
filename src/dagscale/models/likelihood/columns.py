"""The columns of a table as likelihoods see them: rounding cells, scales, and every column's own marginal density.

A value that repeats stands for its rounding cell: as a child, a column's equal values are spread evenly over the cell
between the middles to the neighbouring values (in an order drawn once, which knows nothing of the other columns); as
a parent it stays what it is. Scales: as given; log, where all values are positive; normal scores of ranks, the
bijection that makes the marginal normal. All log densities are in the coordinates of the data:

    log p(x_j) = max over scales t of  log p(u) + Σ log t'(x),   u = t(x_j), p normal times a free shape,

one number a column, whatever scale its parents are tried on. `offset` is what a scale's normal density has less.
"""

import zlib
from dataclasses import dataclass, replace

import numpy as np

from dagscale.inputs.ranks import normal_scores
from dagscale.models.likelihood.density import shape_evidence
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

FEW = 5.0  # values, each weighed by its frequency (the exponential of their entropy), that are few
SPIKE = 0.02  # interquartile ranges: the least width of the cell of a value that repeats


@dataclass(frozen=True)
class Scale:
    """A table on one scale.

    Attributes
    ----------
    name : str
        "data", "log" or "scores".
    parents : (n, d) float array
        Values as parents.
    children : (n, d) float array
        Values as children, centred, rounding cells filled.
    offset : (d,) float array
        Nats of the normal density of a column on this scale over the column's own marginal of free shape.
    shape : (d,) float array
        Nats that a free shape adds to it.
    cell : (d,) float array
        Variance of rounding within a cell, on this scale.
    levels : tuple of (n,) int array or None
        Of columns of few values, the place of each value among them; None of others.
    """

    name: str
    parents: FloatArray
    children: FloatArray
    offset: FloatArray
    shape: FloatArray
    cell: FloatArray
    levels: tuple[IntArray | None, ...] = ()

    def with_children(self, other: "Scale", columns: BoolArray) -> "Scale":
        """Return this scale with some columns (d,) on another as children; as parents they stay."""
        name = (
            self.name
            if not columns.any()
            else other.name
            if columns.all()
            else f"{self.name}, some children {other.name}"
        )

        def pick(one: FloatArray, two: FloatArray) -> FloatArray:
            return np.asarray(np.where(columns, two, one))

        return Scale(
            name, self.parents, pick(self.children, other.children), pick(self.offset, other.offset),
            pick(self.shape, other.shape), pick(self.cell, other.cell),
            self.levels,
        )  # fmt: skip


def scales_of(X: FloatArray) -> list[Scale]:
    """Return the scales a table (n, d) can be taken on, as given first, with one reference marginal a column.

    The log scale has the logarithms of the columns that are positive and not of few values, the others as given.
    """
    deviation = X.std(axis=0)
    X = X / np.where(deviation > 0, deviation, 1.0)
    filled = np.stack([fill_cells(x) for x in X.T], axis=1)
    levels = tuple(few_levels(x) for x in X.T)
    own = _normal_nats(filled)
    shape = shape_evidence(filled.T)
    data = _centred("data", X, filled, own, shape, levels)
    positive: BoolArray = np.all((X > 0) & (filled > 0), axis=0) & [level is None for level in levels]
    found, best = [data], own + shape
    if positive.any():
        u, filled_u = (np.where(positive, np.log(np.where(positive, V, 1.0)), V) for V in (X, filled))
        nats = np.where(positive, _normal_nats(filled_u) - filled_u.sum(axis=0), own)
        log_shape = shape_evidence(filled_u.T)
        found.append(_centred("log", u, filled_u, nats, log_shape, levels))
        best = np.maximum(best, nats + log_shape)
    found = [replace(scale, offset=scale.offset - best) for scale in found]
    scores, as_parents = (np.apply_along_axis(normal_scores, 0, V) for V in (filled, X))
    none = np.zeros(X.shape[1])  # their own marginal is normal by construction: its density is the reference
    return [*found, _centred("scores", as_parents, scores, none, none, levels)]


def _centred(
    name: str, parents: FloatArray, children: FloatArray, nats: FloatArray, shape: FloatArray,
    levels: tuple[IntArray | None, ...],
) -> Scale:  # fmt: skip
    rounding = np.mean((children - parents) ** 2, axis=0)
    return Scale(name, parents, children - children.mean(axis=0), nats, shape, rounding, levels)


def _normal_nats(U: FloatArray) -> FloatArray:
    """Log likelihood of columns (n, d) under their own normal density, the same constant left out of all, (d,)."""
    nats: FloatArray = -0.5 * len(U) * np.log(np.maximum(U.var(axis=0), 1e-300))
    return nats


def few_levels(x: FloatArray) -> IntArray | None:
    """Return the place of every value of x (n,) among its values, if they are few; None if not."""
    values, where, count = np.unique(x, return_inverse=True, return_counts=True)
    share = count / len(x)
    return where if len(values) > 1 and np.exp(-(share * np.log(share)).sum()) <= FEW else None


def fill_cells(x: FloatArray) -> FloatArray:
    """Spread values of x (n,) that repeat evenly over their rounding cells."""
    values, where, count = np.unique(x, return_inverse=True, return_counts=True)
    if len(values) < 2 or count.max() == 1:
        return x.copy()
    gap = np.diff(values)
    least = SPIKE * (np.quantile(x, 0.75) - np.quantile(x, 0.25))
    below, above = np.append(gap[0], gap) / 2.0, np.append(gap, gap[-1]) / 2.0
    widest = 2.0 * np.median(gap)  # a value alone far out is rounded as the others are
    below, above = np.minimum(below, widest), np.minimum(above, widest)
    short = np.maximum(least - below - above, 0.0) / 2.0
    below, above = below + short, above + short
    rng = np.random.default_rng(zlib.crc32(where.astype(np.int32).tobytes()))
    order = np.lexsort((rng.random(len(x)), where))
    first = np.cumsum(count) - count
    place = np.empty(len(x))
    place[order] = np.arange(len(x)) - first[where[order]]
    share = (place + 0.5) / count[where]
    return np.where(count[where] > 1, x - below[where] + share * (below + above)[where], x)
