"""Conditions that shift the whole table: batches, a detector's settings, reagents that touch nearly everything.

An experiment is meant to change its targets, and what follows from them. Measured ones often move every column, each
by an amount of its own. Two models of the conditions compete by the likelihood, the graph being the same:

1. a few mechanisms changed, the others are those of the reference (`ChangesGain`);
2. every column has a mean and a spread of its own in every condition, and beyond that a few mechanisms changed.

The second costs log(rows of the condition) nats a column. Where it wins, the columns of every condition are brought to
the mean and the spread of the reference, and only what then differs is compared: such shifts tell no direction.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dagscale.methods.auto.conditions.groups import Groups
from dagscale.methods.auto.search.objective import item_of
from dagscale.models.gain import Item
from dagscale.models.likelihood.changes import ChangesGain
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray, FloatArray

LEAST = 1e-12  # deviation below which a column is constant


def whole_table_shifts(
    parts: Sequence[tuple[Scale, Groups, BoolArray]],
    groups: Groups,
    graph: BoolArray,
    start: BoolArray,
    caution: float,
) -> bool:
    """Say whether the second model is the likelier one.

    Parameters
    ----------
    parts : sequence of (Scale, Groups, (d,) bool array)
        The rows that count for some columns, the groups of these rows, and the columns.
    groups : Groups
        Of all rows.
    graph : (d, d) bool array
    start : (groups, d) bool array
        Changes to begin with.
    caution : float
        Nats that a change nobody named must earn, besides its parameters and the choice of the column.
    """
    price = np.where(groups.targets, 0.0, np.log(len(graph)) + caution)
    price[groups.plain] = np.inf
    as_given = by_alignment = 0.0
    for scale, own, columns in parts:
        if own.size[own.reference].sum() < 2:  # there is nothing to bring the others to
            continue
        items = [item_of(graph, j) for j in np.flatnonzero(columns).tolist()]
        aligned = replace(scale, parents=_aligned(scale.parents, own), children=_aligned(scale.children, own))
        as_given += _nats(scale, own, items, price, start)
        by_alignment += _nats(aligned, own, items, price, start) - _cost(scale.children[:, columns], own)
    return by_alignment > as_given


def _nats(scale: Scale, groups: Groups, items: list[Item], price: FloatArray, start: BoolArray) -> float:
    gain = ChangesGain(SplineGain(scale), groups.of_row, price, start)
    gain(items)
    return sum(gain.told[item].nats for item in items)


def align(X: FloatArray, groups: Groups, log: bool) -> FloatArray:
    """Bring the columns of every group to the reference's mean and deviation, positive ones as logarithms if `log`."""
    positive = np.all(X > 0, axis=0) & log
    U = np.where(positive, np.log(np.where(positive, X, 1.0)), X)
    U = _aligned(U, groups)
    return np.asarray(np.where(positive, np.exp(np.where(positive, U, 0.0)), U))


def _aligned(U: FloatArray, groups: Groups) -> FloatArray:
    mean, deviation = _moments(U, groups.reference[groups.of_row])
    found = U.copy()
    for g in np.flatnonzero(~groups.reference & (groups.size > 1)):
        own = groups.of_row == g
        centre, spread = _moments(U, own)
        found[own] = mean + (U[own] - centre) * (deviation / spread)
    return found


def _cost(U: FloatArray, groups: Groups) -> float:
    """Nats of the Jacobian of `_aligned`, and of the means and deviations that were fitted."""
    _, deviation = _moments(U, groups.reference[groups.of_row])
    total = 0.0
    for g in np.flatnonzero(~groups.reference & (groups.size > 1)):
        _, spread = _moments(U, groups.of_row == g)
        n = float(groups.size[g])
        total += float((n * np.log(spread / deviation) + np.log(n)).sum())
    return total


def _moments(U: FloatArray, rows: BoolArray) -> tuple[FloatArray, FloatArray]:
    own = U[rows]
    return own.mean(axis=0), np.maximum(own.std(axis=0), LEAST)
