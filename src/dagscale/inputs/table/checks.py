"""Numbers no method can work with: missing, beyond range, constant, or the same column twice."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from dagscale.inputs.kinds import CODED, COUNT, of_kinds
from dagscale.inputs.table.copies import copied_rows
from dagscale.inputs.table.problems import Problems, column_list, listed
from dagscale.runtime.errors import shown
from dagscale.runtime.face import spelled
from dagscale.runtime.types import BoolArray, FloatArray

__all__ = [
    "degenerate",
    "doubtful_notes",
    "have_values",
    "listed",
    "refuse_degenerate",
    "to_drop",
    "without_missing",
]

LARGEST = 1e60  # the Stein estimator takes fourth powers, and sums them
SMALLEST_VARIATION = 1e-10  # range over size: below it, what varies is mostly rounding
FAR = 1e4  # interquartile ranges from the median: so far out, one value outweighs all others
QUARTILE_ROWS = 2000  # rows the quartiles are taken from
FEWEST = 20  # rows that tell a copy
COPY = 1e-9  # 1 - |correlation| up to which a column is a copy
MOST_SPARSE = 5  # columns that may be named as the ones that lack most values


def to_drop(names: Sequence[Hashable]) -> str:
    """Return what leaves columns out: `drop=[...]`, or `--drop ...` on the command line."""
    return spelled("drop", list(names))


def without_missing(
    X: FloatArray,
    names: Sequence[Hashable],
    missing: str,
    kinds: Sequence[str] = (),
    problems: Problems | None = None,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Refuse, drop or fill what is NaN or infinite.

    Parameters
    ----------
    X : (n, d) float array
        Changed in place by "impute", and where it is refused.
    names : sequence of d names
    missing : {"raise", "drop", "impute"}
        "drop" leaves out every row with a missing value, "impute" puts the median of the column's
        other values in its place, or the most frequent level.
    kinds : sequence of d str
        The columns' kinds; () where all are continuous.
    problems : Problems, optional
        Where to note what is refused instead of raising it; X then comes back filled, for further checks.

    Returns
    -------
    X : (m, d) float array
    notes : tuple of str
    """
    usable = np.isfinite(X)
    if usable.all():
        return X, ()
    told = Problems() if problems is None else problems
    empty = _where(names, ~usable.any(axis=0))
    if empty:
        told.add(f"no usable value in {column_list(empty)}; leave out with {to_drop(empty)}")
    counts = _counts(X, usable, names)
    rows = usable.all(axis=1)
    gone = len(X) - int(rows.sum())
    coded = of_kinds(kinds, CODED, X.shape[1])
    filling = _filling(bool(coded[~usable.all(axis=0)].any()), bool((~coded)[~usable.all(axis=0)].any()))
    better = _sparse_columns(usable, names)
    if missing == "raise" and not empty:
        told.add(
            f"missing or infinite values in {counts}, {gone} of {len(X)} rows; use "
            f"{spelled('missing', 'drop')} to leave those rows out or {spelled('missing', 'impute')} "
            f"to fill in {filling}{better}"
        )
    if problems is None:
        told.refuse()
    if missing == "drop" and not empty:
        said = f"left out {gone} of {len(X)} rows with missing or infinite values: {counts}{better}"
        return X[rows], (said,)
    _fill(X, usable, coded, of_kinds(kinds, (COUNT,), X.shape[1]))
    return X, (f"missing or infinite values replaced by {filling}: {counts}",)


def have_values(X: FloatArray) -> BoolArray:
    """Say which columns (d,) have any finite value; of X (n, d) mostly the first rows tell."""
    present: BoolArray = np.asarray(np.isfinite(X[:100]).any(axis=0))
    return present if present.all() else np.asarray(np.isfinite(X).any(axis=0))


def _sparse_columns(usable: BoolArray, names: Sequence[Hashable]) -> str:
    """Name the emptiest columns, where over half of the rows (n, d) are complete without them and few are with them."""
    n = len(usable)
    if 2 * int(usable.all(axis=1).sum()) >= n:
        return ""
    emptiest = np.argsort(usable.sum(axis=0), kind="stable")
    for k in range(1, min(MOST_SPARSE, usable.shape[1] - 2) + 1):
        complete = int(np.delete(usable, emptiest[:k], axis=1).all(axis=1).sum())
        if 2 * complete >= n:
            out = [names[j] for j in sorted(emptiest[:k].tolist())]
            return f"; {complete} rows are complete without {column_list(out)}: {to_drop(out)}"
    return ""


def _filling(levels: bool, numbers: bool) -> str:
    ways = ["the column's median"] * numbers + ["its most frequent level"] * levels
    return " or ".join(ways).replace("its", "its" if numbers else "the column's")


def _fill(X: FloatArray, usable: BoolArray, coded: BoolArray, counts: BoolArray) -> None:
    """Put a column's median, or its most frequent level, where it has no usable value; 0 where it has none."""
    for j in np.flatnonzero(~usable.all(axis=0)):
        present = X[usable[:, j], j]
        if not len(present):
            value = 0.0
        elif coded[j]:
            value = float(np.bincount(present.astype(np.intp)).argmax())
        else:
            value = float(np.median(present))
        X[~usable[:, j], j] = np.floor(value) if counts[j] else value


def _counts(X: FloatArray, usable: BoolArray, names: Sequence[Hashable], limit: int = 5) -> str:
    culprits = np.flatnonzero(~usable.all(axis=0))
    parts = []
    for j in culprits[:limit]:
        missing = int(np.isnan(X[:, j]).sum())
        infinite = len(X) - int(usable[:, j].sum()) - missing
        kinds = [f"{count} {kind}" for count, kind in ((missing, "missing"), (infinite, "infinite")) if count]
        parts.append(f"{shown(names[j])} ({', '.join(kinds)})")
    more = len(culprits) - limit
    return ", ".join(parts) + (f" and {more} more columns" if more > 0 else "")


def refuse_degenerate(X: FloatArray, names: Sequence[Hashable]) -> None:
    """Refuse columns near the limits of floats, constant or all but constant, or copies of another.

    Parameters
    ----------
    X : (n, d) float array
        Finite.
    names : sequence of d names
    """
    problems = Problems()
    problems.add(*degenerate(X, names))
    problems.refuse()


def degenerate(
    X: FloatArray,
    names: Sequence[Hashable],
    kinds: Sequence[str] = (),
    complete: BoolArray | None = None,
) -> list[str]:
    """Say which columns no method can use, and why.

    X (n, d) is finite. Rows that are not `complete` (n,) have values that were filled in: no copy of a column has them.
    """
    low, high, deviating = _spread(X)
    size = np.maximum(np.abs(low), np.abs(high))
    extreme = (size > LARGEST) | ((size < 1 / LARGEST) & (high > low))
    found = []
    if extreme.any():
        found.append(
            f"values near the limits of floats (up to {size[np.argmax(extreme)]:.3g}) in "
            f"{column_list(_where(names, extreme))}; use another unit"
        )
    bad = extreme.copy()
    coded = of_kinds(kinds, CODED, len(names))
    for here, what, remedy in (
        (low == high, "the same value in every row", "leave out with"),
        (deviating <= 1, "the same value in every row but one", "leave out with"),
        (
            high - low <= SMALLEST_VARIATION * size,
            "values equal to ten digits",
            "subtract the mean or leave out with",
        ),
    ):
        fresh = here & ~bad
        if fresh.any():
            bad |= fresh
            culprits, first = _where(names, fresh), int(np.argmax(fresh))
            example = f" ({low[first]:g})" if len(culprits) == 1 and not coded[first] else ""
            found.append(
                f"constant: {column_list(culprits)} with {what}{example}; {remedy} {to_drop(culprits)}"
            )
    if complete is not None and not complete.all():
        X = X[complete]
        bad |= X.max(axis=0) == X.min(axis=0) if len(X) >= FEWEST else True
    usable = np.flatnonzero(~bad).tolist()
    if len(usable) < len(names):
        X, names = X[:, usable], [names[j] for j in usable]
        kinds = [kinds[j] for j in usable] if kinds else ()
    return found + _copied(X, names, kinds) if len(usable) else found


def doubtful_notes(X: FloatArray, names: Sequence[Hashable], kinds: Sequence[str] = ()) -> tuple[str, ...]:
    """Say what makes the rows count for less, or some for more, than their number.

    Parameters
    ----------
    X : (n, d) float array
        Finite, no column constant.
    names : sequence of d names
    kinds : sequence of d str
    """
    notes = []
    repeated = copied_rows(X)
    if repeated:
        notes.append(
            f"{repeated} of {len(X)} rows repeat{'s' * (repeated == 1)} another row exactly; leave out copies, keep "
            "what was measured anew"
        )
    notes += _missing_codes(X, names, of_kinds(kinds, CODED, X.shape[1]))
    far = _farcolumn_list(X)
    if far.any():
        notes.append(
            f"values over {FAR:g} interquartile ranges from the median in {column_list(_where(names, far))}: "
            f"they outweigh all other rows; correct them, or use {spelled('transform', 'rank')}"
        )
    return tuple(notes)


def _missing_codes(X: FloatArray, names: Sequence[Hashable], coded: BoolArray) -> list[str]:
    """Ask about nines such as -999 that stand far from all other values (n, d), in several rows."""
    codes: dict[float, list[Hashable]] = {}
    for name, x, levels in zip(names, X.T, coded, strict=True):
        for code in () if levels else {float(x.min()), float(x.max())}:
            others = x[x != code]
            apart = np.abs(others - code).min(initial=np.inf) > max(2.0 * np.ptp(others), 1.0)
            if set(f"{abs(code):g}") <= {"9", "."} and len(x) - len(others) > 1 and apart:
                codes.setdefault(code, []).append(name)
    return [
        f"{code:g} stands far from all other values in {column_list(own)}; if it means a missing value, leave those "
        "cells empty"
        for code, own in codes.items()
    ]


def _farcolumn_list(X: FloatArray) -> BoolArray:
    """Say which columns have values far from all others (d,)."""
    some = X[:: max(1, len(X) // QUARTILE_ROWS)]
    low, middle, high = np.quantile(some, [0.25, 0.5, 0.75], axis=0)
    reach = np.maximum(X.max(axis=0) - middle, middle - X.min(axis=0))
    far: BoolArray = (high > low) & (reach > FAR * (high - low))
    return far


def _where(names: Sequence[Hashable], found: Any) -> list[Hashable]:
    return [name for name, here in zip(names, found.tolist(), strict=True) if here]


def _row_blocks(X: FloatArray) -> list[slice]:
    """Cut the rows so that a block stays in the cache: one pass over X, no copy of it."""
    rows = max(1, (1 << 18) // X.shape[1])
    return [slice(start, start + rows) for start in range(0, len(X), rows)]


def _spread(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each column's minimum, maximum and how many rows deviate from its usual value, (d,) each."""
    low, high = X[0].copy(), X[0].copy()
    usual = np.median(X[:3], axis=0)  # if all rows but one agree, so do two of any three
    deviating = np.zeros(X.shape[1])
    for rows in _row_blocks(X):
        np.minimum(low, X[rows].min(axis=0), out=low)
        np.maximum(high, X[rows].max(axis=0), out=high)
        deviating += (X[rows] != usual).sum(axis=0)
    return low, high, deviating


def _copied(X: FloatArray, names: Sequence[Hashable], kinds: Sequence[str]) -> list[str]:
    """Say which columns are another one times a number plus a number, or its levels by other names."""
    found = []
    for twin, how in ((_copies(X), "up to shift and scale"), (_renamed(X, kinds), "by other names")):
        if not twin:
            continue
        first = min(twin)
        original = twin[first]
        while original in twin:  # a copy of a copy
            original = twin[original]
        others = f" ({len(twin)} such columns in all)" if len(twin) > 1 else ""
        found.append(
            f"column {shown(names[first])} is a copy of {shown(names[original])} {how}{others}; "
            f"leave out with {to_drop([names[j] for j in sorted(twin)])}"
        )
        break  # levels that are shifted are renamed too
    return found


def _renamed(X: FloatArray, kinds: Sequence[str]) -> dict[int, int]:
    """Return for each column of levels an earlier one that puts the same rows together."""
    first: dict[bytes, int] = {}
    twin = {}
    for j in np.flatnonzero(of_kinds(kinds, CODED, X.shape[1])).tolist():
        _, where, inverse = np.unique(X[:, j], return_index=True, return_inverse=True)
        original = first.setdefault(where[inverse].tobytes(), j)  # a level is known by its first row
        if original != j:
            twin[j] = original
    return twin


def _copies(X: FloatArray) -> dict[int, int]:
    """Return for each column that is a copy an earlier column it equals up to shift and scale.

    Copies have the same projections on random directions, up to sign. Nearest neighbours among the
    projections, (d, 8), are therefore the only pairs to compare in full: O(n d), no (d, d) array.
    """
    n, d = X.shape
    mean = sum((X[rows].sum(axis=0) for rows in _row_blocks(X)), start=np.zeros(d)) / n
    square = sum((((X[rows] - mean) ** 2).sum(axis=0) for rows in _row_blocks(X)), start=np.zeros(d))
    sd = np.sqrt(square / n)
    directions = np.random.default_rng(0).normal(size=(n, 8))
    directions -= directions.mean(axis=0)  # so that a column's own mean does not count
    projections = np.abs(X.T @ directions) / (sd[:, None] * np.sqrt(n))  # (d, 8)
    twin: dict[int, int] = {}
    kept, found = np.arange(d), True
    while found:  # of many copies, neighbours tell only some: leave those out and look again
        found = False
        for first, second in _neighbours(projections[kept]):
            i, j = int(kept[first]), int(kept[second])
            a, b = (X[:, i] - mean[i]) / sd[i], (X[:, j] - mean[j]) / sd[j]
            if j not in twin and min(np.mean((a - b) ** 2), np.mean((a + b) ** 2)) / 2 <= COPY:
                twin[j], found = i, True
        kept = np.array([j for j in kept.tolist() if j not in twin])
    return twin


def _neighbours(points: FloatArray) -> list[tuple[int, int]]:
    """Return pairs (earlier, later) of points whose columns may be copies, O(d) of them."""
    from scipy.spatial import cKDTree  # slow to import

    if len(points) < 2:
        return []
    # A copy's projections differ by about sqrt(2 COPY) each: 4e-5.
    _, near = cKDTree(points).query(points, k=min(3, len(points)), distance_upper_bound=1e-3)
    pairs = {(min(i, j), max(i, j)) for i, row in enumerate(near.tolist()) for j in row if i != j}
    return sorted(pair for pair in pairs if pair[1] < len(points))  # len(points) stands for "none that near"
