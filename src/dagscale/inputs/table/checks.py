"""Numbers no method can work with: missing, beyond range, constant, or the same column twice."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.types import BoolArray, FloatArray

LARGEST = 1e60  # the Stein estimator takes fourth powers, and sums them
SMALLEST_VARIATION = 1e-10  # range over size: below it, what varies is mostly rounding
FAR = 1e4  # interquartile ranges from the median: so far out, one value outweighs all others
QUARTILE_ROWS = 2000  # rows the quartiles are taken from
COPY = 1e-9  # 1 - |correlation| up to which a column is a copy


def listed(names: Sequence[Hashable], limit: int = 5) -> str:
    """Return names for an error or a note, cut after a few."""
    text = ", ".join(shown(name) for name in names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit} more"


def to_drop(names: Sequence[Hashable], limit: int = 5) -> str:
    """Return the `drop=[...]` that leaves columns out."""
    return f"drop=[{', '.join(shown(name) for name in names[:limit])}{', ...' if len(names) > limit else ''}]"


def without_missing(
    X: FloatArray, names: Sequence[Hashable], missing: str
) -> tuple[FloatArray, tuple[str, ...]]:
    """Refuse, drop or fill what is NaN or infinite.

    Parameters
    ----------
    X : (n, d) float array
        Changed in place by "impute".
    names : sequence of d names
    missing : {"raise", "drop", "impute"}
        "drop" leaves out every row with a missing value, "impute" puts the median of the column's
        other values in its place.

    Returns
    -------
    X : (m, d) float array
    notes : tuple of str
    """
    usable = np.isfinite(X)
    if usable.all():
        return X, ()
    empty = _where(names, ~usable.any(axis=0))
    if empty:
        raise InputError(f"no usable value in {_columns(empty)}; leave out with {to_drop(empty)}")
    counts = _counts(X, usable, names)
    rows = usable.all(axis=1)
    if missing == "raise":
        raise InputError(
            f"missing or infinite values in {counts}, {len(X) - rows.sum()} of {len(X)} rows; "
            "use missing='drop' to leave those rows out or missing='impute' to fill in the column's median"
        )
    if missing == "drop":
        return X[rows], (
            f"left out {len(X) - rows.sum()} of {len(X)} rows with missing or infinite values: {counts}",
        )
    for j in np.flatnonzero(~usable.all(axis=0)):
        X[~usable[:, j], j] = np.median(X[usable[:, j], j])
    return X, (f"missing or infinite values replaced by the column's median: {counts}",)


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
    low, high, deviating = _spread(X)
    size = np.maximum(np.abs(low), np.abs(high))
    extreme = (size > LARGEST) | ((size < 1 / LARGEST) & (high > low))
    if extreme.any():
        j = int(np.argmax(extreme))
        raise InputError(
            f"values near the limits of floats (up to {size[j]:.3g}) in {_columns(_where(names, extreme))}; "
            "use another unit"
        )
    for found, what, remedy in (
        (low == high, "the same value in every row", "leave out with"),
        (deviating <= 1, "the same value in every row but one", "leave out with"),
        (
            high - low <= SMALLEST_VARIATION * size,
            "values equal to ten digits",
            "subtract the mean or leave out with",
        ),
    ):
        if found.any():
            culprits = _where(names, found)
            example = f" ({low[np.argmax(found)]:g})" if len(culprits) == 1 else ""
            raise InputError(
                f"constant: {_columns(culprits)} with {what}{example}; {remedy} {to_drop(culprits)}"
            )
    _refuse_copies(X, names)


def doubtful_notes(X: FloatArray, names: Sequence[Hashable]) -> tuple[str, ...]:
    """Say what makes the rows count for less, or some for more, than their number.

    Parameters
    ----------
    X : (n, d) float array
        Finite, no column constant.
    names : sequence of d names
    """
    notes = []
    repeated = _repeated_rows(X)
    if repeated:
        notes.append(
            f"{repeated} of {len(X)} rows repeat another row exactly; if they are copies, "
            "leave them out: each counts as evidence of its own"
        )
    far = _far_columns(X)
    if far.any():
        notes.append(
            f"values over {FAR:g} interquartile ranges from the median in {_columns(_where(names, far))}: "
            "they outweigh all other rows; correct them, or use transform='rank'"
        )
    return tuple(notes)


def _repeated_rows(X: FloatArray) -> int:
    """Count the rows that copy another; 0 where no column is continuous: rows then meet by chance."""
    some = X[:: max(1, len(X) // QUARTILE_ROWS), :50]
    x = X[:, np.argmax([len(np.unique(column)) for column in some.T])]
    order = np.argsort(x, kind="stable")
    tied = np.flatnonzero(np.diff(x[order]) == 0)
    blocks = np.array_split(tied, 1 + tied.size * X.shape[1] // (1 << 18))
    repeated = sum(int((X[order[part]] == X[order[part + 1]]).all(axis=1).sum()) for part in blocks)
    return repeated if 2 * (len(x) - len(tied)) >= len(x) - repeated else 0


def _far_columns(X: FloatArray) -> BoolArray:
    """Say which columns have values far from all others (d,)."""
    some = X[:: max(1, len(X) // QUARTILE_ROWS)]
    low, middle, high = np.quantile(some, [0.25, 0.5, 0.75], axis=0)
    reach = np.maximum(X.max(axis=0) - middle, middle - X.min(axis=0))
    far: BoolArray = (high > low) & (reach > FAR * (high - low))
    return far


def _columns(names: Sequence[Hashable]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {listed(names)}"


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


def _refuse_copies(X: FloatArray, names: Sequence[Hashable]) -> None:
    """Refuse columns that are another one times a number plus a number."""
    twin = _copies(X)
    if not twin:
        return
    first = min(twin)
    original = twin[first]
    while original in twin:  # a copy of a copy
        original = twin[original]
    others = f" ({len(twin)} such columns in all)" if len(twin) > 1 else ""
    raise InputError(
        f"column {shown(names[first])} is a copy of {shown(names[original])} up to shift and scale{others}; "
        f"leave out with {to_drop([names[j] for j in sorted(twin)])}"
    )


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
