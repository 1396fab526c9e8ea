"""Rows that are not draws of their own: families, series of measurements on one object, set-ups used again and again.

Brothers share the height of their father, twenty towings one hull. Such a column was drawn once a family, however many
rows show it, and its likelihood counts it once. What gives it away: two columns repeat together, exactly, far more
often than they repeat nearly. Rounding alone makes rows that differ by one step in a column as frequent as equal ones.
It also follows that such a column is no effect of one that differs within a family: its noise would differ, too.
"""

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

OFTEN = 3.0  # rows that show the same draw, from which on they count as one
STEPS = 3  # of the other column, within which a relation is narrow
FEWEST = 12  # draws: fewer tell nothing


def repeated(X: FloatArray, kinds: tuple[str, ...] = ()) -> BoolArray:
    """Mark the cells of a table (n, d) that show once more what another row has shown: all but one of a draw."""
    n, d = X.shape
    places = [np.unique(x, return_inverse=True)[1] for x in X.T]
    numbers = [j for j in range(d) if not kinds or kinds[j] == CONTINUOUS]
    often = [j for j in numbers if 0 < places[j].max() < n / OFTEN]
    together = np.eye(d, dtype=bool)
    for k, i in enumerate(often):
        for j in often[k + 1 :]:
            together[i, j] = together[j, i] = _shown(places[i], places[j]) >= OFTEN
    found = np.zeros((n, d), dtype=bool)
    shuffled = np.random.default_rng(0).permutation(
        n
    )  # the first row of a draw may be special: the eldest son
    for group in _groups(together):
        first = shuffled[np.unique(X[np.ix_(shuffled, group)], axis=0, return_index=True)[1]]
        if FEWEST <= len(first) <= n / OFTEN:
            again = np.ones(n, dtype=bool)
            again[first] = False
            found[np.ix_(again, group)] = True
    return found


def _shown(a: IntArray, b: IntArray) -> float:
    """Rows that show one draw of two columns, given as places of their values (n,): 1 where nothing repeats unduly.

    Pairs of rows that are equal in both, beyond those of independent columns, less those that are one step apart in one
    and few steps in the other, beyond the same: a relation, however narrow, has neighbours. The most frequent value of
    the two together is left out: a spike is no family.
    """
    counts = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
    np.add.at(counts, (a, b), 1.0)
    if (counts > 0).sum() <= max(counts.shape):  # a copy, or a formula: one tells the other
        return 1.0
    spike = np.unravel_index(int(counts.argmax()), counts.shape)
    counts = np.delete(np.delete(counts, spike[0], axis=0), spike[1], axis=1)
    total = counts.sum()
    if total < 1:
        return 1.0
    equal = _excess(counts, 0, 0) - total  # a row is no pair with itself
    sides = (counts, counts.T)
    near = [sum(_excess(side, 1, k) for k in range(-STEPS, STEPS + 1)) for side in sides]
    return float(1.0 + max(equal - max(*near, 0.0), 0.0) / total)


def _excess(counts: FloatArray, down: int, across: int) -> float:
    """Pairs of rows so many steps apart in both columns, beyond those of independent columns."""
    rows, columns, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    n, m = len(rows), len(columns)
    if down >= n or abs(across) >= m:
        return 0.0
    left, right = max(-across, 0), max(across, 0)
    pairs = (counts[: n - down, left : m - right] * counts[down:, right : m - left]).sum()
    by_rows = (rows[: n - down] * rows[down:]).sum() / total
    by_columns = (columns[left : m - right] * columns[right : m - left]).sum() / total
    common = max(by_rows / max((rows**2).sum() / total, 1e-300), 1e-9)
    return float((pairs - by_rows * by_columns) / common)


def _groups(together: BoolArray) -> list[IntArray]:
    """Columns that belong together (d, d), directly or by others; those alone are left out."""
    reach = together.copy()
    for k in range(len(reach)):
        reach |= np.outer(reach[:, k], reach[k])
    distinct = np.unique(reach, axis=0)
    return [np.flatnonzero(group) for group in distinct if group.sum() > 1]
