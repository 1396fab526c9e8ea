"""Whatever is called a table becomes X and names, or one clear line."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.inputs.table import read_table
from dagscale.runtime.errors import DagscaleError, DataWarning, InputError, InputTypeError

n = 50
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 3))
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
NAMED = ("a", "b", "c")


def test_a_frame_keeps_names_order_and_numbers():
    table = read_table(FRAME[["c", "a", "b"]])
    assert table.names == ("c", "a", "b")
    np.testing.assert_array_equal(table.X, X[:, [2, 0, 1]])
    assert table.X.dtype == np.float64
    assert table.X.flags.c_contiguous
    assert table.notes == ()


def structured():
    array = np.empty(n, dtype=[(name, "f8") for name in NAMED])
    for j, name in enumerate(NAMED):
        array[name] = X[:, j]
    return array


KINDS = {
    "pandas": (FRAME, NAMED),
    "polars": (pl.DataFrame(X, schema=NAMED), NAMED),
    "polars lazy": (pl.LazyFrame(X, schema=NAMED), NAMED),
    "arrow": (pa.Table.from_pandas(FRAME), NAMED),
    "dict of arrays": (dict(zip(NAMED, X.T, strict=True)), NAMED),
    "dict of lists": ({name: X[:, j].tolist() for j, name in enumerate(NAMED)}, NAMED),
    "dict of series": ({name: pl.Series(X[:, j]) for j, name in enumerate(NAMED)}, NAMED),
    "structured array": (structured(), NAMED),
    "records": ([dict(zip(NAMED, row, strict=True)) for row in X.tolist()], NAMED),
    "array": (X, (0, 1, 2)),
    "fortran array": (np.asfortranarray(X), (0, 1, 2)),
    "masked array": (np.ma.array(X), (0, 1, 2)),
    "list of rows": (X.tolist(), (0, 1, 2)),
    "frame of an array": (pd.DataFrame(X), (0, 1, 2)),
    "tuples as names": (
        FRAME.set_axis(pd.MultiIndex.from_product([["t"], [1, 2, 3]]), axis=1),
        (("t", 1), ("t", 2), ("t", 3)),
    ),
    "names of all kinds": (
        FRAME.set_axis([1.5, dt.date(2020, 1, 1), ""], axis=1),
        (1.5, dt.date(2020, 1, 1), ""),
    ),
}


@pytest.mark.parametrize(("table", "names"), KINDS.values(), ids=KINDS)
def test_tables_of_every_kind(table, names):
    read = read_table(table)
    assert read.names == names
    np.testing.assert_array_equal(read.X, X)
    assert read.X.flags.c_contiguous


def test_masked_values_are_missing():
    masked = np.ma.array(X, mask=np.arange(n)[:, None] == [3, 3, 99])
    with pytest.raises(InputError, match=r"in 0 \(1 missing\), 1 \(1 missing\), 1 of 50 rows"):
        read_table(masked)
    assert len(read_table(masked, missing="drop").X) == n - 1
    text = np.ma.array([f"{value:.3f}" for value in X[:, 0]], mask=np.arange(n) == 3)
    with pytest.raises(InputError, match=r"in 't' \(1 missing\)"):
        read_table({"t": text, "b": X[:, 1], "c": range(n)})


def test_tensors_are_arrays():
    torch = pytest.importorskip("torch")
    table = read_table(torch.tensor(X, requires_grad=True))
    np.testing.assert_array_equal(table.X, X)
    assert table.names == (0, 1, 2)


def test_files_and_frames_give_the_same_numbers(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", sep=";")
    FRAME.to_parquet(tmp_path / "t.parquet", index=True)
    for path in (tmp_path / "t.csv", str(tmp_path / "t.parquet")):
        table = read_table(path)
        np.testing.assert_array_equal(table.X, X)
        assert table.names == NAMED
    assert read_table(tmp_path / "t.csv").notes == (
        "left out column 'Unnamed: 0': it has no name and labels the rows; to use it, name it in columns=",
    )


def test_the_input_is_copied_never_changed():
    given_array = X.copy()
    table = read_table(given_array, transform="rank")
    np.testing.assert_array_equal(given_array, X)
    assert not np.shares_memory(table.X, given_array)
    assert not np.shares_memory(read_table(given_array).X, given_array)
    holes = FRAME.copy()
    holes.iloc[3, 1] = np.nan
    before = holes.copy()
    read_table(holes, missing="impute")
    pd.testing.assert_frame_equal(holes, before)


def test_kinds_are_taken_as_numbers_with_a_note():
    frame = FRAME.assign(
        yes=rng.random(n) < 0.5,
        count=rng.integers(5, 19, n),
        size=pd.Categorical(rng.choice(["S", "M", "L"], n), categories=["S", "M", "L"], ordered=True),
        text=[f" {value:.3f}" for value in rng.normal(size=n)],
        case=np.arange(n) // 2,
    )
    table = read_table(frame)
    assert table.names == tuple(frame.columns)
    assert table.notes == (
        "two values, so binary: 'yes'",
        "ordered categories: 'size'",
        "taken integers as continuous numbers: 'count', 'case'",
        "taken text that spells numbers as those numbers: 'text'",
        "named like an ID but with repeated values, so kept: 'case'",
    )
    np.testing.assert_array_equal(table.X[:, 5], frame["size"].cat.codes)


def test_labels_are_left_out_unless_asked_for():
    frame = FRAME.assign(id=rng.permutation(n) + 1000, day=pd.date_range("2020", periods=n))
    table = read_table(frame)
    assert table.names == NAMED
    assert len(table.notes) == 2
    assert all(note.startswith("left out column") for note in table.notes)
    assert read_table(frame, columns=["a", "id"]).names == ("a", "id")
    with pytest.raises(
        InputError, match=r"column 'day' holds dates or times; leave it out with drop=\['day'\]"
    ):
        read_table(frame, columns=["a", "day"])
    assert read_table(np.column_stack([np.arange(n), X])).names == (1, 2, 3)


def test_columns_and_drop():
    assert read_table(FRAME, columns=["c", "a"]).names == ("a", "c")  # the table's order
    assert read_table(FRAME, drop=["b"]).names == ("a", "c")
    assert read_table(FRAME, drop="b").names == ("a", "c")
    assert read_table(X, columns=["2", 0]).names == (0, 2)  # the command line knows only text
    assert read_table(FRAME.assign(t="x"), drop=["t"]).names == NAMED
    with pytest.raises(InputError, match=r"drop: the table has no column 'bb'; did you mean 'b'\?"):
        read_table(FRAME, drop=["bb"])
    with pytest.raises(
        InputError,
        match=r"^columns: .* no columns 'zzz', 'aa' \(did you mean 'a'\?\); the columns .*; drop: .* no column 'q';",
    ):
        read_table(FRAME, columns=["zzz", "aa"], drop=["q"])
    with pytest.raises(InputError, match="columns: the table has no column 'zzz'; the columns are "):
        read_table(FRAME, columns=["a", "zzz"])
    with pytest.raises(InputError, match="'a' is in columns= and in drop=; remove it from one"):
        read_table(FRAME, columns=["a", "b", "c"], drop=["a"])
    with pytest.raises(InputTypeError, match="drop must be a list of column names, not 3"):
        read_table(FRAME, drop=3)


def test_transforms_by_column_and_for_all():
    positive = np.exp(FRAME)
    np.testing.assert_allclose(read_table(positive, transform="log").X, X, atol=1e-13)
    mixed = read_table(positive, transform={"b": "log", "c": "rank"})
    np.testing.assert_array_equal(mixed.X[:, 0], positive["a"])
    np.testing.assert_allclose(mixed.X[:, 1], X[:, 1], atol=1e-13)
    assert mixed.notes == ("logarithm taken of 'b'", "replaced by the normal scores of its ranks: 'c'")
    yes = rng.random(n) < 0.5
    np.testing.assert_array_equal(read_table(positive.assign(yes=yes), transform="log").X[:, 3], yes)
    with pytest.raises(InputError, match=r"transform: the table has no column 'd'"):
        read_table(FRAME, transform={"d": "log"})


def holes():
    frame = FRAME.copy()
    frame.loc[[3, 7], "b"] = np.nan
    frame.loc[7, "c"] = np.inf
    return frame


def test_missing_values_are_counted_dropped_or_filled():
    with pytest.raises(InputError) as refused:
        read_table(holes())
    assert str(refused.value) == (
        "missing or infinite values in 'b' (2 missing), 'c' (1 infinite), 2 of 50 rows; use missing='drop' "
        "to leave those rows out or missing='impute' to fill in the column's median"
    )
    dropped = read_table(holes(), missing="drop")
    np.testing.assert_array_equal(dropped.X, np.delete(X, [3, 7], axis=0))
    assert dropped.X.flags.c_contiguous
    assert dropped.notes == (
        "left out 2 of 50 rows with missing or infinite values: 'b' (2 missing), 'c' (1 infinite)",
    )
    filled = read_table(holes(), missing="impute")
    assert filled.X[3, 1] == filled.X[7, 1] == np.median(np.delete(X[:, 1], [3, 7]))
    assert filled.X[7, 2] == np.median(np.delete(X[:, 2], 7))
    assert len(filled.notes) == 1


def test_too_few_rows_left_by_missing_values():
    frame = FRAME.copy()
    frame.loc[5:, "a"] = np.nan
    with pytest.raises(InputError, match=r"the table has 5 rows \(left out 45 of 50 .*'a' \(45 missing\)"):
        read_table(frame, missing="drop")


def test_fewer_rows_than_columns_only_warn():
    wide = rng.normal(size=(25, 30))
    with pytest.warns(DataWarning, match=r"fewer rows \(25\) than columns \(30\)") as caught:
        assert read_table(wide).X.shape == (25, 30)
    assert caught[0].filename == __file__


def test_min_rows_can_be_lowered():
    assert read_table(X[:5], min_rows=2).X.shape == (5, 3)
    with pytest.raises(InputError, match="the table has 19 rows; at least 20 are needed"):
        read_table(X[:19])
    assert read_table(X[:20]).X.shape == (20, 3)


# Random tables: one line, or a table that keeps its promises.

names = st.sampled_from(
    ["a", "b", "id", "Unnamed: 0", "", "ö x", 0, 1, -2, 1.5, (1, "t"), dt.date(2020, 1, 1)]
)
numbers = st.one_of(st.floats(-5, 5), st.integers(-9, 9), st.sampled_from(["1.5", " 2", b"3", 4.0]))
oddities = st.one_of(
    st.none(),
    st.floats(width=64),
    st.integers(-(10**20), 10**20),
    st.booleans(),
    st.text(max_size=3),
    st.sampled_from(["NA", "2020-01-01", "?", 1j, dt.date(2020, 1, 1), [1], dt.timedelta(1)]),
)
KINDS_OF_COLUMN = ["normal"] * 6 + [
    "integers",
    "numbers",
    "oddities",
    "count",
    "constant",
    "narrow",
    "scaled",
    "copy",
]


@st.composite
def random_tables(draw):
    """Draw a dict of columns: mostly plain ones, so that valid tables are frequent too."""
    size = draw(st.sampled_from([40, 40, 40, 40, 25, 25, 20, 20, 19, 1, 0]))
    table = {}
    for name in draw(
        st.lists(names, min_size=draw(st.sampled_from([0, 1, 2, 3, 4])), max_size=5, unique=True)
    ):
        kind = draw(st.sampled_from(KINDS_OF_COLUMN))
        noise = np.random.default_rng(draw(st.integers(0, 10**6)))
        values = noise.normal(size=size)
        match kind:
            case "integers":
                values = noise.integers(0, draw(st.sampled_from([2, 9, 60, 10**6])), size)
            case "numbers" | "oddities":
                some = draw(st.lists(numbers if kind == "numbers" else oddities, min_size=1, max_size=4))
                values = [*some, *values.tolist()][:size]
            case "count":
                values = list(range(size))
            case "constant":
                values = np.full(size, draw(st.floats()))
            case "narrow":
                values = 7 + values * 10.0 ** -draw(st.integers(3, 17))
            case "scaled":
                values = values * 10.0 ** draw(st.integers(-300, 300))
            case "copy":
                values = -3 * next((x for x in table.values() if isinstance(x, np.ndarray)), values)
        table[name] = values
    return table


@settings(deadline=None, max_examples=300, derandomize=True)
@given(
    random_tables(),
    st.sampled_from([dict, pd.DataFrame, lambda t: pd.DataFrame(t).to_numpy()]),
    st.sampled_from(["raise", "drop", "impute"]),
    st.sampled_from([None, None, "rank", "log"]),
)
def test_random_tables_give_one_line_or_a_valid_table(columns, kind, missing, transform):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DataWarning)
            table = read_table(kind(columns), missing=missing, transform=transform)
    except DagscaleError as refused:
        line = str(refused)
    else:
        line = ""
        assert len(table.X) >= 20
        assert table.X.shape[1] == len(table.names) == len(set(table.names)) >= 2
        assert table.X.flags.c_contiguous
        assert np.isfinite(table.X).all()
        correlation = np.corrcoef(table.X.T)
        assert np.isfinite(correlation).all()
        assert (np.abs(correlation - np.diag(np.diag(correlation))) < 1 - 1e-10).all()
    assert "\n" not in line


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.permutations(range(6)), st.integers(0, 1000))
def test_the_order_of_columns_travels_along(order, seed):
    values = np.random.default_rng(seed).normal(size=(30, 6))
    frame = pd.DataFrame(values, columns=list("abcdef"))
    shuffled = read_table(frame.iloc[:, list(order)])
    assert shuffled.names == tuple("abcdef"[j] for j in order)
    np.testing.assert_array_equal(shuffled.X, values[:, list(order)])


def test_an_id_that_is_left_out_still_says_which_rows_belong_together():
    person = np.arange(n) // 3
    frame = FRAME.assign(person=person)
    frame.iloc[4, 0] = np.nan
    table = read_table(frame, missing="drop")
    assert table.names == NAMED
    np.testing.assert_array_equal(table.units[:, 0], np.delete(person, 4))
    np.testing.assert_array_equal(table.take(np.array([7, 2])).units[:, 0], [2, 0])
    assert read_table(frame, missing="drop", columns=["a", "b"]).units is None
    texts = read_table(frame.assign(person=[f"P-{k}" for k in person]), missing="drop")
    assert texts.names == NAMED
    assert len(np.unique(texts.units)) == len(np.unique(table.units))
    assert read_table(frame, missing="drop", kinds={"person": "continuous"}).names == (*NAMED, "person")


def test_text_that_is_left_out_says_what_it_is_still_used_for():
    rows = np.arange(n) // 2
    frame = FRAME.assign(
        family=[f"{'abcdefghij'[k % 10]}{'xyzuvw'[k // 10 % 6]}{'kl'[k // 60]}" for k in rows]
    )
    table = read_table(frame)
    different = len(set(frame["family"]))
    said = f"left out column 'family': it holds text of {different} different values"
    assert f"{said}; it still says which rows belong together" in table.notes
    assert len(np.unique(table.units)) == different
    plain = read_table(frame.rename(columns={"family": "word"}))
    assert said.replace("family", "word") in plain.notes
    assert plain.units is None
