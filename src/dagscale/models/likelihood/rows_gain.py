"""Rows per child: the likelihood of a table in some of whose rows columns were set, or had another mechanism.

    gain(j, S) = log p(x_j | S) - log p(x_j)   over the rows in which j followed its own mechanism.

A row in which j was set says nothing of j's mechanism: its term is left out, and only its. So the likelihood is put
together from one on each distinct set of rows, shared by the children that have these rows; every child's marginal
is over its own rows too, so that S(G) stays one currency.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscale.inputs.kinds import COUNT
from dagscale.models.gain import Item
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.joint_gain import LENGTHS, UNIT_BY_UNIT, JointGain
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

ScalesOf = Callable[[FloatArray], list[Scale]]


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
    def kinds(self) -> tuple[str, ...]:
        """The columns' kinds, () if all are continuous."""
        return self.whole.kinds

    def kind(self, j: int) -> str:
        """A column's kind."""
        return self.whole.kind(j)

    @property
    def own_rows(self) -> list[IntArray]:
        """The rows of every child."""
        return [self.rows[k] for k in self.part_of]

    def with_children(self, other: "RowsScale", columns: BoolArray) -> "RowsScale":
        """Return this scale with some columns (d,) on another as children."""
        parts = tuple(a.with_children(b, columns) for a, b in zip(self.parts, other.parts, strict=True))
        return RowsScale(self.whole.with_children(other.whole, columns), parts, self.rows, self.part_of)


def rows_scales(X: FloatArray, left_out: BoolArray, scales_of: ScalesOf) -> list[RowsScale]:
    """Return the scales a table (n, d) can be taken on where cells of `left_out` (n, d) tell nothing of their column.

    The log scale is offered where every set of rows has it.
    """
    sets, part_of = np.unique(left_out.T, axis=0, return_inverse=True)
    rows = tuple(np.flatnonzero(~one) for one in sets)
    whole = {scale.name: scale for scale in scales_of(X)}
    parts = [{scale.name: scale for scale in scales_of(X[own])} for own in rows]
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
        self.told = _Told(self)

    def on(self, scale: RowsScale) -> "RowsGain":
        """Return the same likelihood on another scale."""
        return RowsGain([part.on(own) for part, own in zip(self.parts, scale.parts, strict=True)], scale)

    def beside(self, additive: "RowsGain") -> "RowsGain":
        """Return the same processes beside other curves."""
        parts = [part.beside(own) for part, own in zip(self.parts, additive.parts, strict=True)]
        return RowsGain(parts, self.scale)

    def part(self, child: int) -> Any:
        """The likelihood on a child's rows."""
        return self.parts[self.scale.part_of[child]]

    def rows(self, child: int) -> IntArray:
        """The rows that tell of a child's mechanism."""
        return self.scale.rows[self.scale.part_of[child]]

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        which = self.scale.part_of[[j for j, _ in items]]
        nats = np.empty(len(items))
        for k in np.unique(which):
            own = np.flatnonzero(which == k)
            nats[own] = self.parts[k]([items[place] for place in own])
        return nats

    def noise(self, item: Item) -> FloatArray:
        """Noise of an item over its spread (n,); NaN in rows that tell nothing of the child."""
        noise = np.full(self.n, np.nan)
        noise[self.rows(item[0])] = self.part(item[0]).noise(item)
        return noise


class _Told(dict[Item, Any]):
    """What was found of items, looked up where it was found."""

    def __init__(self, gain: RowsGain) -> None:
        super().__init__()
        self.gain = gain

    def __missing__(self, item: Item) -> Any:
        return self.gain.part(item[0]).told[item]


def spline_gain(scale: Any, spreads: tuple[int, ...], beside: Any = None) -> Any:
    """Return additive splines on a scale, be it one for all rows or one for every child's.

    `beside` is the same with other spreads, if there is one: children of levels and counts do not depend on them.
    """
    if not isinstance(scale, RowsScale):
        return SplineGain(scale, spreads, discrete=None if beside is None else beside.discrete)
    others = [None] * len(scale.parts) if beside is None else beside.parts
    parts = [spline_gain(part, spreads, other) for part, other in zip(scale.parts, others, strict=True)]
    return RowsGain(parts, scale)


def joint_gain(additive: Any, length: float, counts: float = 1.0) -> Any:
    """Return the same with interactions."""
    if not isinstance(additive, RowsGain):
        return JointGain(additive, length, counts=counts)
    return RowsGain([JointGain(part, length, counts=counts) for part in additive.parts], additive.scale)


def best_length(additive: Any, graph: BoolArray) -> Any:
    """Return the gain with the length scale, and the unit of counts, that tell most of the children of a graph."""
    items = [
        (j, tuple(np.flatnonzero(graph[:, j]).tolist())) for j in range(len(graph)) if graph[:, j].sum() > 1
    ]
    tried = {length: joint_gain(additive, length) for length in LENGTHS}
    if not items:
        return tried[LENGTHS[1]]
    likeliest = max(tried, key=lambda length: float(tried[length](items).sum()))
    counted = {j for j, kind in enumerate(additive.scale.kinds) if kind == COUNT}
    if not any(counted & set(parents) for _, parents in items):
        return tried[likeliest]
    finer = joint_gain(additive, likeliest, UNIT_BY_UNIT)
    return max((tried[likeliest], finer), key=lambda gain: float(gain(items).sum()))
