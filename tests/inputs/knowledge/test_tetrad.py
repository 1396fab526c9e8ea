"""Tetrad's knowledge files say the same here as there."""

import pytest

from dagscale.inputs.knowledge import Knowledge
from dagscale.runtime.errors import InputError

FILE = """/knowledge
addtemporal

1  year origin weight
2* cylinders power

forbiddirect
year origin

requiredirect
weight  power
"""


def test_tiers_forbidden_and_required_edges_are_read(tmp_path):
    path = tmp_path / "known.txt"
    path.write_text(FILE)
    known = Knowledge.load(path)
    assert known.tiers == (("year", "origin", "weight"), ("cylinders", "power"))
    assert known.required == (("weight", "power"),)
    assert set(known.forbidden) == {("year", "origin"), ("cylinders", "power"), ("power", "cylinders")}
    constraints = known.resolve(["power", "weight", "year", "origin", "cylinders"])
    assert constraints.before[1, 0]
    assert not constraints.allowed[0, 1]


def test_empty_sections_and_windows_lines_are_fine(tmp_path):
    path = tmp_path / "known.txt"
    path.write_bytes(
        b"/knowledge\r\naddtemporal\r\n\r\n1 a b\r\n2 c\r\n\r\nforbiddirect\r\n\r\nrequiredirect\r\n"
    )
    assert Knowledge.load(path) == Knowledge(tiers=[["a", "b"], ["c"]])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("addtemporal\nfirst a b", "a tier begins with its number"),
        ("requiredirect\na b c", "two names"),
        ("forbiddirect\na", "two names"),
        ("1 a b", "the sections are"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(tmp_path, line, reason):
    path = tmp_path / "known.txt"
    path.write_text(f"/knowledge\n{line}\n")
    with pytest.raises(InputError, match=reason):
        Knowledge.load(path)
