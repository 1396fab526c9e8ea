"""Knowledge files: what is written is read back, and a damaged file is refused in one line."""

import pytest

from dagscale.inputs.knowledge import Knowledge
from dagscale.runtime.errors import InputError

KNOWN = Knowledge(
    required=[("a b", "no")],
    forbidden=[("no", "ö")],
    tiers=[["a b"], ["no", "1e3"]],
    roots=["a b"],
    leaves=["1e3"],
)


@pytest.mark.parametrize("file", ["known.yaml", "known.yml", "known.json", "known"])
def test_round_trip(tmp_path, file):
    KNOWN.save(tmp_path / file)
    assert Knowledge.load(tmp_path / file) == KNOWN
    assert Knowledge.load(str(tmp_path / file)) == KNOWN


@pytest.mark.parametrize("file", ["known.yaml", "known.json"])
def test_other_names_are_found_by_their_text(tmp_path, file):
    known = Knowledge(required=[(1, ("t", 2))], tiers=[[1, 2.5], [("t", 2)]])
    known.save(tmp_path / file)
    names = [("t", 2), 2.5, 1]
    again = Knowledge.load(tmp_path / file).resolve(names)
    assert (again.before == known.resolve(names).before).all()
    assert (again.required == known.resolve(names).required).all()


def test_yaml_names_stay_text(tmp_path):
    path = tmp_path / "k.yaml"
    path.write_text("required:\n  - [NO, on]\n  - [1e3, 2020-01-01]\nroots:\nleaves: []\n")
    assert Knowledge.load(path) == Knowledge(required=[("NO", "on"), ("1e3", "2020-01-01")])


@pytest.mark.parametrize(("file", "text"), [("k.yaml", ""), ("k.yaml", "# nothing\n"), ("k.json", "{}")])
def test_an_empty_file_knows_nothing(tmp_path, file, text):
    (tmp_path / file).write_text(text)
    assert Knowledge.load(tmp_path / file) == Knowledge()


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("k.yaml", "requird: []", "unknown key 'requird'; did you mean 'required'?"),
        ("k.json", '{"wxyz": []}', "unknown key 'wxyz'; the keys are required, forbidden, tiers"),
        ("k.yaml", "roots: [a]\nroots: [b]", "key 'roots' stands twice"),
        ("k.json", '{"roots": ["a"], "roots": []}', "key 'roots' stands twice"),
        ("k.yaml", "- a\n- b", "must hold keys"),
        ("k.json", "[1]", "must hold keys"),
        ("k.yaml", "just text", "must hold keys"),
        ("k.yaml", "roots: [a\nleaves: ]b", "damaged, line 2"),
        ("k.yaml", "roots: [a]\n---\nroots: [b]", "damaged"),
        ("k.json", '{"roots": ["a"', "damaged, not JSON"),
        ("k.json", "", "damaged, not JSON"),
        ("k.json", "[" * 100_000, "damaged, not JSON"),
        ("k.yaml", "a: !!python/object/apply:os.system [x]", "unknown key 'a'"),
        ("k.yaml", "required: {a: b}", "required must be a list like"),
        ("k.json", '{"required": {"a": "b"}}', "required must be a list like [('a', 'b')], not {'a': 'b'}"),
        ("k.yaml", "required:\n  - a -> b", "required holds 'a -> b'; write each edge as a pair"),
        ("k.yaml", "roots: \x00", "damaged"),
    ],
)
def test_bad_files_get_one_line(tmp_path, file, text, line):
    (tmp_path / file).write_text(text)
    with pytest.raises((InputError, TypeError)) as refused:
        Knowledge.load(tmp_path / file)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(InputError, match=r"gone\.yaml' cannot be read: No such file"):
        Knowledge.load(tmp_path / "gone.yaml")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        Knowledge.load(tmp_path)
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="it is not text"):
        Knowledge.load(tmp_path / "binary.yaml")
    with pytest.raises(InputError, match="cannot be written: No such file"):
        KNOWN.save(tmp_path / "gone" / "k.yaml")
