"""Large files read in batches give what reading them whole gives."""

import numpy as np
import pandas as pd
import pytest

from dagscale.inputs.table import batches, delimited, read_table
from dagscale.inputs.table import files as reading
from dagscale.inputs.table.batches import NumberTable


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
    assert isinstance(reading.read_file(path)[0], NumberTable)
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
    assert read_table(path).X is read.X
    np.testing.assert_array_equal(read_table(path, drop=["b"]).X, np.delete(read.X, 1, axis=1))


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
    assert isinstance(read, NumberTable)
    assert read.kinds == ["number"] * 3 + ["integer", "boolean", "number"]
    expected = made.astype(float).to_numpy(dtype=np.float64, na_value=np.nan)
    np.testing.assert_array_equal(read.X, expected)
    assert len(read_table(path, missing="drop").X) == 91


@pytest.mark.usefixtures("small_batches")
def test_text_in_a_late_batch_is_read_as_ever(frame, tmp_path):
    made = frame.astype({"c": object})
    made.loc[80, "c"] = "broken"
    path = tmp_path / "table.csv"
    made.to_csv(path, index=False)
    assert not isinstance(reading.read_file(path)[0], NumberTable)
    with pytest.raises(ValueError, match="'broken' in row 80"):
        read_table(path)


@pytest.mark.usefixtures("small_batches")
def test_a_column_of_numbers_in_one_batch_and_integers_in_another(frame, tmp_path):
    frame["count"] = frame["count"].astype(object)
    frame.loc[60, "count"] = 0.5
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    read = reading.read_file(path)[0]
    assert read.kinds == ["number"] * 4 + ["boolean", "number"]
