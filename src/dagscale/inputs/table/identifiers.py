"""Columns that label rows instead of measuring something: indices, IDs, dates.

Integers that never repeat are no proof of an ID, so a column is left out only when more speaks for it:

- it holds dates or times, also as numbers: 20240131;
- it has no header ("Unnamed: 0", "") and holds labels, or nothing at all;
- its name is an ID's ("id", "patient_id", "sampleID", "row", ...) and its values never repeat;
- its name is that of the ID of something measured again and again ("patient_id", "person", "family", ...), and it
  holds more than a few integers, or texts that number: P1, P2, 17A. A larger ID is not more of anything. Texts that
  do not number may be levels of a category: the families of plants;
- it is of integers and counts the rows: 5, 6, 7 ..., also with small gaps, also downwards;
- it is the only column of integers that never repeat in a range of at most 1.5 times the rows, in any order.
  (With several such columns the table holds ranks, and they stay.)

Floats are never taken for an ID by their values alone. In a plain array, which has no names, only a
first column that counts exactly 0, 1, 2 ... (from any start) is left out.
"""

import re
from collections.abc import Hashable, Sequence

import numpy as np

from dagscale.inputs.table.to_floats import Column
from dagscale.runtime.types import FloatArray, IntArray

_UNNAMED = re.compile(r"Unnamed: \d+(_level_\d+)?|\s*|__index_level_\d+__")
_ID_NAME = re.compile(
    r"id|ids|index|idx|key|uuid|guid|barcode|level_\d+"
    r"|row([ _.-]?(id|no|nr|num|number|index|names?))?"
    r"|(sample|subject|patient|participant|respondent|record|case|observation|obs)"
    r"([ _.-]?(id|no|nr|num|number|name))?"
    r"|.+[ _.-](id|idx|uuid|guid)",
    re.IGNORECASE,
)
_CAMEL_ID = re.compile(r".*[a-z](ID|Id)")
_UNIT_NAME = re.compile(
    r"(subject|patient|participant|respondent|person|individual|family|household)([ _.-]?(id|no|nr|num|number))?"
    r"|.+[ _.-]id",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"[^\W\d_]*[ _.#-]*\d+([ _#-]+[^\W\d_]*\d+)*[^\W\d_]?"
)  # 17, P17, person-17, S1-P17, 17A
_FEW = 7  # different integers that may be levels of a factor, whatever its name
_DENSE = 1.5  # the range of values, in rows, up to which never-repeating integers are taken for numbering


def reasons_to_leave_out(columns: Sequence[Column], named: bool) -> dict[int, str]:
    """Say which columns label rows, and why.

    Parameters
    ----------
    columns : sequence of Column
    named : bool
        False for a plain array.

    Returns
    -------
    dict of int to str
        By position in `columns`.
    """
    if not named:
        first = columns[0] if columns else None
        counts = first is not None and first.numeric and _steps_by_one(first.values)
        dates = {j: "it holds dates or times" for j, column in enumerate(columns) if column.kind == "date"}
        return dates | ({0: "it counts the rows"} if counts else {})
    reasons = {j: why for j, column in enumerate(columns) if (why := _reason(column))}
    shuffled = [j for j, column in enumerate(columns) if j not in reasons and _numbers_rows(column)]
    if len(shuffled) == 1:
        reasons[shuffled[0]] = "it numbers the rows: integers that never repeat, almost without gaps"
    return reasons


def has_id_name(name: Hashable) -> bool:
    """Say whether a name is one that IDs have."""
    text = str(name)
    return _ID_NAME.fullmatch(text) is not None or _CAMEL_ID.fullmatch(text) is not None


def _reason(column: Column) -> str | None:
    if column.kind == "date":
        return "it holds dates or times"
    if _calendar(column):
        return f"it holds dates, written as numbers such as {column.values[0]:.0f}"
    if _UNNAMED.fullmatch(str(column.name)):
        if column.numeric and np.isnan(column.values).all():
            return "it has no name and no values"
        if _never_repeats(column):
            return "it has no name and labels the rows"
    if has_id_name(column.name) and _never_repeats(column):
        return "its name is an ID's and its values never repeat"
    if names_units(column) and (column.levels is None or all(map(_NUMBERED.fullmatch, column.levels))):
        return "its name is an ID's, so it only says which rows belong together"
    if _numbers_rows(column):
        steps = np.diff(column.values)
        if (steps > 0).all() or (steps < 0).all():
            return "it counts the rows"
    return None


def _calendar(column: Column) -> bool:
    """Say whether a column of integers holds days of 1900 to 2100, year, month and day side by side."""
    if column.kind != "integer" or not len(column.values) or not np.isfinite(column.values).all():
        return False
    year, month, day = column.values // 10_000, column.values // 100 % 100, column.values % 100
    inside = (year >= 1900) & (year <= 2100) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    return bool(inside.all()) and len(np.unique(column.values)) > 2


def _never_repeats(column: Column) -> bool:
    """Say whether a column of integers or text holds a different value in every row it has one."""
    if column.free is not None:
        return column.free.never_repeats
    if column.kind == "text":
        there = int(np.isfinite(column.values).sum())
        return 2 * there > len(column.values) and len(column.levels or ()) == there
    if not column.numeric:
        return False
    if column.kind == "boolean":
        return False
    present_numbers = column.values[~np.isnan(column.values)]
    return 2 * len(present_numbers) > len(column.values) and _different_integers(present_numbers)


def names_units(column: Column) -> bool:
    """Say whether a column names what was measured again and again: persons, families."""
    name = str(column.name)
    named = _UNIT_NAME.fullmatch(name) is not None or _CAMEL_ID.fullmatch(name) is not None
    if not named or column.kind not in ("integer", "number", "numeric text", "text"):
        return False
    there = column.values[np.isfinite(column.values)]
    return bool((there == np.round(there)).all()) and _FEW < len(np.unique(there)) < len(there)


def units_of(columns: Sequence[Column]) -> IntArray | None:
    """Return which rows show one unit, (n, k): a place for each of the units that each of k columns names.

    Rows without a name are units of their own. None where no column names units.
    """
    found = []
    for column in filter(names_units, columns):
        missing = ~np.isfinite(column.values)
        places = np.unique(np.where(missing, np.inf, column.values), return_inverse=True)[1].reshape(-1)
        places[missing] = places.max(initial=0) + 1 + np.arange(missing.sum())
        found.append(places)
    return np.column_stack(found) if found else None


def _numbers_rows(column: Column) -> bool:
    if column.kind != "integer" or len(column.values) < 2:
        return False
    span = column.values.max() - column.values.min() + 1  # NaN where a value is missing: no numbering
    n = len(column.values)
    return bool(n <= span <= _DENSE * n) and _different_integers(column.values)


def _steps_by_one(values: FloatArray) -> bool:
    whole = len(values) > 1 and bool(np.isfinite(values).all()) and bool(values[0] == np.round(values[0]))
    return whole and bool((np.diff(values) == 1).all())


def _different_integers(values: FloatArray) -> bool:
    if not np.isfinite(values).all() or (values != np.round(values)).any():
        return False
    return len(np.unique(values)) == len(values)
