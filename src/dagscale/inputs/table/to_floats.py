"""One column of any kind, as numbers: floats, or the reason why it cannot be."""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import date, time, timedelta
from numbers import Number
from typing import Any, Literal

import narwhals as nw
import numpy as np

from dagscale.runtime.types import FloatArray

Kind = Literal[
    "number",
    "integer",
    "boolean",
    "category",
    "labels",
    "duration",
    "numeric text",
    "text",
    "free text",
    "date",
    "other",
]  # "category" has an order, "labels" have none; whether "text" is of labels is still to be judged

MISSING_TEXT = frozenset(["", "na", "n/a", "#n/a", "nan", "null", "none", "<na>", "missing", "?", ".", "-"])

_DATE = re.compile(
    r"""\d{4}[-/.](0?[1-9]|1[0-2])([-/.]\d{1,2})?([T\ ]\d.*)?  # 2020-01-31, 2020/01/31 12:00
      | \d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})(\ .*)?   # 31.01.2020, 1/31/20
      | \d{1,2}[-\ ][A-Za-z]{3,9}[-\ ,]+\d{2,4}(\ .*)? # 31 January 2020, 31-Jan-20
      | [A-Za-z]{3,9}\ \d{1,2},?\ \d{4}(\ .*)?         # January 31, 2020
      | \d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?               # 12:30:00
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class FreeText:
    """What is known of text of so many different values that they were not kept.

    Attributes
    ----------
    different : int
        Values after which no more were kept.
    never_repeats : bool
        No value was seen twice, as far as they were compared.
    slip : (int, str) or None
        Of a column that mostly spells numbers, the first row and text that do not.
    """

    different: int
    never_repeats: bool
    slip: tuple[int, str] | None


@dataclass(frozen=True)
class Column:
    """A column and what it was.

    Attributes
    ----------
    name : hashable
    kind : str
        What the values were before they became numbers; "free text", "date" and "other" did not.
    values : (n,) array
        float64 with NaN for what is missing; of "date" and "other" the objects themselves, if they were kept.
    levels : tuple or None
        Of "category", "labels" and "text", whose values are codes: what the codes stand for, those in use only.
    free : FreeText or None
        Of "free text".
    """

    name: Hashable
    kind: Kind
    values: Any
    levels: tuple[Any, ...] | None = None
    free: FreeText | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def numeric(self) -> bool:
        """Say whether the values are numbers."""
        return self.kind not in ("text", "free text", "date", "other")

    def entries(self) -> list[Any]:
        """Return what stands in the rows: levels for codes, None for what is missing."""
        if self.levels is None:
            return list(self.values)
        known = [*self.levels, None]
        return [known[code] for code in np.where(np.isnan(self.values), -1, self.values).astype(np.intp)]

    def first_non_number(self) -> tuple[int, str]:
        """Return the row and text of the first entry of a column of text that spells no number."""
        slips = [k for k, level in enumerate(self.levels or ()) if as_float(level) is None]
        row = int(np.isin(self.values, slips).argmax())
        return row, str((self.levels or ())[int(self.values[row])])


def from_series(name: Hashable, series: "nw.Series[Any]") -> Column:
    """Read a column of a frame (pandas, polars, arrow) through narwhals."""
    dtype = series.dtype
    if dtype == nw.Float64:
        return Column(name, "number", np.asarray(series.to_numpy(), dtype=np.float64))
    if dtype.is_numeric() or dtype == nw.Boolean:
        kind: Kind = "boolean" if dtype == nw.Boolean else "integer" if dtype.is_integer() else "number"
        values = series.to_numpy()
        if values.dtype.kind not in "iufb":  # decimals, or nulls among booleans
            values = series.cast(nw.Float64).to_numpy()
        return Column(name, kind, np.asarray(values, dtype=np.float64))
    categories = _ordered_categories(series)
    if categories:
        return _coded(name, "category", series.to_list(), categories)
    if isinstance(dtype, nw.Categorical | nw.Enum | nw.String):
        entries: list[Any] = series.to_list()
        found = _from_objects(name, entries)
        if isinstance(dtype, nw.String) or found.kind == "date":
            return found
        return _coded(name, "labels", entries, sorted_levels(entries))
    return from_array(name, series.to_numpy())


def _coded(name: Hashable, kind: Kind, values: list[Any], levels: list[Any]) -> Column:
    """Number the levels in use in the order given."""
    used = {value for value in values if not is_missing(value)}
    levels = [level for level in levels if level in used]
    code = {level: float(k) for k, level in enumerate(levels)}
    codes = [np.nan if is_missing(value) else code[value] for value in values]
    return Column(name, kind, np.array(codes, dtype=np.float64), tuple(map(plain, levels)))


def sorted_levels(values: list[Any]) -> list[Any]:
    """Return the different values that are there, numbers by size, all else by its text."""
    present = {value for value in values if not is_missing(value)}
    numbers = all(isinstance(value, int | float | np.number) for value in present)
    return sorted(present) if numbers else sorted(present, key=str)


def plain(value: Any) -> Any:
    """Return a level as a Python value that any file can hold: a truth value, a number or a text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, bool | int | float | str) else str(value)


def from_array(name: Hashable, values: Any) -> Column:
    """Read a one-dimensional numpy array of any dtype."""
    match values.dtype.kind:
        case "f" | "i" | "u" | "b":
            kind: Kind = {"f": "number", "b": "boolean"}.get(values.dtype.kind, "integer")  # type: ignore[assignment]
            with np.errstate(
                over="ignore"
            ):  # a long double beyond float64 becomes infinite, and is reported so
                return Column(name, kind, values.astype(np.float64, copy=False))
        case "M":
            return Column(name, "date", values)
        case "m":  # counted in the array's own unit
            numbers = np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
            return Column(name, "duration", numbers)
        case _:
            return _from_objects(name, values.tolist())


def _ordered_categories(series: "nw.Series[Any]") -> list[Any]:
    """Return the categories of an ordered category, lowest first; [] for any other column."""
    if isinstance(series.dtype, nw.Enum):
        return list(series.dtype.categories)
    native = series.to_native()
    if getattr(getattr(native, "type", None), "ordered", False):  # an arrow dictionary
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist()) if len(native) else []
    return []


def _from_objects(name: Hashable, values: list[Any]) -> Column:
    present = [value for value in values if not is_missing(value)]
    types = {type(value) for value in present}
    if types and all(issubclass(t, date | time | np.datetime64) or t.__name__ == "Period" for t in types):
        return Column(name, "date", np.array(values, dtype=object))
    if types and all(issubclass(t, timedelta) for t in types):
        return Column(name, "duration", np.array([_seconds(value) for value in values], dtype=np.float64))
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        number = as_float(value)
        if number is None:
            return _from_texts(name, values, present)
        numbers[row] = number
    return Column(name, _kind_of(types), numbers)


def _from_texts(name: Hashable, values: list[Any], present: list[Any]) -> Column:
    """Read entries that are not all numbers: dates, text, or what is neither."""
    if all(isinstance(value, str) and is_date(value) for value in present):
        return Column(name, "date", _objects(values))
    codes, code = np.full(len(values), np.nan), dict[str, int]()
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        text = label(value)
        if text is None:
            return Column(name, "other", _objects(values))
        codes[row] = code.setdefault(text, len(code))
    return text_column(name, list(code), codes)


def text_column(name: Hashable, texts: list[str], codes: FloatArray) -> Column:
    """Make a column of text from its different values and their codes (n,), which are changed to sorted ones."""
    place = np.empty(len(texts) + 1)
    place[np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.intp)] = np.arange(len(texts))
    place[-1] = np.nan
    codes[:] = place[np.where(np.isnan(codes), -1, codes).astype(np.intp)]
    return Column(name, "text", codes, tuple(sorted(texts)))


def label(value: Any) -> str | None:
    """Return the text of a level; None for lists, complex numbers and other objects, which are none."""
    if isinstance(value, bytes):
        return value.decode("latin-1").strip()
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
        return str(plain(value))
    return None


def is_date(text: str) -> bool:
    """Say whether a text is a date or a time."""
    return _DATE.fullmatch(text.strip()) is not None


def _kind_of(types: set[type]) -> Kind:
    if any(issubclass(t, str | bytes) for t in types):
        return "numeric text"
    if types and all(issubclass(t, bool | np.bool_) for t in types):
        return "boolean"
    return "integer" if types and all(issubclass(t, int | np.integer) for t in types) else "number"


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)  # np.array would unpack values that are lists
    for row, value in enumerate(values):
        array[row] = value
    return array


def is_missing(value: Any) -> bool:
    """Say whether a value is None, NaN, NaT, pandas' NA or a text that stands for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, str | bytes):
        text = value.decode("latin-1") if isinstance(value, bytes) else value
        return text.strip().lower() in MISSING_TEXT
    return isinstance(value, Number | np.datetime64) and bool(value != value)


def as_float(value: Any) -> float | None:
    """Return a real number, or a text that spells one, as a float; None for anything else."""
    if not isinstance(value, Number | np.generic | str | bytes) or isinstance(
        value, complex | np.complexfloating
    ):
        return None
    if isinstance(value, str | bytes) and ("_" in value if isinstance(value, str) else b"_" in value):
        return None  # Python reads "1_000" as a number; a table's author hardly means one
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return np.inf
    except (TypeError, ValueError):
        return None


def _seconds(value: Any) -> float:
    return np.nan if is_missing(value) else float(value.total_seconds())
