"""Rows per child: the likelihood of a table in some of whose rows columns were set, or had another mechanism.

    gain(j, S) = log p(x_j | S) - log p(x_j)   over the rows in which j followed its own mechanism.

A row in which j was set says nothing of j's mechanism: its term is left out, and only its. So the likelihood is put
together from one on each distinct set of rows, shared by the children that have these rows; every child's marginal
is over its own rows too, so that S(G) stays one currency.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscale.inputs.kinds import COUNT
from dagscale.models.gain import Item, parents_item
from dagscale.models.likelihood.columns import Scale, scales_of
from dagscale.models.likelihood.density import log_density
from dagscale.models.likelihood.joint_gain import JointGain
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

LENGTHS = (0.7, 1.0, 1.5, 2.5, 4.0)  # of interactions: standard deviations of the parents
UNIT_BY_UNIT = 2.5  # times as far apart: counts whose effect changes from one to the next
ASKED = 60  # children, at most, that tell the length scale of a table


@dataclass(frozen=True)
class RowsScale:
    """A table on one scale, for every child on its own rows.

    Attributes
    ----------
    whole : Scale
        Of all rows.
    parts : tuple of Scale
        Of each set of rows.
    rows : tuple of int arrays
        The sets.
    part_of : (d,) int array
        Which set a child has.
    """

    whole: Scale
    parts: tuple[Scale, ...]
    rows: tuple[IntArray, ...]
    part_of: IntArray

    @property
    def name(self) -> str:
        """The scale's name, that of all of its parts."""
        return self.whole.name

    @property
    def children(self) -> FloatArray:
        """Values of all rows as children (n, d)."""
        return self.whole.children

    @property
    def cell(self) -> FloatArray:
        """Variance of rounding of every child (d,)."""
        return np.array([self.parts[k].cell[j] for j, k in enumerate(self.part_of)])

    @property
    def levels(self) -> tuple[IntArray | None, ...]:
        """Of children of few values, the place of each value among them."""
        return tuple(self.parts[k].levels[j] for j, k in enumerate(self.part_of))

    @property
    def own_rows(self) -> list[IntArray]:
        """The rows of every child."""
        return [self.rows[k] for k in self.part_of]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The columns' kinds."""
        return self.whole.kinds

    def kind(self, j: int) -> str:
        """Return the kind of column j."""
        return self.whole.kind(j)

    @property
    def rank(self) -> int:
        """Functions of a column as a parent."""
        return self.whole.rank

    def of_rank(self, rank: int) -> "RowsScale":
        """Return this scale with so many functions of every parent."""
        parts = tuple(part.of_rank(rank) for part in self.parts)
        return replace(self, whole=self.whole.of_rank(rank), parts=parts)

    def with_children(self, other: "RowsScale", columns: BoolArray) -> "RowsScale":
        """Return this scale with some columns (d,) on another as children."""
        parts = tuple(a.with_children(b, columns) for a, b in zip(self.parts, other.parts, strict=True))
        return replace(self, whole=self.whole.with_children(other.whole, columns), parts=parts)

    @property
    def rounded(self) -> BoolArray:
        """Columns of numbers (d,) with values that repeat, in any set of rows."""
        return np.asarray(np.any([part.rounded for part in self.parts], axis=0))

    def filled(self) -> "RowsScale":
        """Return this scale with rounding cells filled in parents, too."""
        return replace(self, whole=self.whole.filled(), parts=tuple(part.filled() for part in self.parts))


def rows_scales(X: FloatArray, left_out: BoolArray, kinds: tuple[str, ...] = ()) -> list[RowsScale]:
    """Return the scales a table (n, d) can be taken on where cells of `left_out` (n, d) tell nothing of their column.

    The log scale is offered where every set of rows has it.
    """
    sets, part_of = np.unique(left_out.T, axis=0, return_inverse=True)
    rows = tuple(np.flatnonzero(~one) for one in sets)
    whole = {scale.name: scale for scale in scales_of(X, kinds)}
    parts = [{scale.name: scale for scale in scales_of(X[own], kinds)} for own in rows]
    shared = [name for name in whole if all(name in part for part in parts)]
    return [
        RowsScale(whole[name], tuple(part[name] for part in parts), rows, part_of.reshape(-1))
        for name in shared
    ]


class RowsGain:
    """A likelihood put together from one on every set of rows; each item is asked of its child's.

    Parameters
    ----------
    parts : list of SplineGain or JointGain
    scale : RowsScale
    """

    def __init__(self, parts: Sequence[Any], scale: RowsScale) -> None:
        self.parts, self.scale = list(parts), scale
        self.n = len(scale.children)
        self.told: dict[Item, Any] = _Told(self)

    @property
    def length(self) -> float:
        """The length scale of interactions."""
        return float(self.parts[0].length)

    def with_uneven(self) -> "RowsGain":
        """Return the same with a spread that follows the parents in competition."""
        return RowsGain([part.with_uneven() for part in self.parts], self.scale)

    def beside(self, additive: "RowsGain") -> "RowsGain":
        """Return the same processes beside other curves."""
        pairs = zip(self.parts, additive.parts, strict=True)
        return RowsGain([part.beside(own) for part, own in pairs], additive.scale)

    def on(self, scale: RowsScale) -> "RowsGain":
        """Return the same likelihood on another scale."""
        return RowsGain([part.on(own) for part, own in zip(self.parts, scale.parts, strict=True)], scale)

    def part(self, child: int) -> Any:
        """The likelihood on a child's rows."""
        return self.parts[self.scale.part_of[child]]

    def rows(self, child: int) -> IntArray:
        """The rows that tell of a child's mechanism."""
        rows: IntArray = self.scale.rows[self.scale.part_of[child]]
        return rows

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        which = self.scale.part_of[[j for j, _ in items]]
        nats = np.empty(len(items))
        for k in np.unique(which):
            own = np.flatnonzero(which == k)
            nats[own] = self.parts[k]([items[place] for place in own.tolist()])
        return nats

    def noise(self, item: Item) -> FloatArray:
        """Noise of an item over its spread (n,).

        Rows that tell nothing of the child have the noise of others, drawn at random: it is distributed as the
        child's, and depends on nothing.
        """
        return self.filled(self.part(item[0]).noise(item), item[0])

    def row_nats(self, items: Sequence[Item], n_jobs: int | None = 1) -> FloatArray:
        """Log densities of items row by row (k, n), as in `row_nats`; 0 in rows that tell nothing of the child."""
        found, which = np.zeros((len(items), self.n)), self.scale.part_of[[j for j, _ in items]]
        for part in np.unique(which).tolist():
            own = np.flatnonzero(which == part)
            told = row_nats(self.parts[part], [items[k] for k in own.tolist()], n_jobs)
            found[np.ix_(own, self.scale.rows[part])] = told
        return found

    def filled(self, values: FloatArray, child: int) -> FloatArray:
        """Spread values of a child's own rows over all rows (n,), the others drawn from them at random."""
        own = self.rows(child)
        drawn = np.random.default_rng(0).permutation(len(own))
        found = np.resize(values[drawn], self.n)
        found[own] = values
        return found


class _Told(dict[Item, Any]):
    """What was found of items, looked up where it was found."""

    def __init__(self, gain: RowsGain) -> None:
        super().__init__()
        self.gain = gain

    def __missing__(self, item: Item) -> Any:
        return self.gain.part(item[0]).told[item]


def row_nats(gain: Any, items: Sequence[Item], n_jobs: int | None = 1) -> FloatArray:
    """Log densities of children given their parents, row by row (k, n), each up to a constant of the child's."""
    if isinstance(gain, RowsGain):
        return gain.row_nats(items, n_jobs)
    found: FloatArray = np.zeros((len(items), gain.n))
    numbers = [k for k, (j, _) in enumerate(items) if gain.scale.levels[j] is None]
    for k in set(range(len(items))) - set(numbers):
        found[k] = gain.log_probability(items[k])
    if numbers:
        told = parallel_map(gain.noise_and_spread, [items[k] for k in numbers], n_jobs, local=True)
        noise, log_spread = (np.stack(one) for one in zip(*told, strict=True))
        found[numbers] = log_density(noise) - log_spread
    return found


def rows_of(gain: Any, child: int, n: int) -> IntArray:
    """Rows (of n) that tell of a column's mechanism: not those that show a draw again, or in which it was set."""
    return gain.rows(child) if isinstance(gain, RowsGain) else np.arange(n)


def whole(scale: Any) -> Scale:
    """Return the scale of all rows, be it one for all rows or one for every child's."""
    return scale.whole if isinstance(scale, RowsScale) else scale


def spline_gain(scale: Any, uneven: bool = False, n_jobs: int | None = 1) -> Any:
    """Return additive splines on a scale, be it one for all rows or one for every child's."""
    if not isinstance(scale, RowsScale):
        return SplineGain(scale, uneven, n_jobs=n_jobs)
    return RowsGain([SplineGain(part, uneven, n_jobs=n_jobs) for part in scale.parts], scale)


def joint_gain(additive: Any, length: float, counts: float = 1.0) -> Any:
    """Return the same with interactions; length and counts as of `JointGain`."""
    if not isinstance(additive, RowsGain):
        return JointGain(additive, length, counts)
    return RowsGain([JointGain(part, length, counts) for part in additive.parts], additive.scale)


def best_length(additive: Any, graph: BoolArray) -> Any:
    """Return the gain with the ℓ, and the unit of counts, that tell most of the children of a graph."""
    items = [parents_item(graph, j) for j in np.flatnonzero(graph.sum(axis=0) > 1).tolist()]
    items = [items[k] for k in np.unique(np.linspace(0, len(items) - 1, ASKED).astype(int))] if items else []
    tried = [joint_gain(additive, length) for length in LENGTHS]
    if not items:
        return tried[1]
    best = max(tried, key=lambda gain: float(gain(items).sum()))
    counted = {j for j, kind in enumerate(additive.scale.kinds) if kind == COUNT}
    if not any(counted & set(parents) for _, parents in items):
        return best
    finer = joint_gain(additive, best.length, counts=UNIT_BY_UNIT)
    return max((best, finer), key=lambda gain: float(gain(items).sum()))
