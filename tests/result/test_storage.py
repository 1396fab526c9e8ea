"""Saved results come back as they were; damaged, foreign and newer ones are refused with one line."""

import datetime as dt
import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscale
from dagscale.inputs.conditions import Conditions
from dagscale.inputs.knowledge import Knowledge
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.runtime import saved_folder
from dagscale.runtime.codec import decode, encode
from dagscale.runtime.errors import InputError, InputTypeError
from dagscale.stages.answer import Answer, Stage, StageKind

SCALARS = (
    st.text(max_size=8)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.booleans()
    | st.none()
    | st.binary(max_size=5)
    | st.dates()
    | st.datetimes()
)
NAMES = st.recursive(
    SCALARS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=2), max_leaves=4
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def make_result(names, seed=0, rows=40, knowledge=None):
    rng = np.random.default_rng(seed)
    d = len(names)
    order = rng.permutation(d)
    adjacency = np.zeros((d, d), dtype=bool)
    adjacency[np.ix_(order, order)] = np.triu(rng.random((d, d)) < 0.5, 1)
    statistic = np.where(rng.random((d, d)) < 0.3, np.nan, rng.random((d, d)))
    trail = (
        Stage(StageKind.ORDER, adjacency | True),
        Stage(StageKind.PRUNING, adjacency, statistic, "p-value", 0.001),
    )
    found = Answer(
        order, adjacency, {"p_value": statistic, "gain": 1 / rng.random((d, d))}, trail, ("a note",)
    )
    table = Table(rng.normal(size=(rows, d)), tuple(names), ("left out: id",))
    return Result.from_answer(found, table, "cam", {"alpha": 0.001, "pns": None}, {"cam": 0.25}, knowledge)


def assert_same(a, b):
    assert a.names == b.names
    assert [type(x) for x in a.names] == [type(x) for x in b.names]
    assert a.order == b.order
    assert (a.adjacency == b.adjacency).all()
    pd.testing.assert_frame_equal(a.edges, b.edges)
    for field in (
        "method",
        "settings",
        "timings",
        "versions",
        "notes",
        "n_samples",
        "stored_checks",
        "costs",
        "knowledge",
    ):
        assert getattr(a, field) == getattr(b, field), field
    assert len(a.trail) == len(b.trail)
    for one, other in zip(a.trail, b.trail, strict=True):
        assert (one.kind, one.label, one.threshold) == (other.kind, other.label, other.threshold)
        assert (one.kept == other.kept).all()
        if one.statistic is None:
            assert other.statistic is None
        else:
            np.testing.assert_array_equal(one.statistic, other.statistic)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(VALUES)
def test_codec_keeps_values_and_types(value):
    stored = json.loads(json.dumps(encode(value), allow_nan=False))
    assert decode(stored) == value
    assert type(decode(stored)) is type(value)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(
    names=st.lists(NAMES, min_size=1, max_size=6, unique_by=lambda x: str(x)), seed=st.integers(1000, 1100)
)
def test_round_trip_with_any_names(names, seed, tmp_path_factory):
    if len(set(names)) < len(names):  # True == 1: no table has both
        return
    result = make_result(names, seed)
    folder = tmp_path_factory.mktemp("saved") / "run"
    result.save(folder)
    loaded = Result.load(folder)
    assert_same(result, loaded)
    assert (loaded.sample == result.sample).all()


def test_round_trip_of_knowledge_timestamps_and_why(tmp_path):
    names = [pd.Timestamp("2024-05-01"), dt.date(2024, 5, 2), 3, "x"]
    knowledge = Knowledge(forbidden=[(3, "x")], tiers=[["x"], [3]])
    result = make_result(names, knowledge=knowledge)
    loaded = Result.load(result.save(tmp_path / "run"))
    assert_same(result, loaded)
    assert str(loaded.why(3, "x")) == str(result.why(3, "x"))


def test_load_takes_the_folder_or_its_json(tmp_path):
    result = make_result(["a", "b"])
    result.save(str(tmp_path / "run"))
    assert_same(result, Result.load(tmp_path / "run" / "result.json"))


def test_save_without_data_holds_no_rows(tmp_path):
    result = make_result(["a", "b", "c"])
    loaded = Result.load(result.save(tmp_path / "run", data=False))
    assert loaded.sample is None
    assert result.sample is not None
    assert_same(result, loaded)


def test_saving_into_an_existing_folder_replaces_only_its_two_files(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "mine.txt").write_text("keep me")
    make_result(["a", "b"]).save(folder)
    make_result(["c", "d", "e"]).save(folder)
    assert Result.load(folder).names == ["c", "d", "e"]
    assert (folder / "mine.txt").read_text() == "keep me"
    assert sorted(p.name for p in folder.iterdir()) == ["mine.txt", "result.json", "result.npz"]


def test_nothing_in_the_files_is_a_pickle(tmp_path):
    folder = make_result([("a", 1), "b"]).save(tmp_path / "run")
    with np.load(folder / "result.npz", allow_pickle=False) as stored:
        assert all(stored[key].dtype.kind in "bif" for key in stored.files)


def _one_line(error):
    assert "\n" not in str(error.value)
    assert str(error.value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "result.json").write_text("{"),
        lambda folder: (folder / "result.json").write_text("[]"),
        lambda folder: (folder / "result.json").write_text('{"format": "other"}'),
        lambda folder: (folder / "result.json").write_text('{"format": "dagscale.result"}'),
        lambda folder: (folder / "result.json").write_text('{"format": "dagscale.result", "version": 1}'),
        lambda folder: (folder / "result.json").write_text("[" * 100_000),
        lambda folder: (folder / "result.json").write_bytes(b"\xff\xfe\x00"),
        lambda folder: (folder / "result.json").unlink(),
        lambda folder: (folder / "result.npz").unlink(),
        lambda folder: (folder / "result.npz").write_bytes(b""),
        lambda folder: (folder / "result.npz").write_bytes((folder / "result.npz").read_bytes()[:-10]),
    ],
)
def test_a_damaged_folder_is_refused(damage, tmp_path):
    folder = make_result(["a", "b", "c"]).save(tmp_path / "run")
    damage(folder)
    with pytest.raises(InputError) as error:
        Result.load(folder)
    _one_line(error)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    which=st.sampled_from(["result.json", "result.npz"]),
    where=st.floats(0, 1, exclude_max=True),
    bit=st.integers(0, 7),
)
def test_one_flipped_bit_never_changes_the_result_in_silence(which, where, bit, tmp_path_factory):
    folder = make_result(["a", "b", "c"]).save(tmp_path_factory.mktemp("saved") / "run")
    content = bytearray((folder / which).read_bytes())
    content[int(where * len(content))] ^= 1 << bit
    (folder / which).write_bytes(bytes(content))
    try:
        loaded = Result.load(folder)
    except InputError:
        return
    assert_same(loaded, make_result(["a", "b", "c"]))  # a flip in the JSON's white space or escapes, say


def _rewrite(folder, change):
    document = json.loads((folder / "result.json").read_text())
    change(document["content"])
    document["checksum"] = saved_folder._checksum(document["content"], (folder / "result.npz").read_bytes())
    (folder / "result.json").write_text(json.dumps(document))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(order=[0, 0, 1]),
        lambda content: content.update(order=content["order"][::-1]),
        lambda content: content.update(names=["a", "b"]),
        lambda content: content.update(names=[{"$": "nonsense", "v": 1}] * 3),
        lambda content: content.pop("trail"),
    ],
)
def test_content_that_contradicts_itself_is_refused_even_with_a_right_checksum(change, tmp_path):
    folder = make_result(["a", "b", "c"], seed=3).save(tmp_path / "run")
    _rewrite(folder, change)
    with pytest.raises(InputError) as error:
        Result.load(folder)
    _one_line(error)


def test_a_newer_schema_asks_for_an_upgrade(tmp_path):
    folder = make_result(["a", "b"]).save(tmp_path / "run")
    document = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps({**document, "version": saved_folder.VERSION + 1}))
    with pytest.raises(InputError, match=r"newer dagscale.*upgrade"):
        Result.load(folder)


def test_a_file_a_missing_path_and_an_unwritable_place_are_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="holds no saved result"):
        Result.load(tmp_path / "file")
    with pytest.raises(InputError, match="holds no saved result"):
        Result.load(tmp_path / "nowhere")
    with pytest.raises(InputError, match="cannot save to"):
        make_result(["a", "b"]).save(tmp_path / "file" / "run")


def _forge(folder, change):
    """Change the arrays of a saved result, and write a right checksum."""
    with np.load(folder / "result.npz") as stored:
        arrays = dict(stored)
    change(arrays)
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    (folder / "result.npz").write_bytes(packed.getvalue())
    _rewrite(folder, lambda content: None)


def _negative(arrays):
    arrays["edge_ends"] = arrays["edge_ends"] - 3


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.update(adjacency=np.triu(np.ones((3, 3), bool), 1)[::-1]),
        lambda arrays: arrays.update(adjacency=np.zeros((3, 3), bool)),
        lambda arrays: arrays.update(adjacency=2 * arrays["adjacency"].astype(int)),
        lambda arrays: arrays.update(edge_ends=arrays["edge_ends"][:0]),
        lambda arrays: arrays.update(edge_ends=arrays["edge_ends"].astype(float)),
        lambda arrays: arrays.update(edge_0=arrays["edge_0"][1:]),
        lambda arrays: arrays.update(stage_0_kept=np.ones((2, 2), bool)),
        lambda arrays: arrays.update(stage_1_statistic=np.ones((3, 4))),
        lambda arrays: arrays.update(sample=np.ones((5, 4), np.float32)),
        lambda arrays: arrays.update(sample=np.array(["a"])),
        _negative,
    ],
)
def test_arrays_that_contradict_each_other_are_refused_even_with_a_right_checksum(change, tmp_path):
    folder = make_result(["a", "b", "c"], seed=3).save(tmp_path / "run")
    _forge(folder, change)
    with pytest.raises(InputError) as error:
        Result.load(folder)
    _one_line(error)


@pytest.mark.parametrize("version", [0, -1, True, None, 1.0, "1"])
def test_a_schema_that_never_was_is_refused(version, tmp_path):
    folder = make_result(["a", "b"]).save(tmp_path / "run")
    document = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps({**document, "version": version}))
    with pytest.raises(InputError, match="there is no schema"):
        Result.load(folder)


@pytest.mark.parametrize(
    ("key", "value"), [("n_samples", -1), ("settings", 3), ("method", None), ("notes", "text")]
)
def test_a_description_that_is_none_is_refused(key, value, tmp_path):
    folder = make_result(["a", "b"]).save(tmp_path / "run")
    _rewrite(folder, lambda content: content.update({key: value}))
    with pytest.raises(InputError, match="not one of ours"):
        Result.load(folder)


def test_a_small_file_that_unpacks_to_a_large_one_is_refused_unread(tmp_path, monkeypatch):
    folder = make_result(["a", "b", "c"]).save(tmp_path / "run")
    _forge(folder, lambda arrays: arrays.update(sample=np.zeros((20_000_000, 1), np.float32)))
    assert (folder / "result.npz").stat().st_size < 200_000
    monkeypatch.setattr(np, "load", lambda *_a, **_k: pytest.fail("unpacked before it looked"))
    with pytest.raises(InputError, match="larger than its names allow"):
        Result.load(folder)


def test_an_array_that_declares_more_than_it_holds_is_refused(tmp_path):
    folder = make_result(["a", "b", "c"]).save(tmp_path / "run")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, archive.open("adjacency.npy", "w") as file:
        np.lib.format.write_array_header_1_0(
            file, {"shape": (10**9, 10**3), "fortran_order": False, "descr": "<f8"}
        )
    (folder / "result.npz").write_bytes(packed.getvalue())
    _rewrite(folder, lambda content: None)
    with pytest.raises(InputError, match="not of the size it declares"):
        Result.load(folder)


def test_kinds_conditions_and_certainty_come_back(tmp_path):
    rng = np.random.default_rng(1000)
    X = np.column_stack([rng.normal(size=40), np.arange(40) % 2, rng.normal(size=40)])
    done = Conditions(np.arange(40)[:, None] % 5 == np.arange(3), np.arange(40) % 2, ("control", "drug"))
    table = Table(
        X, ("a", "b", "c"), (), ("continuous", "binary", "continuous"), (None, ("no", "yes"), None), done
    )
    graph = np.zeros((3, 3), dtype=bool)
    graph[0, 1] = True
    likely = np.array([[0.0, 0.6, 0.1], [0.3, 0.0, 0.0], [0.0, 0.0, 0.0]])
    hidden = np.zeros((3, 3), dtype=bool)
    hidden[1, 2] = hidden[2, 1] = True
    changed = np.array([[False] * 3, [False, False, True]])
    answer = Answer(
        np.arange(3),
        graph,
        either_way=graph | graph.T,
        probabilities=likely,
        confounded=hidden,
        changed=changed,
    )
    made = Result.from_answer(answer, table, "auto", {}, {}, None)
    loaded = Result.load(made.save(tmp_path / "kept"))
    assert loaded.kinds == {"a": "continuous", "b": "binary", "c": "continuous"}
    assert loaded.levels == {"b": ("no", "yes")}
    assert loaded.changed == {"drug": ["c"]}
    np.testing.assert_array_equal(loaded.probabilities, likely)
    np.testing.assert_array_equal(loaded.confounded, hidden)
    again = loaded.kept_table()
    assert again.kinds == table.kinds
    np.testing.assert_array_equal(again.conditions.targets, done.targets)
    np.testing.assert_array_equal(again.conditions.environment, done.environment)
    assert again.conditions.labels == ("control", "drug")


def test_probabilities_of_wide_tables_are_saved_as_pairs(tmp_path, monkeypatch):
    monkeypatch.setattr("dagscale.result.storage.DENSE", 3)
    result = make_result("abcdef")
    likely = np.where(result.adjacency, 0.75, 0.0)
    replace(result, probabilities=likely).save(tmp_path / "run")
    with np.load(tmp_path / "run" / "result.npz") as stored:
        assert "probabilities" not in stored
        assert stored["probable"].size == result.adjacency.sum()
    assert (Result.load(tmp_path / "run").probabilities == likely).all()


@pytest.mark.parametrize("call", ["save", "report", "to_csv", "to_json", "to_graphml", "to_gml", "load"])
@pytest.mark.parametrize("path", [None, 3])
def test_what_is_no_path_is_refused_in_one_line(call, path):
    made = dagscale.discover(np.random.default_rng(0).normal(size=(40, 3)), "varsort", n_jobs=1)
    with pytest.raises(InputTypeError, match=f"{path} is no path: give the name of a file or folder"):
        (dagscale.load if call == "load" else getattr(made, call))(path)


def test_what_each_row_is_a_measurement_of_is_kept(tmp_path):
    result = make_result(["a", "b"])
    assert result.units is None
    told = replace(result, units=np.arange(40)[:, None] // 4)
    again = Result.load(told.save(tmp_path / "run"))
    np.testing.assert_array_equal(again.kept_table().units, told.units)
    _forge(tmp_path / "run", lambda arrays: arrays.update(units=told.units[:7]))
    with pytest.raises(InputError, match="rows and units do not fit together"):
        Result.load(tmp_path / "run")
