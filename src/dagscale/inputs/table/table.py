"""Whatever the user calls a table -> X (n, d) and names; the only place that validates data.

table -> columns chosen -> numbers -> labels left out -> X -> missing -> transforms -> checks
"""

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.table.checks import (
    doubtful_notes,
    listed,
    refuse_degenerate,
    to_drop,
    without_missing,
)
from dagscale.inputs.table.frames import RawTable, raw_table
from dagscale.inputs.table.identifiers import has_id_name, reasons_to_leave_out
from dagscale.inputs.table.to_floats import Column
from dagscale.inputs.table.transforms import apply_transforms, check_transform
from dagscale.runtime.errors import DataWarning, InputError, InputTypeError, closest, shown
from dagscale.runtime.types import FloatArray, IntArray

MISSING = ("raise", "drop", "impute")

_TAKEN_AS_NUMBERS = {
    "boolean": "booleans as 0 and 1",
    "integer": "integers as continuous numbers",
    "category": "ordered categories as 0, 1, 2 ...",
    "duration": "durations as numbers",
    "numeric text": "text that spells numbers as those numbers",
}


@dataclass(frozen=True, eq=False)
class Table:
    """A table every method can work with.

    Attributes
    ----------
    X : (n, d) float64 array
        Finite, C-contiguous; no column is constant or a copy of another.
    names : tuple of d hashables
        In the table's column order.
    notes : tuple of str
        What was left out, guessed or changed, one line each.
    kinds : tuple of d str
        One of `inputs.kinds.KINDS` each; of columns that are not continuous, X has whole numbers: codes 0, 1, 2 ...
        of levels, or counts. () says that all are continuous.
    levels : tuple of d (tuple or None)
        The values that the codes stand for, where they are codes. () as above.
    conditions : Conditions or None
        What was done to the rows; None where nothing was.
    """

    X: FloatArray
    names: tuple[Hashable, ...]
    notes: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    levels: tuple[tuple[Any, ...] | None, ...] = ()
    conditions: Conditions | None = None

    def take(self, rows: IntArray) -> "Table":
        """Return the table of some rows."""
        conditions = None if self.conditions is None else self.conditions.take(rows)
        return replace(self, X=np.ascontiguousarray(self.X[rows]), conditions=conditions)


def read_table(
    table: Any,
    *,
    columns: Sequence[Hashable] | None = None,
    drop: Sequence[Hashable] | None = None,
    transform: str | Mapping[Hashable, str] | None = None,
    missing: str = "raise",
    min_rows: int = 20,
    interventions: Any = None,
    environment: Hashable | None = None,
) -> Table:
    """Read and validate a table.

    Parameters
    ----------
    table : DataFrame (pandas, polars), arrow table, array, dict of columns, list of rows, or path to a file
        Files are CSV, TSV or other delimited text, Parquet or Feather, gzipped or not. Columns of an
        array without names are named by their positions.
    columns, drop : lists of names, optional
        Columns to use, or to leave out. A column named in `columns` is used even if it looks like
        an ID; the table's order is kept.
    transform : {"log", "rank"} or dict of column to one of them, optional
        The logarithm, or the normal scores of the ranks. For all columns (but booleans and
        categories), or for those of the dict.
    missing : {"raise", "drop", "impute"}
        Refuse NaN and infinite values, leave out their rows, or fill in the column's median.
    min_rows : int
        Fewer rows are refused.
    interventions, environment
        As in `discover`: what was done to the rows.

    Returns
    -------
    Table

    Raises
    ------
    InputError, InputTypeError, MissingDependencyError
        One line that names the culprit and the remedy.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> table = {"id": range(50), "a": rng.normal(size=50), "b": rng.random(50) < 0.5}
    >>> print(*read_table(table).notes, sep="\\n")
    left out column 'id': its name is an ID's and its values never repeat; to use it, name it in columns=
    taken booleans as 0 and 1: 'b'
    """
    if missing not in MISSING:
        known = "', '".join(MISSING)
        raise InputError(f"missing must be '{known}', not {shown(missing)}{closest(missing, MISSING)}")
    check_transform(transform)
    raw, marks = raw_table(table), None
    if interventions is not None or environment is not None:
        from dagscale.inputs.interventions import set_aside

        raw, marks = set_aside(raw, interventions, environment, columns)
    used, notes = _usable_columns(raw, columns, drop)
    names = tuple(column.name for column in used)
    chosen = _chosen_transforms(used, transform)
    _refuse_few(len(used[0].values), min_rows)
    X = _matrix(used) if raw.whole is None or len(used) < len(raw.names) else raw.whole
    del used, raw  # X is the only copy from here on
    kept = np.isfinite(X).all(axis=1) if missing == "drop" else np.ones(len(X), dtype=bool)
    X, missing_notes = without_missing(X, names, missing)
    _refuse_few(len(X), min_rows, *missing_notes)
    conditions, told = (None, []) if marks is None else marks.conditions(names, kept)
    apply_transforms(X, names, chosen)
    refuse_degenerate(X, names)
    n, d = X.shape
    if n < d:
        advice = "edges will be missed, so believe those found more than those not found"
        warnings.warn(f"fewer rows ({n}) than columns ({d}): {advice}", DataWarning, stacklevel=2)
    doubts = doubtful_notes(X, names)
    said = (*notes, *missing_notes, *_transform_notes(names, chosen), *told, *doubts)
    return Table(X, names, said, conditions=conditions)


def _usable_columns(
    raw: RawTable, columns: Sequence[Hashable] | None, drop: Sequence[Hashable] | None
) -> tuple[list[Column], tuple[str, ...]]:
    """Return the columns that are numbers and measure something, at least two, and notes on the others."""
    if not raw.names:
        raise InputError("the table is empty: it has no columns")
    if not len(raw.raw[0]):
        raise InputError("the table is empty: it has columns but no rows")
    kept = _chosen_columns(raw.names, columns, drop)
    found = [raw.column(j) for j in kept]
    # A column the user asks for by name is never taken for a label.
    reasons = reasons_to_leave_out(found, raw.named) if columns is None else {}
    used = [column for j, column in enumerate(found) if j not in reasons]
    _refuse_other_than_numbers(used)
    notes = [
        f"left out column {shown(found[j].name)}: {why}; to use it, name it in columns="
        if found[j].numeric
        else f"left out column {shown(found[j].name)}: {why}"
        for j, why in reasons.items()
    ]
    if len(used) < 2:
        left = f"only column {shown(used[0].name)} is left" if used else "no column is left"
        because = f" ({'; '.join(notes[:3])})" if notes else ""
        raise InputError(f"a graph needs at least two columns, and {left}{because}")
    return used, (*raw.notes, *notes, *_kind_notes(used, asked=columns is not None or not raw.named))


def _chosen_columns(
    names: list[Hashable], columns: Sequence[Hashable] | None, drop: Sequence[Hashable] | None
) -> list[int]:
    keep = _positions(names, columns, "columns") if columns is not None else list(range(len(names)))
    out = set(_positions(names, drop, "drop") if drop is not None else [])
    both = out.intersection(keep) if columns is not None else set()
    if both:
        raise InputError(
            f"column {listed([names[j] for j in both])} is in columns= and in drop=; remove it from one"
        )
    return sorted(set(keep) - out)


def _positions(names: Sequence[Hashable], wanted: Any, option: str) -> list[int]:
    """Find names, or their text: the command line knows only text."""
    if isinstance(wanted, str):
        wanted = [wanted]
    if not isinstance(wanted, Iterable):
        raise InputTypeError(f"{option} must be a list of column names, not {shown(wanted)}")
    exact = {name: j for j, name in enumerate(names)}
    by_text = {str(name): j for j, name in enumerate(names)}
    found = []
    for name in wanted:
        position = exact.get(name) if isinstance(name, Hashable) else None
        position = by_text.get(str(name)) if position is None else position
        if position is None:
            remedy = closest(name, names) or f"; the columns are {shown(list(names), 200)}"
            raise InputError(f"{option}: the table has no column {shown(name)}{remedy}")
        found.append(position)
    return found


def _refuse_other_than_numbers(columns: list[Column]) -> None:
    others = [column for column in columns if not column.numeric]
    if not others:
        return
    first = others[0]
    if first.kind == "date":
        what = "holds dates or times"
        remedy = "turn it into numbers such as days since the first"
    else:
        row, value = first.first_non_number()
        kind = "text" if isinstance(value, str) else "what is no number"
        what = f"holds {kind}: {shown(value)} in row {row} (counted from 0)"
        remedy = "encode it as numbers"
    more = f" (so do {listed([column.name for column in others[1:]])})" if len(others) > 1 else ""
    raise InputError(
        f"column {shown(first.name)} {what}{more}; "
        f"leave it out with {to_drop([column.name for column in others])}, or {remedy}"
    )


def _refuse_few(n: int, min_rows: int, after: str = "") -> None:
    if n < min_rows:
        why = f" ({after})" if after else ""
        raise InputError(f"the table has {n} rows{why}; at least {min_rows} are needed, collect more")


def _kind_notes(columns: list[Column], asked: bool) -> list[str]:
    notes = []
    for kind, how in _TAKEN_AS_NUMBERS.items():
        names = [column.name for column in columns if column.kind == kind]
        if names:
            notes.append(f"taken {how}: {listed(names)}")
    suspects = [
        column.name
        for column in columns
        if not asked and column.kind == "integer" and has_id_name(column.name)
    ]
    if suspects:
        notes.append(f"named like an ID but with repeated values, so kept: {listed(suspects)}")
    return notes


def _matrix(columns: list[Column]) -> FloatArray:
    """Lay the columns side by side, a block of rows at a time: whole columns would miss the cache."""
    n = len(columns[0].values)
    X = np.empty((n, len(columns)))
    for start in range(0, n, 1024):
        rows = slice(start, start + 1024)
        for j, column in enumerate(columns):
            X[rows, j] = column.values[rows]
    return X


def _chosen_transforms(columns: list[Column], transform: Any) -> dict[int, str]:
    if transform is None:
        return {}
    if isinstance(transform, str):
        return {
            j: transform for j, column in enumerate(columns) if column.kind not in ("boolean", "category")
        }
    positions = _positions([column.name for column in columns], list(transform), "transform")
    return {j: name for j, name in zip(positions, transform.values(), strict=True) if name is not None}


def _transform_notes(names: Sequence[Hashable], chosen: Mapping[int, str]) -> list[str]:
    how = {"log": "logarithm taken of", "rank": "replaced by the normal scores of its ranks:"}
    used = dict.fromkeys(chosen.values())
    return [f"{how[name]} {listed([names[j] for j in chosen if chosen[j] == name])}" for name in used]
