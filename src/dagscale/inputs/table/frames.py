"""Tables of every kind a user may hold, taken apart into named columns; nothing is judged yet."""

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from dagscale.inputs.table.batches import StreamedTable
from dagscale.inputs.table.to_floats import Column, from_array, from_series
from dagscale.runtime.errors import InputError, InputTypeError, shown
from dagscale.runtime.types import FloatArray

ACCEPTED = (
    "a DataFrame (pandas, polars), an arrow table, a 2-D array, a dict of columns or the path of a file"
)


@dataclass(frozen=True)
class RawTable:
    """Columns as they came.

    Attributes
    ----------
    names : list
        Unique, also as text. Columns of a plain array are named by their position.
    raw : list
        One `narwhals.Series`, one-dimensional numpy array or finished `Column` each.
    named : bool
        False for a plain array, whose names are only positions.
    notes : tuple of str
        What the reader of a file had to guess.
    whole : (n, d) float array or None
        The table, where all columns are views of it and it belongs to nobody else.
    """

    names: list[Hashable]
    raw: list[Any]
    named: bool = True
    notes: tuple[str, ...] = ()
    whole: FloatArray | None = None

    def column(self, j: int) -> Column:
        """Convert one column to numbers."""
        raw = self.raw[j]
        if isinstance(raw, Column):
            return raw
        read = from_series if isinstance(raw, nw.Series) else from_array
        return read(self.names[j], raw)


def raw_table(table: Any) -> RawTable:
    """Take apart whatever `read_table` was given.

    Parameters
    ----------
    table : DataFrame, arrow table, array, structured array, dict of columns, list of rows, or path
    """
    if isinstance(table, str | os.PathLike):
        from dagscale.inputs.table.files import read_file

        frame, notes = read_file(Path(table))
        if isinstance(frame, StreamedTable):
            _check_names(frame.names)
            return RawTable(frame.names, list(frame.columns), notes=notes, whole=frame.X)
        return _from_frame(_narwhals(frame), notes)
    if isinstance(table, Mapping):
        return _from_mapping(table)
    if isinstance(table, np.ndarray):
        return _from_ndarray(table)
    if isinstance(table, list | tuple):
        return _from_rows(table)
    frame = _narwhals(table)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame)
    if isinstance(frame, nw.Series):
        raise InputError("the table is a single column (a Series); a graph needs at least two columns")
    if hasattr(table, "toarray"):
        raise InputTypeError("the table is a sparse matrix; give its .toarray(), or a DataFrame made from it")
    if hasattr(table, "__array__"):
        from dagscale.runtime.arrays import to_numpy

        return _from_ndarray(to_numpy(table))
    raise InputTypeError(f"a table is {ACCEPTED}, not {type(table).__name__}")


def _from_frame(frame: "nw.DataFrame[Any]", notes: tuple[str, ...] = ()) -> RawTable:
    names = [_plain_name(name) for name in frame.columns]
    _check_names(names)
    return RawTable(names, list(frame.iter_columns()), notes=notes)


def _from_mapping(table: Mapping[Any, Any]) -> RawTable:
    names = [_plain_name(name) for name in table]
    _check_names(names)
    raw = [_one_column(name, values) for name, values in zip(names, table.values(), strict=True)]
    for name, values in zip(names, raw, strict=True):
        if len(values) != len(raw[0]):
            raise InputError(
                f"column {shown(name)} has {len(values)} rows where {shown(names[0])} has {len(raw[0])}; "
                "columns must be equally long"
            )
    return RawTable(names, raw)


def _one_column(name: Hashable, values: Any) -> Any:
    series = nw.from_native(values, pass_through=True, series_only=True)
    if isinstance(series, nw.Series):
        return series
    if isinstance(values, range):
        values = np.arange(values.start, values.stop, values.step)
    if isinstance(values, list | tuple):
        array = np.empty(len(values), dtype=object)
        for row, value in enumerate(values):  # element by element: np.array would unpack nested lists
            array[row] = value
        return array
    if not hasattr(values, "__array__"):
        raise InputTypeError(f"column {shown(name)} must be a list or a 1-D array, not {shown(values)}")
    column = _unmasked(values)
    if column.ndim != 1:
        raise InputTypeError(
            f"column {shown(name)} must be a list or a 1-D array, not of shape {column.shape}"
        )
    return column


def _from_ndarray(array: Any) -> RawTable:
    if array.dtype.names and array.ndim == 1:
        return _from_mapping({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        raise InputError(f"an array must have two dimensions (rows, columns), not shape {array.shape}")
    array = np.asarray(_unmasked(array))
    return RawTable(list(range(array.shape[1])), list(array.T), named=False)


def _from_rows(rows: Sequence[Any]) -> RawTable:
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row))
        return _from_mapping({name: [row.get(name) for row in rows] for name in names})
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple | np.ndarray):
            raise InputTypeError(f"a list must hold rows (lists of numbers); row {i} is {shown(row)}")
        if len(row) != len(rows[0]):
            raise InputError(f"row {i} has {len(row)} values where row 0 has {len(rows[0])}")
    raw = [_one_column(j, list(values)) for j, values in enumerate(zip(*rows, strict=True))]
    return RawTable(list(range(len(raw))), raw, named=False)


def _unmasked(values: Any) -> Any:
    """Return an array with NaN (None for what is no number) where it was masked."""
    if not np.ma.is_masked(values):
        return np.asarray(values)
    numbers = values.dtype.kind in "iufb"
    plain = np.array(values.data, dtype=np.float64 if numbers else object)
    plain[np.ma.getmaskarray(values)] = np.nan if numbers else None
    return plain


def _narwhals(table: Any) -> Any:
    """Wrap a frame or a series; return anything else as it is."""
    try:
        return nw.from_native(table, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        names = getattr(table, "column_names", None) or table.columns  # arrow's, pandas'
        _check_names([_plain_name(name) for name in names])
        raise  # not reached: a duplicate is what the check looks for


def _plain_name(name: Any) -> Hashable:
    """Return a numpy scalar (also inside a tuple) as the Python value it is."""
    if isinstance(name, tuple):
        return tuple(_plain_name(part) for part in name)
    return name.item() if isinstance(name, np.generic) else name  # type: ignore[no-any-return]


def _check_names(names: list[Hashable]) -> None:
    first: dict[str, int] = {}
    for j, name in enumerate(names):
        if name is None or name != name:
            raise InputError(f"column {j} (counted from 0) has no name but {name!r}; give it one")
        twin = first.setdefault(str(name), j)
        if twin != j:
            raise InputError(
                f"two columns are named {shown(name)} (columns {twin} and {j}, counted from 0); rename one"
            )
