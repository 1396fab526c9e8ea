"""Every kind of column becomes numbers, or says that it is none."""

import datetime as dt
import decimal
import fractions

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dagscale.inputs.table.to_floats import from_array, from_series

nan = np.nan
DAY = dt.date(2020, 1, 31)

SERIES = {
    "pandas float": (pd.Series([1.5, None]), "number", [1.5, nan]),
    "pandas float32": (pd.Series([1.5, 2], dtype="float32"), "number", [1.5, 2]),
    "pandas integer": (pd.Series([1, 2]), "integer", [1, 2]),
    "pandas nullable integer": (pd.Series([1, None], dtype="Int64"), "integer", [1, nan]),
    "pandas boolean": (pd.Series([True, False]), "boolean", [1, 0]),
    "pandas nullable boolean": (pd.Series([True, None], dtype="boolean"), "boolean", [1, nan]),
    "pandas boolean objects": (pd.Series([True, None, False]), "boolean", [1, nan, 0]),
    "pandas ordered": (
        pd.Series(pd.Categorical(["hi", "lo", None], categories=["lo", "hi"], ordered=True)),
        "category",
        [1, 0, nan],
    ),
    "pandas ordered numbers": (pd.Series(pd.Categorical([5, 1], ordered=True)), "category", [1, 0]),
    "pandas category of numbers": (pd.Series(pd.Categorical([5.5, 1.0])), "labels", [1, 0]),
    "pandas numeric text": (
        pd.Series(["1", " 2.5 ", "NA", None, "?"]),
        "numeric text",
        [1, 2.5, nan, nan, nan],
    ),
    "pandas timedelta": (
        pd.Series(pd.to_timedelta([1, None], unit="s")).astype("m8[s]"),
        "duration",
        [1, nan],
    ),
    "pandas decimals": (pd.Series([decimal.Decimal("1.5"), decimal.Decimal("NaN")]), "number", [1.5, nan]),
    "pandas sparse": (pd.Series(pd.arrays.SparseArray([0.0, 1.0])), "number", [0, 1]),
    "pandas nothing": (pd.Series([None, None], dtype=object), "number", [nan, nan]),
    "pandas arrow": (pd.Series([1, None], dtype="int64[pyarrow]"), "integer", [1, nan]),
    "polars integer": (pl.Series([1, None]), "integer", [1, nan]),
    "polars boolean": (pl.Series([True, None]), "boolean", [1, nan]),
    "polars enum": (pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a"])), "category", [0, nan, 1]),
    "polars decimal": (pl.Series([decimal.Decimal("1.5")]), "number", [1.5]),
    "polars text": (pl.Series(["1", None]), "numeric text", [1, nan]),
    "polars duration": (
        pl.Series([dt.timedelta(seconds=2), None], dtype=pl.Duration("ms")),
        "duration",
        [2000, nan],
    ),
    "polars nothing": (pl.Series([None, None]), "number", [nan, nan]),
    "arrow integer": (pa.chunked_array([[1], [None, 3]]), "integer", [1, nan, 3]),
    "arrow boolean": (pa.chunked_array([[True, None]]), "boolean", [1, nan]),
    "arrow ordered": (
        pa.chunked_array(
            [pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), ["lo", "hi"], ordered=True)]
        ),
        "category",
        [1, nan, 0],
    ),
}


@pytest.mark.parametrize(("series", "kind", "values"), SERIES.values(), ids=SERIES)
def test_series_become_numbers(series, kind, values):
    column = from_series("x", nw.from_native(series, series_only=True))
    assert column.kind == kind
    assert column.numeric
    assert column.values.dtype == np.float64
    np.testing.assert_array_equal(column.values, values)


ARRAYS = {
    "integers": (np.array([1, 2], dtype="u1"), "integer", [1, 2]),
    "booleans": (np.array([True, False]), "boolean", [1, 0]),
    "half": (np.array([1.5], dtype="f2"), "number", [1.5]),
    "too long": (np.array([1e300, 1], dtype=np.longdouble) ** 2, "number", [np.inf, 1]),
    "text": (np.array(["1", "nan", ""]), "numeric text", [1, nan, nan]),
    "bytes": (np.array([b"1", b""]), "numeric text", [1, nan]),
    "objects": (
        np.array([1, 2.5, None, fractions.Fraction(1, 2)], dtype=object),
        "number",
        [1, 2.5, nan, 0.5],
    ),
    "whole objects": (np.array([1, np.int8(2)], dtype=object), "integer", [1, 2]),
    "beyond floats": (np.array([10**400, 1], dtype=object), "integer", [np.inf, 1]),
    "durations": (np.array([3, "NaT"], dtype="m8[D]"), "duration", [3, nan]),
    "duration objects": (np.array([dt.timedelta(minutes=1), None], dtype=object), "duration", [60, nan]),
}


@pytest.mark.parametrize(("array", "kind", "values"), ARRAYS.values(), ids=ARRAYS)
def test_arrays_become_numbers(array, kind, values):
    column = from_array("x", array)
    assert column.kind == kind
    np.testing.assert_array_equal(column.values, values)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(pd.to_datetime(["2020-01-01", None])),
        pd.Series(pd.period_range("2020", periods=2, freq="D")),
        pd.Series([DAY, None], dtype=object),
        pd.Series(["2020-01-31", "2020-02-01 12:00:00"]),
        pd.Series(["31.01.2020", None, "1/2/20"]),
        pd.Series(["1 January 2020", "Feb 2, 2020", "03-Mar-2020"]),
        pd.Series(["12:30", "12:30:05.5"]),
        pl.Series([DAY]),
        pl.Series([dt.time(12)]),
        pl.Series([dt.datetime(2020, 1, 1)]),
        pa.chunked_array([[DAY, None]]),
    ],
    ids=str,
)
def test_dates_are_dates(values):
    assert from_series("x", nw.from_native(values, series_only=True)).kind == "date"


def _objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return from_array("x", array)


@pytest.mark.parametrize(
    ("values", "row", "value"),
    [
        (["1", "two", "3"], 1, "two"),
        ([None, "", "a"], 2, "a"),
        (["2020-01-01", "x"], 0, "2020-01-01"),
        (["3", "1_000"], 1, "1_000"),
        (["1,5"], 0, "1,5"),
        (["0x10"], 0, "0x10"),
    ],
)
def test_text_is_coded_and_the_first_that_is_no_number_is_found(values, row, value):
    column = _objects(values)
    assert column.kind == "text"
    assert not column.numeric
    assert column.first_non_number() == (row, value)
    assert column.entries() == [text or None for text in values]


@pytest.mark.parametrize("values", [[1, 2j], [[1], [2]], [1, DAY], [1, dt.timedelta(1)], [{}, 1]], ids=str)
def test_what_is_neither_number_nor_text(values):
    column = _objects(values)
    assert column.kind == "other"
    assert not column.numeric


def test_complex_numbers_are_no_numbers():
    assert from_array("z", np.array([1j, 2])).kind == "other"


@pytest.mark.parametrize(
    "native",
    [
        pd.Series(pd.Categorical(["b", "a", None, "b"], categories=["b", "a", "unused"])),
        pl.Series(["b", "a", None, "b"], dtype=pl.Categorical),
        pa.chunked_array([pa.array(["b", "a", None, "b"]).dictionary_encode()]),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_categories_without_an_order_are_labels_sorted_by_their_text(native):
    column = from_series("c", nw.from_native(native, series_only=True))
    assert (column.kind, column.levels) == ("labels", ("a", "b"))
    np.testing.assert_array_equal(column.values, [1, 0, nan, 1])
