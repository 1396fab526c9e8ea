"""Whatever the user calls a table -> X (n, d) and names; the only place that validates data.

table -> columns chosen -> numbers -> labels left out -> kinds -> X -> missing -> transforms -> levels -> checks
"""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.kinds import CONTINUOUS, check_kinds
from dagscale.inputs.table.checks import degenerate, doubtful_notes, have_values, without_missing
from dagscale.inputs.table.frames import RawTable, raw_table
from dagscale.inputs.table.levels import one_hot_notes, settle_levels
from dagscale.inputs.table.problems import Problems, listed
from dagscale.inputs.table.recognise import Levels, Variable
from dagscale.inputs.table.transforms import apply_transforms, check_transform
from dagscale.inputs.table.variables import positions, usable_variables
from dagscale.runtime.errors import DataWarning, InputError, closest, shown
from dagscale.runtime.face import spelled
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from dagscale.inputs.interventions import Marks

MISSING = ("raise", "drop", "impute")


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
    left_out : tuple of hashables
        Columns that the table has but that are no variables of it.
    units : (n, k) int array or None
        What each row is a measurement of, by each of k columns of IDs that were left out.
    """

    X: FloatArray
    names: tuple[Hashable, ...]
    notes: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    levels: tuple[tuple[Any, ...] | None, ...] = ()
    conditions: Conditions | None = None
    left_out: tuple[Hashable, ...] = ()
    units: IntArray | None = None

    def take(self, rows: IntArray) -> "Table":
        """Return the table of some rows."""
        conditions = None if self.conditions is None else self.conditions.take(rows)
        units = None if self.units is None else self.units[rows]
        return replace(self, X=np.ascontiguousarray(self.X[rows]), conditions=conditions, units=units)


def read_table(
    table: Any,
    *,
    columns: Sequence[Hashable] | None = None,
    drop: Sequence[Hashable] | None = None,
    transform: str | Mapping[Hashable, str] | None = None,
    missing: str = "raise",
    min_rows: int = 20,
    kinds: Mapping[Hashable, str] | None = None,
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
        The logarithm, or the normal scores of the ranks. For all continuous columns, or for those of
        the dict, which are then continuous.
    missing : {"raise", "drop", "impute"}
        Refuse NaN and infinite values, leave out their rows, or fill in the column's median or most
        frequent level.
    min_rows : int
        Fewer rows are refused.
    kinds : dict of column to kind, optional
        "continuous", "binary", "categorical", "ordinal" or "count", in place of what is recognised.
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
    two values, so binary: 'b'
    """
    if missing not in MISSING:
        known = "', '".join(MISSING)
        hint = closest(missing, MISSING)
        raise InputError(f"{spelled('missing').rstrip('=')} must be '{known}', not {shown(missing)}{hint}")
    check_transform(transform)
    check_kinds(kinds)
    raw, problems, marks = raw_table(table), Problems(), None
    all_names = raw.names
    if interventions is not None or environment is not None:
        from dagscale.inputs.interventions import set_aside

        named = {"columns": columns, "drop": drop, "kinds": kinds}
        raw, marks = set_aside(raw, interventions, environment, named)
    used, notes, units = usable_variables(raw, columns, drop, kinds, transform, problems)
    names = tuple(one.column.name for one in used)
    own_kinds: list[str] = [one.kind for one in used]
    levels: list[Levels] = [one.levels for one in used]
    chosen = _chosen_transforms(names, own_kinds, transform, problems)
    if not used:
        problems.refuse()
    _refuse_few(len(used[0].values), min_rows)
    X = _matrix(raw, used)
    del used, raw  # X is the only copy from here on
    X, kept, row_notes = _kept(X, marks) if missing == "drop" else (X, np.ones(len(X), dtype=bool), ())
    present, complete = have_values(X), _complete(X, missing)  # a column without values is told of once
    X, missing_notes = without_missing(X, names, missing, own_kinds, problems)
    _refuse_few(len(X), min_rows, *missing_notes)
    units = None if units is None else units[kept]
    conditions, done_notes = (None, []) if marks is None else marks.conditions(names, kept, problems)
    apply_transforms(X, names, chosen, problems)
    level_notes, level_problems = settle_levels(X, names, own_kinds, levels)
    problems.add(*level_problems, *_degenerate(X, names, own_kinds, present, complete))
    problems.refuse()
    n, d = X.shape
    if n < d:
        advice = "edges will be missed, so believe those found more than those not found"
        warnings.warn(f"fewer rows ({n}) than columns ({d}): {advice}", DataWarning, stacklevel=2)
    level_notes += one_hot_notes(X, names, own_kinds)
    doubts = doubtful_notes(X, names, own_kinds)
    changed = _transform_notes(names, chosen)
    told = (*notes, *row_notes, *missing_notes, *changed, *level_notes, *done_notes, *doubts)
    out = tuple(sorted(set(all_names) - set(names), key=all_names.index))
    if set(own_kinds) == {CONTINUOUS}:
        return Table(X, names, told, conditions=conditions, left_out=out, units=units)
    return Table(X, names, told, tuple(own_kinds), tuple(levels), conditions, out, units)


def _kept(X: FloatArray, marks: "Marks | None") -> tuple[FloatArray, BoolArray, tuple[str, ...]]:
    """Leave out rows whose condition is not told; return X, the rows (n,) kept once missing values are, and a note."""
    finite: BoolArray = np.asarray(np.isfinite(X).all(axis=1))
    rows = np.ones(len(X), dtype=bool) if marks is None else marks.labelled(len(X))
    if marks is None or rows.all():
        return X, finite, ()
    gone = len(X) - int(rows.sum())
    return X[rows], finite & rows, (f"left out {gone} of {len(X)} rows: {marks.said[1]} has no label there",)


def _complete(X: FloatArray, missing: str) -> BoolArray | None:
    """Rows (n,) that lack nothing, where others keep their place; None where those are left out or filled in."""
    return np.asarray(np.isfinite(X).all(axis=1)) if missing == "raise" else None


def _degenerate(
    X: FloatArray,
    names: Sequence[Hashable],
    kinds: Sequence[str],
    present: BoolArray,
    complete: BoolArray | None,
) -> list[str]:
    """Say which columns, of those that have any values (d,), no method can use; `complete` rows as in `degenerate`."""
    if present.all():
        return degenerate(X, names, kinds, complete)
    some = np.flatnonzero(present).tolist()
    return (
        degenerate(X[:, some], [names[j] for j in some], [kinds[j] for j in some], complete) if some else []
    )


def _refuse_few(n: int, min_rows: int, after: str = "") -> None:
    if n < min_rows:
        why = f" ({after})" if after else ""
        raise InputError(
            f"the table has {n} row{'s' * (n != 1)}{why}; at least {min_rows} are needed, collect more"
        )


def _matrix(raw: RawTable, variables: list[Variable]) -> FloatArray:
    """Lay the columns side by side, a block of rows at a time: whole columns would miss the cache.

    Where the table is ours already, columns move within it: what is written was read before.
    """
    n, d = len(variables[0].values), len(variables)
    place = np.empty(n * d) if raw.whole is None else raw.whole.reshape(-1)[: n * d]
    X = place.reshape(n, d)
    for start in range(0, n, 1024):
        rows = slice(start, start + 1024)
        X[rows] = np.stack([one.values[rows] for one in variables], axis=1)
    return X


def _chosen_transforms(
    names: Sequence[Hashable], kinds: Sequence[str], transform: Any, problems: Problems
) -> dict[int, str]:
    """Return the transform of each column that gets one; a name without usable column was told of before."""
    if transform is None:
        return {}
    if isinstance(transform, str):
        return {j: transform for j, kind in enumerate(kinds) if kind == CONTINUOUS}
    known = {str(name) for name in names}
    wanted = {name: how for name, how in transform.items() if how is not None and str(name) in known}
    found = dict(zip(positions(names, list(wanted), "transform"), wanted.values(), strict=True))
    for j in found:
        if kinds[j] != CONTINUOUS:
            problems.add(f"column {shown(names[j])} is {kinds[j]}, and only numbers are transformed")
    return found


def _transform_notes(names: Sequence[Hashable], chosen: Mapping[int, str]) -> list[str]:
    how = {"log": "logarithm taken of", "rank": "replaced by the normal scores of its ranks:"}
    used = dict.fromkeys(chosen.values())
    return [f"{how[name]} {listed([names[j] for j in chosen if chosen[j] == name])}" for name in used]
