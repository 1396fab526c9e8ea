"""Rows that are not draws of their own: families, series of measurements on one object, set-ups used again and again.

Brothers share the height of their father, twenty towings one hull. Such a column was drawn once a family, however many
rows show it, and its likelihood counts it once. What gives it away: two columns repeat together, exactly, far more
often than they repeat nearly. Rounding alone makes rows that differ by one step in a column as frequent as equal ones.
It also follows that such a column is no effect of one that differs within a family: its noise would differ, too.
"""

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

OFTEN = 3.0  # rows that show the same draw, from which on they count as one
WIDE = 2.5  # steps of rounding: less noise between two columns is hidden by rounding
FEWEST = 12  # draws: fewer tell nothing


def shown_again(X: FloatArray, rows: IntArray, context: Context) -> BoolArray:
    """Mark the cells of some rows of a table (n, d) that show a draw again, in what is known of this run.

    Wide tables have too many pairs of columns to look at: nothing is marked there. Rows of one unit under one condition
    belong together, too: what a person is like may be another thing under another condition.
    """
    if X.shape[1] > SETTINGS.narrow_table:
        return np.zeros(X.shape, dtype=bool)
    units, done = context.units, context.conditions
    if units is not None and done is not None:
        under = np.column_stack([done.environment, done.targets])
        within = [np.unique(np.column_stack([own, under]), axis=0, return_inverse=True)[1] for own in units.T]
        units = np.column_stack([units, *(places.reshape(-1) for places in within)])
    return repeated(X, context.kinds, None if units is None else units[rows])


def why_units_are_not_used(units: IntArray, columns: int) -> str:
    """Say why units (n, k) do not count in a table of so many columns; "" where they do."""
    if columns > SETTINGS.narrow_table:
        return f"the table has more than {SETTINGS.narrow_table} columns"
    if max(len(np.unique(own)) for own in units.T) < FEWEST:
        return f"there are fewer than {FEWEST} groups of rows"
    return ""


def repeated(X: FloatArray, kinds: tuple[str, ...] = (), units: IntArray | None = None) -> BoolArray:
    """Mark the cells of a table (n, d) that show once more what another row has shown: all but one of a draw.

    Rows of one of the `units` (n, k) are known to belong together: columns that never differ there were drawn once a
    unit, levels and counts, too.
    """
    n, d = X.shape
    places = [np.unique(x, return_inverse=True)[1] for x in X.T]
    numbers = [j for j in range(d) if not kinds or kinds[j] == CONTINUOUS]
    often = [j for j in numbers if 0 < places[j].max() < n / OFTEN]
    together = np.eye(d, dtype=bool)
    for k, i in enumerate(often):
        for j in often[k + 1 :]:
            together[i, j] = together[j, i] = _shown(places[i], places[j]) >= OFTEN
    found = np.zeros((n, d), dtype=bool)
    # the first row of a draw may be special: the eldest son
    shuffled = np.random.default_rng(0).permutation(n)
    for group in _groups(together):
        first = shuffled[np.unique(X[np.ix_(shuffled, group)], axis=0, return_index=True)[1]]
        if FEWEST <= len(first) <= n / OFTEN:
            again = np.ones(n, dtype=bool)
            again[first] = False
            found[np.ix_(again, group)] = True
    for own in () if units is None else units.T:
        found |= _of_units(X, own, shuffled)
    return found


def _of_units(X: FloatArray, unit: IntArray, shuffled: IntArray) -> BoolArray:
    """Mark the cells (n, d) of columns that never differ within a unit (n,), but for one row of each."""
    _, first, places = np.unique(unit[shuffled], return_index=True, return_inverse=True)
    first, place = shuffled[first], np.empty(len(unit), dtype=np.intp)
    place[shuffled] = places.reshape(-1)
    again = np.ones(len(unit), dtype=bool)
    again[first] = False
    same = (X[first[place]] == X).all(axis=0)
    return np.outer(again, same & (len(first) >= FEWEST))


def _shown(a: IntArray, b: IntArray) -> float:
    """Rows that show one draw of two columns, given as places of their values (n,): 1 where nothing repeats unduly.

    Pairs of rows equal in both columns, less those that are one step apart in one of them, corrected for how frequent
    values are. Nothing is said where one column nearly tells the other: such pairs repeat by rounding alone. The most
    frequent pair of values is left out: a spike is no family.
    """
    counts = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
    np.add.at(counts, (a, b), 1.0)
    spike = np.unravel_index(int(counts.argmax()), counts.shape)
    counts = np.delete(np.delete(counts, spike[0], axis=0), spike[1], axis=1)
    if min(counts.shape) < 3 or min(_left(counts), _left(counts.T)) < WIDE:
        return 1.0
    equal = (counts * (counts - 1.0)).sum()
    return float(1.0 + max(equal - max(_near(counts), _near(counts.T)), 0.0) / counts.sum())


def _near(counts: FloatArray) -> float:
    """Pairs of rows one step apart in the first column and equal in the second, per frequency of such steps."""
    rows = counts.sum(axis=1)
    steps = 2.0 * (rows[1:] * rows[:-1]).sum() / max((rows * (rows - 1.0)).sum(), 1e-300)
    return float(2.0 * (counts[1:] * counts[:-1]).sum() / max(steps, 1e-9))


def _left(counts: FloatArray) -> float:
    """Steps by which the second column misses its mean at the neighbouring values of the first, root mean square."""
    places = np.arange(counts.shape[1])
    sums, rows = counts @ places, counts.sum(axis=1)
    near_sums = np.append(sums[1:], 0.0) + np.append(0.0, sums[:-1])
    near_rows = np.append(rows[1:], 0.0) + np.append(0.0, rows[:-1])
    missed = places - (near_sums / np.maximum(near_rows, 1.0))[:, None]
    told = counts * (near_rows > 0)[:, None]
    return float(np.sqrt((told * missed**2).sum() / max(told.sum(), 1.0)))


def _groups(together: BoolArray) -> list[IntArray]:
    """Columns that belong together (d, d), directly or by others; those alone are left out."""
    reach = together.copy()
    for k in range(len(reach)):
        reach |= np.outer(reach[:, k], reach[k])
    distinct = np.unique(reach, axis=0)
    return [np.flatnonzero(group) for group in distinct if group.sum() > 1]
