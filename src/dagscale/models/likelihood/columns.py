"""The columns of a table as likelihoods see them: rounding cells, scales, and every column's own marginal density.

A value that repeats stands for its rounding cell: as a child, a column's equal values are spread evenly over the cell
between the middles to the neighbouring values (in an order drawn once, which knows nothing of the other columns); as
a parent it stays what it is. Scales: as given; log, where all values are positive; normal scores of ranks, the
bijection that makes the marginal normal. All log densities are in the coordinates of the data:

    log p(x_j) = max over scales t of  log p(u) + Σ log t'(x),   u = t(x_j), p normal times a free shape,

one number a column, whatever scale its parents are tried on. `offset` is what a scale's normal density has less.

Columns of other kinds than continuous have probabilities instead (`families.py`), whose reference is theirs. As
parents, codes stay what they are on every scale; counts follow the scale, log(1 + x) being their logarithm.
"""

import zlib
from dataclasses import dataclass, replace

import numpy as np

from dagscale.inputs.kinds import BINARY, CONTINUOUS, COUNT
from dagscale.inputs.ranks import normal_scores
from dagscale.models.likelihood.basis import Basis
from dagscale.models.likelihood.density import shape_evidence
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

FEW = 5.0  # values, each weighed by its frequency (the exponential of their entropy), that are few
MANY = 200  # columns whose functions are not kept (72 kB a column at 1000 rows)
RANK, FINE = (
    10,
    20,
)  # functions of a parent, the constant included: usually, and where effects rise and fall often
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
        Of columns of few values and of codes, the place of each value among them; of counts, the counts; None of
        others.
    kinds : tuple of d str
        As in `Table`, but that a column of two levels is binary; () where all are continuous.
    rank : int
        Functions of a column as a parent, the constant included.
    """

    name: str
    parents: FloatArray
    children: FloatArray
    offset: FloatArray
    shape: FloatArray
    cell: FloatArray
    levels: tuple[IntArray | None, ...] = ()
    kinds: tuple[str, ...] = ()
    rank: int = RANK

    def kind(self, j: int) -> str:
        """Return the kind of column j."""
        return self.kinds[j] if self.kinds else CONTINUOUS

    @property
    def basis(self) -> Basis:
        """Functions of the columns as parents; they are made once, unless there are many columns."""
        found: Basis = self.__dict__.get("_basis") or Basis.of(self.parents, self.rank, self.kinds)
        if self.parents.shape[1] <= MANY:
            self.__dict__["_basis"] = found
        return found

    def of_rank(self, rank: int) -> "Scale":
        """Return this scale with so many functions of every parent."""
        return self if rank == self.rank else replace(self, rank=rank)

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

        return replace(
            self, name=name, children=pick(self.children, other.children), offset=pick(self.offset, other.offset),
            shape=pick(self.shape, other.shape), cell=pick(self.cell, other.cell),
        )  # fmt: skip

    def shared(self, other: "Scale") -> BoolArray:
        """Columns (d,) of which another scale of the same parents tells the same."""
        if other.parents is not self.parents or other.rank != self.rank:
            return np.zeros(len(self.offset), dtype=bool)
        return np.asarray((self.children == other.children).all(axis=0) & (self.offset == other.offset))

    @property
    def rounded(self) -> BoolArray:
        """Columns of numbers (d,) with values that repeat, which stand for rounding cells."""
        numbers = [level is None for level in self.levels]
        return np.asarray((self.cell > 0) & np.array(numbers, dtype=bool))

    def filled(self) -> "Scale":
        """Return this scale with rounding cells filled in parents, too: a column has the same values in both roles."""
        return replace(self, parents=np.where(self.rounded, self.children, self.parents))

    def with_parents(self, values: FloatArray) -> "Scale":
        """Return this scale with further columns of numbers (n, k), which are parents only."""
        none = np.zeros(values.shape[1])
        return replace(
            self,
            parents=np.hstack([self.parents, values]), children=np.hstack([self.children, values]),
            offset=np.append(self.offset, none), shape=np.append(self.shape, none),
            cell=np.append(self.cell, none), levels=(*self.levels, *(None for _ in none)),
            kinds=(*self.kinds, *(CONTINUOUS for _ in none)) if self.kinds else (),
        )  # fmt: skip


def scales_of(X: FloatArray, kinds: tuple[str, ...] = ()) -> list[Scale]:
    """Return the scales a table (n, d) can be taken on, as given first, with one reference marginal a column.

    The log scale has the logarithms of the columns that are positive and not of few values, and of counts; the others
    as given. Columns of `kinds` other than continuous hold codes or counts.
    """
    kinds, codes = _resolved(X, kinds)
    discrete = np.array([level is not None for level in codes])
    counts = np.array([kind == COUNT for kind in kinds], dtype=bool) if kinds else np.zeros_like(discrete)
    raw = X
    deviation = X.std(axis=0)
    X = X / np.where(deviation > 0, deviation, 1.0)
    filled = np.stack([x if own else fill_cells(x) for x, own in zip(X.T, discrete, strict=True)], axis=1)
    levels = tuple(few_levels(x) if own is None else own for x, own in zip(X.T, codes, strict=True))
    own = np.where(discrete, 0.0, _normal_nats(filled))
    shape = np.where(discrete, 0.0, shape_evidence(filled.T))
    data = _centred("data", X, filled, own, shape, levels, kinds)
    positive: BoolArray = np.all((X > 0) & (filled > 0), axis=0) & [level is None for level in levels]
    found, best = [data], own + shape
    if positive.any():
        u, filled_u = (np.where(positive, np.log(np.where(positive, V, 1.0)), V) for V in (X, filled))
        nats = np.where(positive, _normal_nats(filled_u) - filled_u.sum(axis=0), own)
        log_shape = np.where(discrete, 0.0, shape_evidence(filled_u.T))
        u[:, counts] = np.log1p(raw[:, counts])
        found.append(_centred("log", u, filled_u, nats, log_shape, levels, kinds))
        best = np.maximum(best, nats + log_shape)
    found = [replace(scale, offset=scale.offset - best) for scale in found]
    scores, as_parents = (np.apply_along_axis(normal_scores, 0, V) for V in (filled, X))
    as_parents = np.where(discrete & ~counts, X, as_parents)
    none = np.zeros(X.shape[1])  # their own marginal is normal by construction: its density is the reference
    return [*found, _centred("scores", as_parents, scores, none, none, levels, kinds)]


def _resolved(X: FloatArray, kinds: tuple[str, ...]) -> tuple[tuple[str, ...], list[IntArray | None]]:
    """Return the kinds, () if all are continuous, and the codes 0, 1 ... that occur, or counts, of the others."""
    codes: list[IntArray | None] = [None] * X.shape[1]
    if all(kind == CONTINUOUS for kind in kinds):
        return (), codes
    found = list(kinds)
    for j, kind in enumerate(kinds):
        if kind == COUNT:
            codes[j] = X[:, j].astype(np.intp)
        elif kind != CONTINUOUS:
            values, codes[j] = np.unique(X[:, j], return_inverse=True)
            found[j] = BINARY if len(values) <= 2 else kind
    return tuple(found), codes


def _centred(
    name: str, parents: FloatArray, children: FloatArray, nats: FloatArray, shape: FloatArray,
    levels: tuple[IntArray | None, ...], kinds: tuple[str, ...],
) -> Scale:  # fmt: skip
    rounding = np.mean((children - parents) ** 2, axis=0)
    rounding[[j for j, kind in enumerate(kinds) if kind != CONTINUOUS]] = 0.0
    return Scale(name, parents, children - children.mean(axis=0), nats, shape, rounding, levels, kinds)


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
