"""The checkpoint's file: what goes in comes out, whatever a kill has torn; another run's is refused."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.table import Table
from dagscale.methods.checkpoint_identity import identity_of
from dagscale.runtime import checkpoint
from dagscale.runtime.checkpoint import Checkpoint, Log
from dagscale.runtime.errors import InputError
from dagscale.runtime.resume import Memory, key_of

RUN = {"table": "t", "method": "das", "code": "c"}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    """Write every piece when it comes."""
    monkeypatch.setattr(checkpoint, "FIRST", 0.0)
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)


def log(path, run=RUN, replace=False):
    return Log(path, lambda: run, replace)


PIECES = {
    "numbers": (1, 2.5, -0.0, float("inf"), True, None, "words"),
    "arrays": (np.arange(6.0).reshape(2, 3), np.array([], dtype=np.intp), np.array([1e-320, np.nan])),
    "bools": np.random.default_rng(0).random((5, 7)) < 0.5,
    "nested": [(np.float64(0.1), [np.arange(3)]), ()],
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "scalar array": np.array(3.0),
}


def same(a, b):
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return (
            a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        )
    return a == b


@pytest.mark.parametrize("waiting", [True, False])
def test_every_kind_of_piece_comes_back_as_it_was(tmp_path, waiting, monkeypatch):
    if waiting:
        monkeypatch.setattr(checkpoint, "FIRST", 1e9)
    first = log(tmp_path / "c.bin")
    for key, piece in PIECES.items():
        first.keep(key, piece)
    if not waiting:
        first.close()
        first = log(tmp_path / "c.bin")
    assert len(first) == len(PIECES)
    assert (tmp_path / "c.bin").exists() is not waiting
    for key, piece in reversed(PIECES.items()):
        assert key in first
        assert same(piece, first.recall(key))
    assert np.signbit(first.recall("numbers")[2])
    first.close()


def test_a_piece_is_kept_as_it_was_when_it_came(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "FIRST", 1e9)
    kept, piece = log(tmp_path / "c.bin"), np.zeros(3)
    kept.keep("p", piece)
    piece += 1
    assert kept.recall("p").tolist() == [0, 0, 0]
    kept.recall("p")[:] = 7
    assert kept.recall("p").tolist() == [0, 0, 0]


def test_a_file_cut_anywhere_keeps_the_records_before(tmp_path):
    path = tmp_path / "c.bin"
    first = log(path)
    ends = []
    for k in range(3):
        first.keep(str(k), np.full(3, k))
        ends.append(path.stat().st_size)
    first.close()
    whole = path.read_bytes()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        left = log(path)
        assert len(left) == sum(end <= size for end in ends)
        left.keep("new", size)  # and it can be written to again
        left.close()
        again = log(path)
        assert again.recall("new") == size
        again.close()


def test_a_damaged_byte_costs_what_comes_after_it_and_no_more(tmp_path):
    path = tmp_path / "c.bin"
    first = log(path)
    for k in range(3):
        first.keep(str(k), np.full(3, k))
        if k == 0:
            good = path.stat().st_size
    first.close()
    whole = bytearray(path.read_bytes())
    for at in range(good, len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        left = log(path)
        assert "0" in left
        assert len(left) < 3
        assert left.recall("0").tolist() == [0, 0, 0]
        left.close()


def test_another_run_is_refused_in_one_line_or_replaced(tmp_path):
    path = tmp_path / "run.partial" / "c.bin"
    first = log(path)
    first.keep("p", 1)
    first.close()
    with pytest.raises(
        InputError, match=r"run\.partial' holds .* of another run \(different table and code\)"
    ):
        log(path, {**RUN, "table": "u", "code": "d"})
    kept = log(path)  # refusing changed nothing
    assert kept.recall("p") == 1
    kept.close()
    other = log(path, {**RUN, "method": "score"}, replace=True)
    assert len(other) == 0
    other.keep("q", 2)
    other.close()
    with pytest.raises(InputError, match="different method"):
        log(path)


def test_two_runs_cannot_write_to_the_same_file(tmp_path):
    path = tmp_path / "c.bin"
    first = log(path)
    first.keep("p", 1)
    with pytest.raises(InputError, match="another run is writing"):
        log(path)
    first.close()
    log(path).close()


def test_identity_tells_everything_the_result_depends_on():
    X, free = np.random.default_rng(0).normal(size=(5, 2)), Constraints.none(2)
    tied = Constraints(free.allowed & np.array([[False, True], [False, False]]), free.required, free.before)
    table = Table(X, ("a", "b"), ())
    base = identity_of(table, "das", ("K", 20), free)
    assert base == identity_of(replace(table, X=X.copy()), "das", ("K", 20), free)
    done = Conditions(X > 0, np.zeros(5, dtype=np.intp))
    changes = [
        ("table", identity_of(replace(table, X=np.nextafter(X, 9)), "das", ("K", 20), free)),
        ("table", identity_of(replace(table, kinds=("binary", "count")), "das", ("K", 20), free)),
        ("table", identity_of(replace(table, conditions=done), "das", ("K", 20), free)),
        ("method", identity_of(table, "score", ("K", 20), free)),
        ("settings", identity_of(table, "das", ("K", 21), free)),
        ("knowledge", identity_of(table, "das", ("K", 20), tied)),
    ]
    for name, other in changes:
        assert [key for key in base if base[key] != other[key]] == [name]


def test_a_short_run_leaves_no_file_a_long_one_removes_it(tmp_path, monkeypatch):
    place = Checkpoint(tmp_path / "deep" / "run")
    with place.open(lambda: RUN) as memory:
        assert memory.once("s", lambda: 3) == 3
    assert place.file.exists()
    place.remove()
    assert not place.folder.exists()
    monkeypatch.setattr(checkpoint, "FIRST", 100.0)
    with place.open(lambda: RUN) as memory:
        assert memory.once("s", lambda: 3) == 3
    assert not place.folder.exists()
    place.remove()  # nothing there is no error


def test_removing_spares_what_is_not_ours(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    place = Checkpoint(tmp_path)
    with place.open(lambda: RUN) as memory:
        memory.once("s", lambda: 3)
    place.remove()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_an_interrupt_says_how_to_go_on_where_there_is_something_to_go_on_from(tmp_path, monkeypatch):
    def interrupted(place):
        with place.open(lambda: RUN) as memory:
            memory.once("s", lambda: 3)
            raise KeyboardInterrupt

    place = Checkpoint(tmp_path / "run", again="do it again")
    with pytest.raises(KeyboardInterrupt, match=r"finished work is in .*run: do it again$"):
        interrupted(place)
    with place.open(lambda: RUN) as memory:
        assert memory.once("s", lambda: 4) == 3
    place.remove()
    monkeypatch.setattr(checkpoint, "FIRST", 100.0)
    with pytest.raises(KeyboardInterrupt) as stop:
        interrupted(place)
    assert not str(stop.value)


@dataclass(frozen=True)
class Pair:
    left: float
    right: np.ndarray


def test_memory_computes_what_it_does_not_know_in_order(tmp_path):
    calls = []

    def double(k):
        calls.append(k)
        return Pair(2.0 * k, np.arange(k))

    def run(items, seen=None):
        kept = log(tmp_path / "c.bin")
        found = Memory(kept).within("stage", np.ones(2)).map("fit", double, items, 1, done=seen, restore=Pair)
        kept.close()
        return [(pair.left, pair.right.tolist()) for pair in found]

    expected = [(2.0 * k, list(range(k))) for k in (3, 1, 2, 1)]
    announced = []
    assert run([1, 3]) == [expected[1], expected[0]]
    assert run([3, 1, 2, 1], announced.append) == expected
    assert calls == [1, 3, 2]
    assert announced == [4]
    assert [pair.left for pair in Memory().map("fit", double, [3, 1], 1)] == [6.0, 2.0]  # no log, no memory
    assert calls == [1, 3, 2, 3, 1]


def test_pieces_are_told_apart_by_stage_scope_and_what_they_depend_on(tmp_path):
    kept = log(tmp_path / "c.bin")
    memories = [Memory(kept), Memory(kept).within("a", np.zeros(2)), Memory(kept).within("a", np.zeros(3))]
    answers = iter(range(100))
    seen = [
        memory.once(stage, lambda: next(answers), *given)
        for memory in memories
        for stage in ("s", "t")
        for given in ((), (1,), (1, 2), ((1, 2),), ((1,), 2), (np.arange(2),), (np.arange(2.0),))
    ]
    assert seen == list(range(len(seen)))
    kept.close()


def test_keys_do_not_depend_on_memory_layout():
    X = np.arange(12.0).reshape(3, 4)
    assert key_of("s", X) == key_of("s", np.asfortranarray(X)) == key_of("s", np.hstack([X, X])[:, :4])
    assert key_of("s", X) != key_of("s", X.reshape(4, 3))
    assert key_of("s", X) != key_of("s", X.astype(np.float32))
