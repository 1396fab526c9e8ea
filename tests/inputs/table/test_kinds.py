"""What columns are recognised as, what a user may say instead, and what happens to their levels."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dagscale.inputs.table import read_table
from dagscale.runtime.errors import InputError, InputTypeError
from dagscale.runtime.face import COMMAND_LINE, words_of

n = 200
rng = np.random.default_rng(0)
FRAME = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
poisson = rng.poisson(3.0, n)
COLUMNS = {
    "text": (rng.choice(["yes", "no", "may be"], n), "categorical", ("may be", "no", "yes")),
    "two texts": (rng.choice(["f", "m"], n), "binary", ("f", "m")),
    "booleans": (rng.random(n) < 0.5, "binary", (False, True)),
    "0 and 1": (rng.integers(0, 2, n), "binary", (0, 1)),
    "two floats": (rng.choice([0.5, 2.0], n), "binary", (0.5, 2)),
    "grades": (rng.integers(1, 6, n), "ordinal", (1, 2, 3, 4, 5)),
    "grades as floats": (rng.integers(1, 6, n).astype(float), "ordinal", (1, 2, 3, 4, 5)),
    "ordered": (
        pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L", "XL"], ordered=True),
        "ordinal",
        ("S", "M", "L"),
    ),
    "category of numbers": (pd.Categorical(rng.integers(4, 8, n)), "categorical", (4, 5, 6, 7)),
    "counts": (poisson, "count", None),
    "large counts": (rng.poisson(40.0, n), "continuous", None),
    "symmetric whole numbers": (rng.integers(0, 15, n), "continuous", None),
    "negative": (poisson - 5, "continuous", None),
    "many integers": (rng.integers(0, 1000, n), "continuous", None),
    "few decimals": (rng.integers(0, 6, n) / 2, "continuous", None),
}


@pytest.mark.parametrize(("values", "kind", "levels"), COLUMNS.values(), ids=COLUMNS)
def test_kinds_are_recognised(values, kind, levels):
    table = read_table(FRAME.assign(x=values))
    if kind == "continuous":
        assert (table.kinds, table.levels) == ((), ())
        return
    assert table.kinds == ("continuous", "continuous", kind)
    assert table.levels == (None, None, levels)
    if levels is None:
        np.testing.assert_array_equal(table.X[:, 2], values)
    else:
        np.testing.assert_array_equal(np.array(levels, dtype=object)[table.X[:, 2].astype(int)], values)


@pytest.mark.parametrize("kind", ["text", "booleans", "grades", "counts"])
def test_a_column_is_the_same_in_any_frame_and_row_order(kind):
    frame = FRAME.assign(x=COLUMNS[kind][0])
    here = read_table(frame)
    for other in (pl.from_pandas(frame), frame.to_dict("list")):
        there = read_table(other)
        assert (there.kinds, there.levels) == (here.kinds, here.levels)
        np.testing.assert_array_equal(there.X, here.X)
    rows = np.random.default_rng(1).permutation(n)
    np.testing.assert_array_equal(read_table(frame.iloc[rows]).X, here.X[rows])


def test_missing_levels_are_dropped_or_filled_with_the_most_frequent():
    x = np.array(["u", "v", "v", "w", "w"] * 40, dtype=object)
    x[-2:] = "w"
    x[:3] = [None, "", "NA"]
    frame = FRAME.assign(x=x, flag=[None, *[True, False, False] * 66, False])
    with pytest.raises(InputError, match="to fill in the column's most frequent level"):
        read_table(frame)
    dropped = read_table(frame, missing="drop")
    assert dropped.kinds[2:] == ("categorical", "binary")
    assert len(dropped.X) == n - 3
    filled = read_table(frame, missing="impute").X
    assert filled[:3, 2].tolist() == [2, 2, 2]  # "w"
    assert filled[0, 3] == 0


def test_levels_that_rows_with_missing_values_took_along_are_forgotten():
    x = np.array(["u", "v"] * 99 + ["w"] * 2)
    frame = FRAME.assign(x=x)
    frame.loc[x == "w", "a"] = np.nan
    table = read_table(frame, missing="drop")
    assert (table.kinds[2], table.levels[2]) == ("binary", ("u", "v"))


def test_rare_levels_are_pooled_with_a_note():
    x = np.array(["u", "v"] * 96 + ["p"] * 4 + ["q"] * 4)
    table = read_table(FRAME.assign(x=x))
    assert table.levels[2] == ("u", "v", "other")
    assert np.bincount(table.X[:, 2].astype(int)).tolist() == [96, 96, 8]
    assert "levels of fewer than 10 rows pooled as 'other': 'x' ('p', 'q')" in table.notes
    alone = read_table(FRAME.assign(x=np.array(["u", "v"] * 96 + ["q"] * 8)))
    assert alone.levels[2] == ("q", "u", "v")


def test_free_text_and_text_ids_are_left_out_with_a_line():
    table = read_table(FRAME.assign(name=[f"person {k}" for k in range(n)], x=COLUMNS["text"][0]))
    assert table.names == ("a", "b", "x")
    assert "left out column 'name': it holds text of 200 different values" in table.notes


def test_kinds_can_be_said():
    grades, texts = COLUMNS["grades"][0], COLUMNS["text"][0]
    frame = FRAME.assign(g=grades, c=poisson, id=[f"p{k % 20}" for k in range(n)], t=texts)
    told = {"g": "categorical", "c": "continuous", "id": "categorical"}
    table = read_table(frame, kinds=told)
    assert table.kinds == ("continuous", "continuous", "categorical", "continuous", *["categorical"] * 2)
    assert read_table(frame, kinds={"g": "continuous"}, drop=["c", "id", "t"]).kinds == ()


@pytest.mark.parametrize(
    ("kinds", "line"),
    [
        ({"x": "categoric"}, "kinds={'x': 'categoric'}: the kinds are .*; did you mean 'categorical'?"),
        ({"y": "binary"}, "kinds: the table has no column 'y'"),
        (
            {"x": "binary"},
            "column 'x' is to be binary but has 3 levels; leave it out with drop=.'x'., or give it another kind",
        ),
        ({"x": "continuous"}, "column 'x' is to be continuous but holds text"),
        ({"x": "ordinal"}, "its text has no order"),
        ({"a": "count"}, "column 'a' is to be a count but holds "),
        ({"a": "ordinal"}, "column 'a' is to be ordinal but has 200 different values, more than 30"),
        ({"a": "categorical"}, "column 'a' has 200 levels, more than 30: join some"),
    ],
)
def test_a_kind_that_does_not_fit_gets_one_line(kinds, line):
    with pytest.raises(InputError, match=line):
        read_table(FRAME.assign(x=COLUMNS["text"][0]), kinds=kinds)


def test_kinds_are_a_dict():
    with pytest.raises(InputTypeError, match="give a dict of column to kind"):
        read_table(FRAME, kinds=["a"])


def test_codes_are_asked_about_in_the_words_of_the_face():
    frame = FRAME.assign(grade=COLUMNS["grades"][0])
    (note,) = read_table(frame).notes
    assert "kinds={'grade': 'categorical'}" in note
    with words_of(COMMAND_LINE):
        (note,) = read_table(frame).notes
    assert "--kind grade=categorical" in note


def test_all_problems_come_at_once():
    frame = FRAME.assign(k=1, x=[[1]] * n, copy=2 * FRAME["a"], t=["u"] * n)
    frame.loc[3, ["a", "b"]] = np.nan  # a copy is one where both are there
    with pytest.raises(InputError) as refusal:
        read_table(frame, kinds={"t": "count"})
    for part in (
        "5 problems",
        "'x' holds",
        "'t' is to be",
        "missing='drop'",
        "constant: column 'k'",
        "a copy of",
    ):
        assert part in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_levels_by_other_names_are_a_copy():
    x = rng.choice(["u", "v", "w"], n)
    frame = FRAME.assign(x=x, y=pd.Series(x).map({"u": "c", "v": "a", "w": "b"}))
    with pytest.raises(InputError, match="column 'y' is a copy of 'x' by other names; leave out with drop="):
        read_table(frame)


def test_one_hot_groups_are_named():
    x = rng.integers(0, 3, n)
    hot = {f"is_{k}": (x == k).astype(int) for k in range(3)}
    table = read_table(FRAME.assign(**hot))
    assert any(
        note.startswith("exactly one of 'is_0', 'is_1', 'is_2' is 1 in every row") for note in table.notes
    )
    hot["is_2"] = hot["is_2"] * (rng.random(n) < 0.9)
    assert not any("exactly one" in note for note in read_table(FRAME.assign(**hot)).notes)


def test_transforms_are_for_numbers():
    frame = FRAME.assign(x=COLUMNS["text"][0], g=COLUMNS["grades"][0])
    table = read_table(frame, transform="rank")
    assert set(table.X[:, 3]) == {0, 1, 2, 3, 4}
    assert read_table(frame, transform={"g": "rank"}).kinds[3] == "continuous"
    with pytest.raises(InputError, match="column 'x' is to be continuous but holds text"):
        read_table(frame, transform={"x": "log"})


def test_numbered_labels_are_left_out_and_numbers_with_a_slip_are_not():
    families = [str(k // 2) for k in range(n)]
    families[50] = "25A"
    table = read_table(FRAME.assign(family=families))
    assert table.names == ("a", "b")
    assert table.notes == (
        "left out column 'family': its name is an ID's, so it only says which rows belong together; to use it, give "
        "its kind, kinds={'family': 'categorical'}",
    )
    label = read_table(FRAME.assign(label=families))
    assert label.notes == (
        f"left out column 'label': it holds text of {len(set(families))} different values",
    )
    assert (table.units is None, label.units is None) == (False, True)
    families[50] = "25.A"
    with pytest.raises(InputError, match=r"column 'family' holds numbers, and text: '25\.A' in row 50"):
        read_table(FRAME.assign(family=families))


@pytest.mark.parametrize(
    ("text", "example"),
    [("{:.1f}%", "%"), ("${:,.2f}", "[$]"), ("{:,.0f}", ","), ("{:.2f} €", "€")],
)
def test_numbers_with_signs_are_left_out_with_the_remedy(text, example):
    values = [text.format(v) for v in rng.uniform(1000, 9000, n)]
    table = read_table(FRAME.assign(x=values))
    assert table.names == ("a", "b")
    (note,) = table.notes
    assert note.startswith("left out column 'x': it holds text such as ")
    assert note.endswith("; to use it, write plain numbers")


def test_decimal_commas_are_named():
    values = [f"{v:.2f}".replace(".", ",") for v in rng.uniform(0, 9, n)]
    assert any(
        "; to use it, write plain numbers" in note for note in read_table(FRAME.assign(x=values)).notes
    )


def test_dates_written_as_numbers_are_left_out():
    days = [int(day.strftime("%Y%m%d")) for day in pd.date_range("2020-01-01", periods=50)] * 4
    table = read_table(FRAME.assign(day=days))
    assert table.names == ("a", "b")
    assert "it holds dates, written as numbers such as 20200101" in table.notes[0]
    assert read_table(FRAME.assign(day=days), columns=["a", "b", "day"]).names == ("a", "b", "day")
    prices = np.array(days) + 5000  # a thirteenth month, a fiftieth day
    assert read_table(FRAME.assign(day=prices)).names == ("a", "b", "day")


def test_ranges_of_numbers_are_asked_about_and_ordered_when_said():
    x = rng.choice(["<10", "10-19", "20-99", "100+"], n)
    frame = FRAME.assign(x=x)
    table = read_table(frame)
    assert table.kinds[2] == "categorical"
    assert any(
        "hold numbers; if they are in the order of these, use kinds={'x': 'ordinal'}" in s
        for s in table.notes
    )
    told = read_table(frame, kinds={"x": "ordinal"})
    assert (told.kinds[2], told.levels[2]) == ("ordinal", ("<10", "10-19", "20-99", "100+"))
    np.testing.assert_array_equal(np.array(told.levels[2])[told.X[:, 2].astype(int)], x)
    again = rng.choice(["5 mg once", "5 mg twice", "10 mg"], n)
    with pytest.raises(InputError, match="its text has no order"):
        read_table(FRAME.assign(x=again), kinds={"x": "ordinal"})


def test_levels_that_differ_in_capitals_are_asked_about():
    table = read_table(FRAME.assign(x=rng.choice(["Male", "male", "female "], n)))
    assert table.levels[2] == ("Male", "female", "male")
    assert any("levels of 'x' differ in capitals only: 'Male', 'male'" in note for note in table.notes)


def test_one_hot_groups_need_not_stand_side_by_side():
    x, y = rng.integers(0, 4, n), rng.integers(0, 3, n)
    hot = {"is_0": (x == 0) * 1, "sex": rng.integers(0, 2, n), "has_0": y == 0, "is_1": (x == 1) * 1}
    hot |= {"has_1": y == 1, "is_2": (x == 2) * 1, "has_2": y == 2, "is_3": (x == 3) * 1}
    notes = [note for note in read_table(FRAME.assign(**hot)).notes if "exactly one" in note]
    assert [note.split(" is 1 ")[0] for note in notes] == [
        "exactly one of 'is_0', 'is_1', 'is_2', 'is_3'",
        "exactly one of 'has_0', 'has_1', 'has_2'",
    ]


def test_columns_that_lack_most_values_are_named():
    frame = FRAME.assign(x=COLUMNS["text"][0], y=rng.normal(size=n), z=rng.normal(size=n))
    frame.loc[20:, "y"] = np.nan
    frame.loc[:19, "x"] = None
    line = "180 rows are complete without column 'y': drop="
    with pytest.raises(InputError, match=line):
        read_table(frame)
    with pytest.raises(InputError, match=rf"the table has 0 rows \(.*{line}"):
        read_table(frame, missing="drop")
    with words_of(COMMAND_LINE), pytest.raises(InputError, match="without column 'y': --drop y"):
        read_table(frame)
    assert len(read_table(frame, missing="drop", drop=["y"]).X) == 180


def test_categories_of_polars_and_arrow():
    words = COLUMNS["text"][0].tolist()
    order = ["no", "may be", "yes"]
    plain, ordered = ("categorical", ("may be", "no", "yes")), ("ordinal", tuple(order))
    some = pa.array(words).dictionary_encode()
    ranks = pa.DictionaryArray.from_arrays(
        pa.array([order.index(w) for w in words]), pa.array(order), ordered=True
    )
    halves = pa.chunked_array(
        [pa.array(words[:50]).dictionary_encode(), pa.array(words[50:]).dictionary_encode()]
    )
    columns = [
        (pl.from_pandas(FRAME).with_columns(x=pl.Series(words, dtype=pl.Categorical)), plain),
        (pl.from_pandas(FRAME).with_columns(x=pl.Series(words, dtype=pl.Enum(order))), ordered),
        (pa.Table.from_pandas(FRAME).append_column("x", some), plain),
        (pa.Table.from_pandas(FRAME).append_column("x", halves), plain),
        (pa.Table.from_pandas(FRAME).append_column("x", ranks), ordered),
    ]
    for frame, (kind, levels) in columns:
        table = read_table(frame)
        assert (table.kinds[2], table.levels[2]) == (kind, levels)
        assert np.array(levels)[table.X[:, 2].astype(int)].tolist() == words


@pytest.mark.parametrize("extension", ["parquet", "feather"])
def test_files_keep_the_order_of_categories(tmp_path, extension):
    frame = FRAME.assign(x=COLUMNS["ordered"][0], y=rng.random(n) < 0.3)
    getattr(frame, f"to_{extension}")(tmp_path / f"t.{extension}")
    table = read_table(tmp_path / f"t.{extension}")
    assert table.kinds[2:] == ("ordinal", "binary")
    assert table.levels[2] == ("S", "M", "L")
