"""Large files read in batches give what reading them whole gives."""

import numpy as np
import pandas as pd
import pytest

from dagscale.inputs.table import batches, delimited, read_table, stream_text
from dagscale.inputs.table import files as reading
from dagscale.inputs.table.batches import StreamedTable


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    made = pd.DataFrame(rng.normal(size=(95, 3)), columns=["a", "b", "c"])
    made["count"] = rng.integers(0, 9, 95)
    made["flag"] = rng.random(95) < 0.5
    made["single"] = rng.normal(size=95).astype(np.float32)
    return made


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(batches, "LARGE_TABLE", 10)
    monkeypatch.setattr(reading, "LARGE_FILE", 10)
    for module in (batches, delimited):
        monkeypatch.setattr(module, "ROWS", 20)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_batches_change_nothing(frame, kind, tmp_path, monkeypatch, request):
    pytest.importorskip("pyarrow") if kind == "parquet" else None
    path = tmp_path / f"table.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    whole = read_table(path)
    request.getfixturevalue("small_batches")
    assert isinstance(reading.read_file(path)[0], StreamedTable)
    again = read_table(path)
    np.testing.assert_array_equal(again.X, whole.X)
    assert again.names == whole.names
    assert again.notes == whole.notes


@pytest.mark.usefixtures("small_batches")
def test_nothing_is_copied_and_left_out_columns_are(frame, tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    read = reading.read_file(path)[0]
    monkeypatch.setattr(reading, "read_file", lambda _: (read, ()))
    expected = read.X.copy()
    whole = read_table(path).X
    assert np.shares_memory(whole, read.X)
    np.testing.assert_array_equal(whole, expected)
    less = read_table(path, drop=["b"]).X
    assert np.shares_memory(less, read.X)
    assert less.flags.c_contiguous
    np.testing.assert_array_equal(less, np.delete(expected, 1, axis=1))


@pytest.mark.usefixtures("small_batches")
def test_missing_values(frame, tmp_path):
    pytest.importorskip("pyarrow")
    made = frame.astype({"flag": "boolean", "count": "Int64"})
    made.loc[[3, 50], "flag"] = pd.NA
    made.loc[7, "count"] = pd.NA
    made.loc[90, "a"] = np.nan
    path = tmp_path / "table.parquet"
    made.to_parquet(path)
    read = reading.read_file(path)[0]
    assert isinstance(read, StreamedTable)
    assert [column.kind for column in read.columns] == ["number"] * 3 + ["integer", "boolean", "number"]
    expected = made.astype(float).to_numpy(dtype=np.float64, na_value=np.nan)
    np.testing.assert_array_equal(read.X, expected)
    assert len(read_table(path, missing="drop").X) == 91


@pytest.mark.usefixtures("small_batches")
def test_a_slip_in_a_late_batch_is_named(frame, tmp_path):
    made = frame.astype({"c": object})
    made.loc[80, "c"] = "broken"
    path = tmp_path / "table.csv"
    made.to_csv(path, index=False)
    assert isinstance(reading.read_file(path)[0], StreamedTable)
    with pytest.raises(ValueError, match="'broken' in row 80"):
        read_table(path)


@pytest.mark.usefixtures("small_batches")
def test_a_column_of_numbers_in_one_batch_and_integers_in_another(frame, tmp_path):
    frame["count"] = frame["count"].astype(object)
    frame.loc[60, "count"] = 0.5
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    read = reading.read_file(path)[0]
    assert [column.kind for column in read.columns] == ["number"] * 4 + ["boolean", "number"]


TEXTS = {
    "labels": lambda rng, n: rng.choice(["north", "south", " east", "west"], n),
    "late labels": lambda rng, n: ["early"] * 70 + ["late"] * (n - 70),
    "with missing": lambda rng, n: np.where(np.arange(n) % 9 == 3, "N/A", rng.choice(["yes", "no", "Na"], n)),
    "numbers and words": lambda rng, n: np.where(np.arange(n) < 60, "3", rng.choice(["low", "high"], n)),
    "truth values, some missing": lambda rng, n: np.where(
        np.arange(n) // 20 == 1, "", rng.choice(["True", "False"], n)
    ),
    "integers, a batch missing": lambda rng, n: np.where(
        np.arange(n) // 20 == 1, "", rng.integers(0, 90, n).astype(str)
    ),
    "truth values and numbers": lambda rng, n: np.where(np.arange(n) < 50, "True", rng.choice(["0", "1"], n)),
    "free text": lambda rng, n: [f"patient said {k} times" for k in rng.permutation(n)],
    "dates": lambda rng, n: [f"2020-01-{1 + k % 28:02d}" for k in range(n)],
    "a slip": lambda rng, n: [*map(str, rng.normal(size=n - 1)), "oops"],
    "ids": lambda rng, n: [f"p{k:05d}" for k in rng.permutation(n)],
}


def _read_both(path, request, **options):
    """Read a file whole and in batches; the table or the message of each."""
    found = []
    for streamed in (False, True):
        if streamed:
            request.getfixturevalue("small_batches")
            assert isinstance(reading.read_file(path)[0], StreamedTable)
        try:
            found.append(read_table(path, **options))
        except ValueError as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize("text", TEXTS)
def test_text_in_batches_is_what_it_is_in_one_piece(frame, text, kind, tmp_path, request):
    pytest.importorskip("pyarrow") if kind == "parquet" else None
    name = "patient_id" if text == "ids" else "words"
    frame.insert(1, name, pd.Series(TEXTS[text](np.random.default_rng(1), len(frame)), dtype=object))
    path = tmp_path / f"table.{kind}"
    frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)
    for options in ({}, {"missing": "impute"}):
        whole, again = _read_both(path, request, **options)
        if isinstance(whole, str):
            assert again == whole
            continue
        np.testing.assert_array_equal(again.X, whole.X)
        assert (again.names, again.kinds, again.levels) == (whole.names, whole.kinds, whole.levels)
        assert again.notes == whole.notes


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("free text", "left out column 'words': it holds text of more than 30 different values"),
        ("dates", "left out column 'words': it holds dates or times"),
        ("ids", "left out column 'words': it holds text of more than 30 different values"),
        ("a slip", "column 'words' holds numbers, and text: 'oops' in row 94"),
    ],
)
def test_many_different_texts_are_not_kept(frame, text, told, tmp_path, monkeypatch):
    monkeypatch.setattr(stream_text, "MOST_TEXTS", 30 if text != "dates" else 10)
    frame.insert(1, "words", TEXTS[text](np.random.default_rng(1), len(frame)))
    frame.to_csv(tmp_path / "table.csv", index=False)
    read = reading.read_file(tmp_path / "table.csv")[0]
    assert read.columns[1].levels is None
    if text == "a slip":
        with pytest.raises(ValueError, match="'oops' in row 94"):
            read_table(tmp_path / "table.csv")
    else:
        assert told in read_table(tmp_path / "table.csv").notes
    frame.rename(columns={"words": "sample_id"}).to_csv(tmp_path / "ids.csv", index=False)
    if text == "ids":
        assert "left out column 'sample_id': its name is an ID's and its values never repeat" in (
            read_table(tmp_path / "ids.csv").notes
        )


@pytest.mark.usefixtures("small_batches")
def test_a_large_file_with_a_column_of_conditions(frame, tmp_path):
    frame["set"] = np.where(np.arange(len(frame)) % 3 == 0, "a", "obs")
    frame.to_csv(tmp_path / "table.csv", index=False)
    conditions = read_table(tmp_path / "table.csv", interventions="set").conditions
    np.testing.assert_array_equal(conditions.targets[:, 0], np.arange(len(frame)) % 3 == 0)
