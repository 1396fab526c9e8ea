"""Every way a table can be unusable, and the one line each of them gets."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from dagscale.inputs.table import read_table
from dagscale.runtime.errors import InputError, InputTypeError

n = 50
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 3))
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
HOLES = FRAME.mask(np.isin(np.arange(n), [3, 7])[:, None] & (np.arange(3) == 1))
ones = np.ones(n)
BAD = {
    "no columns": (pd.DataFrame(index=range(30)), {}, "empty: it has no columns"),
    "an empty dict": ({}, {}, "empty: it has no columns"),
    "an empty list": ([], {}, "empty: it has no columns"),
    "no rows": (FRAME[:0], {}, "empty: it has columns but no rows"),
    "an array without rows": (np.empty((0, 3)), {}, "empty: it has columns but no rows"),
    "one column": (FRAME[["a"]], {}, "at least two columns, and only column 'a' is left"),
    "one column after drop": (FRAME, {"drop": ["b", "c"]}, "only column 'a' is left"),
    "all dropped": (FRAME, {"drop": ["a", "b", "c"]}, "no column is left"),
    "one column beside an ID": (
        FRAME[["a"]].assign(id=range(n)),
        {},
        "only column 'a' is left (left out column 'id'",
    ),
    "a series": (FRAME["a"], {}, "a single column (a Series)"),
    "few rows": (FRAME[:7], {}, "the table has 7 rows; at least 20 are needed"),
    "numbers with a slip": (
        FRAME.assign(a=["", *map(str, X[1:-1, 0]), "12,5x"]),
        {},
        "column 'a' holds numbers, and text: '12,5x' in row 49 (counted from 0); correct that cell, ",
    ),
    "constant texts": (
        FRAME.assign(s="x", t="y"),
        {},
        "constant: columns 's', 't' with the same value in every row; leave out with drop=['s', 't']",
    ),
    "free text that was asked for": (
        FRAME.assign(s=[f"x\ny{k}" * 300 for k in range(n)]),
        {"columns": ["a", "b", "s"]},
        "column 's' holds text of 50 different values; leave it out",
    ),
    "complex": (FRAME.assign(z=1j * X[:, 0]), {}, "column 'z' holds what is neither a number nor text: "),
    "lists": (
        FRAME.assign(z=[[1]] * n),
        {},
        "column 'z' holds what is neither a number nor text: [1]; leave",
    ),
    "constant": (
        FRAME.assign(k=3.5),
        {},
        "constant: column 'k' with the same value in every row (3.5); leave out with drop=['k']",
    ),
    "constants": (
        FRAME.assign(k=3.5, l=2),
        {},
        "constant: columns 'k', 'l' with the same value in every row; leave out with drop=['k', 'l']",
    ),
    "constant but once": (
        FRAME.assign(k=[*ones[1:], 7]),
        {},
        "constant: column 'k' with the same value in every row but one",
    ),
    "constant but first": (
        FRAME.assign(k=[7, *ones[1:]]),
        {},
        "constant: column 'k' with the same value in every row but one",
    ),
    "near-constant": (
        FRAME.assign(k=1e9 + 1e-3 * X[:, 0]),
        {},
        "constant: column 'k' with values equal to ten digits (1e+09); subtract the mean or",
    ),
    "copy": (
        FRAME.assign(d=X[:, 1]),
        {},
        "column 'd' is a copy of 'b' up to shift and scale; leave out with drop=['d']",
    ),
    "affine copy": (
        FRAME.assign(d=7 - 1e-5 * X[:, 1]),
        {},
        "column 'd' is a copy of 'b' up to shift and scale",
    ),
    "copies": (
        FRAME.assign(d=2 * X[:, 1], e=3 * X[:, 2]),
        {},
        "(2 such columns in all); leave out with drop=['d', 'e']",
    ),
    "missing": (HOLES, {}, "'b' (2 missing)"),
    "no values": (
        FRAME.assign(k=np.nan),
        {"missing": "impute"},
        "no usable value in column 'k'; leave out with drop=['k']",
    ),
    "no values either": (
        FRAME.assign(k=np.nan),
        {"missing": "drop"},
        "no usable value in column 'k'; leave out with drop=['k']",
    ),
    "one row": (FRAME[:1], {}, "the table has 1 row; at least 20 are needed"),
    "many holes": (pd.DataFrame(np.where(rng.random((n, 30)) < 0.5, np.nan, 1)), {}, "and 25 more columns"),
    "same names": (FRAME.set_axis(["a", "b", "a"], axis=1), {}, "two columns are named 'a' (columns 0 and 2"),
    "same text": (FRAME.set_axis(["1", "b", 1], axis=1), {}, "two columns are named 1 (columns 0 and 2"),
    "same names, arrow": (pa.table([X[:, 0], X[:, 1]], names=["a", "a"]), {}, "two columns are named 'a'"),
    "no name": (FRAME.set_axis(["a", None, "c"], axis=1), {}, "column 1 (counted from 0) has no name but"),
    "nan as name": (
        FRAME.set_axis(["a", np.nan, 3], axis=1),
        {},
        "column 1 (counted from 0) has no name but nan",
    ),
    "huge": (FRAME.assign(k=1e200 * X[:, 0]), {}, "values near the limits of floats (up to"),
    "tiny": (FRAME.assign(k=1e-200 * X[:, 0]), {}, "values near the limits of floats (up to"),
    "one dimension": (X[:, 0], {}, "two dimensions (rows, columns), not shape (50,)"),
    "three dimensions": (X[None], {}, "two dimensions (rows, columns), not shape (1, 50, 3)"),
    "uneven dict": ({"a": X[:, 0], "b": X[:9, 1]}, {}, "column 'b' has 9 rows where 'a' has 50"),
    "uneven rows": ([[1, 2], [3]], {}, "row 1 has 1 values where row 0 has 2"),
    "a missing file": ("no/such/file.csv", {}, "file 'no/such/file.csv' cannot be read: No such file"),
    "a directory": (".", {}, "it is a directory"),
    "a path with a zero": ("a\0b", {}, "cannot be read: "),
    "transform": (FRAME, {"transform": "sqrt"}, "unknown transform 'sqrt'"),
    "log": (FRAME, {"transform": "log"}, "transform='log': column 'a' holds"),
    "missing option": (
        FRAME,
        {"missing": "drp"},
        "missing must be 'raise', 'drop', 'impute', not 'drp'; did you mean 'drop'?",
    ),
}

BAD_KINDS = {
    "none": (None, {}, "a table is a DataFrame (pandas, polars), an arrow table, a 2-D array,"),
    "a number": (3, {}, "not int"),
    "a set": ({1, 2}, {}, "not set"),
    "sparse": (scipy.sparse.csr_array(X), {}, "sparse matrix; give its .toarray()"),
    "a dict of scalars": ({"a": 1, "b": 2}, {}, "column 'a' must be a list or a 1-D array, not 1"),
    "a dict of matrices": (
        {"a": X, "b": X},
        {},
        "column 'a' must be a list or a 1-D array, not of shape (50, 3)",
    ),
    "a list of numbers": ([1, 2, 3], {}, "a list must hold rows (lists of numbers); row 0 is 1"),
    "a callable": (FRAME, {"transform": np.log}, "transform must be 'log', 'rank' or a dict"),
    "missing of another kind": (FRAME, {"columns": 3}, "columns must be a list of column names"),
}


@pytest.mark.parametrize(("table", "options", "line"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_line(table, options, line):
    with pytest.raises(InputError) as refused:
        read_table(table, **options)
    assert isinstance(refused.value, ValueError)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(("table", "options", "line"), BAD_KINDS.values(), ids=BAD_KINDS)
def test_input_of_the_wrong_kind_gets_one_line(table, options, line):
    with pytest.raises(InputTypeError) as refused:
        read_table(table, **options)
    assert isinstance(refused.value, TypeError)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_column_without_values_is_told_of_once():
    with pytest.raises(InputError) as error:
        read_table(FRAME.assign(k=np.nan, l=None, m=7.0), missing="impute")
    line = str(error.value)
    assert line.count("'k'") == 2  # the culprit and the remedy
    assert "constant: column 'm'" in line


def test_a_huge_value_beside_missing_ones_overflows_nothing():
    """The square of 1e300 has no place in a float; constant columns are told by their smallest and largest value."""
    huge = HOLES.assign(a=np.where(np.arange(n) == 9, 1e300, X[:, 0]))
    with pytest.raises(InputError, match="'b' \\(2 missing\\)"):
        read_table(huge)
