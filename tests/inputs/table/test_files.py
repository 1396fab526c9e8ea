"""Files of every format give back the table that was written, whatever they are called."""

import gzip
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.inputs.table.files import read_file
from dagscale.runtime.errors import DagscaleError, InputError, MissingDependencyError

rng = np.random.default_rng(0)
FRAME = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", "b c", "ö"])


def read(path):
    frame, notes = read_file(path)
    return (frame if isinstance(frame, pd.DataFrame) else frame.to_pandas()), notes


@pytest.mark.parametrize("suffix", ["csv", "txt", "data", ""])
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|", " "])
def test_the_delimiter_is_found(tmp_path, delimiter, suffix):
    path = tmp_path / f"table.{suffix}"
    FRAME.to_csv(path, sep=delimiter, index=False)
    frame, notes = read(path)
    pd.testing.assert_frame_equal(frame, FRAME, check_exact=True, check_column_type=False)
    assert notes == ()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("kind", ["csv", "parquet", "feather"])
def test_formats_are_told_by_their_content(tmp_path, kind, pack):
    path = tmp_path / "plain"
    getattr(FRAME, f"to_{kind}")(path, **({"index": False} if kind == "csv" else {}))
    path.write_bytes(pack(path.read_bytes()))
    frame, _ = read(path)
    pd.testing.assert_frame_equal(frame, FRAME, check_exact=True, check_column_type=False)


LAYOUTS = {
    "blanks in runs": ("  a   b\n 1.5   2\n  3  4.5 \n", {"a": [1.5, 3], "b": [2, 4.5]}),
    "blanks after commas": ("a, b\n1, 2\n3, 4\n", {"a": [1, 3], "b": [2, 4]}),
    "windows lines": ("a,b\r\n1,2\r\n3,4\r\n", {"a": [1, 3], "b": [2, 4]}),
    "old mac lines": ("a,b\r1,2\r3,4\r", {"a": [1, 3], "b": [2, 4]}),
    "byte order mark": ("\ufeffa,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
    "comments and blank lines": ("# made by hand\n\n# a,b\na,b\n1,2\n\n3,4\n\n", {"a": [1, 3], "b": [2, 4]}),
    "a title": ("Measurements of May\n\nLab 3,\na,b\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
    "a title over decimal commas": ("Mai;\na;b\n1,5;2\n3;4\n", {"a": [1.5, 3], "b": [2, 4]}),
    "quoted delimiters": ('"a,b",c\n1,2\n3,4\n', {"a,b": [1, 3], "c": [2, 4]}),
    "quoted newline in header": ('"a\nb",c\n1,2\n3,4\n', {"a\nb": [1, 3], "c": [2, 4]}),
    "missing cells": ("a;b\n1;\n?;4\nNA;.\n", {"a": [1, np.nan, np.nan], "b": [np.nan, 4, np.nan]}),
    "decimal comma": ("a;b\n1,5;2\n-0,25;1,5e3\n", {"a": [1.5, -0.25], "b": [2, 1500]}),
    "decimal comma between tabs": ("a\tb\n1,5\t2\n-0,25\t1,5\n", {"a": [1.5, -0.25], "b": [2, 1.5]}),
    "decimal comma between bars": ("a|b\n1,5|2\n-0,25|1,5\n", {"a": [1.5, -0.25], "b": [2, 1.5]}),
    "decimal comma between blanks": (
        "a b c\n1,5 2 0,5\n-0,25 1,5 3\n",
        {"a": [1.5, -0.25], "b": [2, 1.5], "c": [0.5, 3]},
    ),
    "decimal comma without header": ("1,5\t2,5\n0,25\t1,5\n", {"x0": [1.5, 0.25], "x1": [2.5, 1.5]}),
    "a number after a blank in text": (
        "a,b\nmazda 3,21\nford 5,22\n",
        {"a": ["mazda 3", "ford 5"], "b": [21, 22]},
    ),
    "Excel's first line": ("sep=;\na;b\n1;2\n3;4\n", {"a": [1, 3], "b": [2, 4]}),
    "unnamed first": (",a,b\n7,1,2\n8,3,4\n", {"Unnamed: 0": [7, 8], "a": [1, 3], "b": [2, 4]}),
    "row names of R": (
        '"a" "b"\n"r1" 1 2\n"r2" 3 4\n',
        {"Unnamed: 0": ["r1", "r2"], "a": [1, 3], "b": [2, 4]},
    ),
    "a delimiter at every end": (
        "a,b,\n1,2,\n3,4,\n",
        {"a": [1, 3], "b": [2, 4], "Unnamed: 2": [np.nan] * 2},
    ),
    "at the ends of rows only": ("a,b\n1,2,\n3,4,\n", {"a": [1, 3], "b": [2, 4], "Unnamed: 2": [np.nan] * 2}),
    "at the end of the header only": ("a,b,\n1,2\n3,4\n", {"a": [1, 3], "b": [2, 4]}),
    "numbers as names": ("0,1,2\n5,6,7\n8,9,9\n", {"0": [5, 8], "1": [6, 9], "2": [7, 9]}),
    "an index and numbers as names": (
        ",0,1\n0,6,7\n1,9,9\n",
        {"Unnamed: 0": [0, 1], "0": [6, 9], "1": [7, 9]},
    ),
    "no last newline": ("a\tb\n1\t2\n3\t4", {"a": [1, 3], "b": [2, 4]}),
    "times with commas between": (
        "t,a\n2020-01-01 12:00,1\n2020-01-01 13:00,2\n",
        {"t": ["2020-01-01 12:00", "2020-01-01 13:00"], "a": [1, 2]},
    ),
    "semicolons in text": ("a,b\nx;y;z,1\nu;v;w,2\n", {"a": ["x;y;z", "u;v;w"], "b": [1, 2]}),
}


@pytest.mark.parametrize(("text", "columns"), LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(tmp_path, text, columns):
    (tmp_path / "t").write_bytes(text.encode())
    frame, _ = read(tmp_path / "t")
    assert list(frame.columns) == list(columns)
    pd.testing.assert_frame_equal(frame, pd.DataFrame(columns), check_dtype=False, check_column_type=False)


def test_a_first_line_of_numbers_is_data_and_said_so(tmp_path):
    np.savetxt(tmp_path / "t", FRAME.to_numpy(), delimiter=",")
    frame, notes = read(tmp_path / "t")
    assert list(frame.columns) == ["x0", "x1", "x2"]
    np.testing.assert_array_equal(frame.to_numpy(), FRAME.to_numpy())
    assert notes == ("the file has no header line: columns are named x0 to x2",)


def test_decimal_commas_are_noted_and_never_guessed_from_thousands(tmp_path):
    (tmp_path / "t").write_text("a;b\n1,5;2\n2,5;3\n")
    assert read(tmp_path / "t")[1] == ("commas are read as decimal signs",)
    for text in ("a;b\n1,500;2\n2,500;3\n", "a\tb\n1,500\t2\n2,500\t3\n", "a;b\n1,5;2.5\n2,5;3\n"):
        (tmp_path / "t").write_text(text)
        frame, notes = read(tmp_path / "t")
        assert notes == ()
        assert "," in frame["a"].iloc[0]


@pytest.mark.parametrize(("encoding", "noted"), [("cp1252", True), ("utf-16", False), ("utf-8", False)])
def test_encodings(tmp_path, encoding, noted):
    FRAME.to_csv(tmp_path / "t", index=False, encoding=encoding)
    frame, notes = read(tmp_path / "t")
    assert list(frame.columns) == ["a", "b c", "ö"]
    assert (notes == ("the file is not UTF-8: read as Windows-1252",)) == noted


def test_an_odd_byte_far_down_is_read_too(tmp_path):
    text = "a,b,c\n" + "1.5,2.5,x\n" * 20_000
    (tmp_path / "t").write_bytes(text.encode() + b"1,2,\xe9\n")
    frame, notes = read(tmp_path / "t")
    assert frame["c"].iloc[-1] == "é"
    assert len(notes) == 1


def test_wide_files(tmp_path):
    wide = pd.DataFrame(rng.normal(size=(20, 3000)), columns=[f"gene number {j}" for j in range(3000)])
    wide.to_csv(tmp_path / "t", index=False, sep="\t")
    pd.testing.assert_frame_equal(read(tmp_path / "t")[0], wide, check_exact=True, check_column_type=False)


BAD = {
    "missing": (None, "cannot be read: No such file or directory"),
    "empty": (b"", "is empty"),
    "blank": (b"  \n \n", "is empty"),
    "binary": (bytes(range(256)) * 20, "is binary"),
    "binary without zeros": (bytes(range(1, 256)) * 20, "is binary"),
    "zip": (b"PK\x03\x04rest", "is a zip archive or an Excel workbook; save its table as CSV"),
    "numpy": (b"\x93NUMPY\x01", "is a numpy file"),
    "damaged gzip": (gzip.compress(b"a,b\n1,2\n" * 99)[:-12], "its gzip compression is damaged"),
    "false gzip": (b"\x1f\x8b" + b"\x00" * 50, "its gzip compression is damaged"),
    "damaged parquet": (b"PAR1 and so on", "is damaged Parquet"),
    "damaged feather": (b"ARROW1 and so on", "is damaged Feather"),
    "header only": (b"a,b,c\n", "has a header but no rows"),
    "a long row": (
        b"a,b\n1,2\n3,4\n5,6,7\n8,9\n" + b"1,2\n" * 20,
        "no regular table: Expected 2 fields in line 4, saw 3",
    ),
    "a long first row": (b"a,b\n1,2,3,4\n" + b"1,2\n" * 20, "no regular table"),
    "a short header": (b"a,b\n" + b"1,2,3,4\n" * 20, "its header has 2 cells where the rows have 4"),
    "an open quote": (b'a,b\n"1,2\n' + b"1,2\n" * 200, "no regular table"),
}


@pytest.mark.parametrize(("content", "line"), BAD.values(), ids=BAD)
def test_bad_files_get_one_line(tmp_path, content, line):
    path = tmp_path / "table.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_file(path)
    assert line in str(refused.value)
    assert "table.csv" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(InputError, match="it is a directory; name a file in it"):
        read_file(tmp_path)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    FRAME.to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'dagscale\[parquet\]'"):
        read_file(tmp_path / "t.parquet")


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.binary(max_size=200) | st.text(alphabet="ab1.,;\t \n\"'|-", max_size=80).map(str.encode))
def test_any_bytes_give_a_frame_or_one_line(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "fuzz"
    path.write_bytes(content)
    try:
        frame, _ = read_file(path)
    except DagscaleError as refused:
        line = str(refused)
    else:
        line = ""
        assert frame.shape[1] >= 1
    assert "\n" not in line
