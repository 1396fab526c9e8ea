"""Loading by name, and the catalogue."""

import pytest

from dagscale.data.datasets import catalogue, load
from dagscale.runtime.errors import InputError


def test_the_catalogue_lists_every_set_and_tells_the_truth_about_the_shipped_one(monkeypatch):
    monkeypatch.delenv("DAGSCALE_DATA", raising=False)
    listed = catalogue().set_index("name")
    assert {"n", "d", "edges", "source", "available", "how"} <= set(listed.columns)
    assert {
        "farm",
        "sachs",
        "sachs-experiments",
        "galton",
        "auto-mpg",
        "yacht",
        "red-wine",
        "students",
        "syntren",
        "regulatory",
        "tuebingen",
        "ecoli70",
        "arth150",
        "magic-niab",
        "magic-irri",
    } == set(listed.index)
    sachs = load("sachs")
    assert listed.loc["sachs", ["n", "d", "edges"]].tolist() == ["853", "11", "17"]
    assert (str(len(sachs.table)), str(sachs.adjacency.sum())) == ("853", "17")
    assert bool(listed.loc["sachs", "available"])
    assert not listed.loc["syntren", "available"]
    assert listed.loc[["galton", "auto-mpg"], "available"].all()
    assert not listed.loc[["yacht", "red-wine", "students"], "available"].any()


def test_syntren_is_available_where_the_environment_says(tmp_path, monkeypatch):
    (tmp_path / "data1.csv").write_text("a,b\n1,2\n")
    monkeypatch.setenv("DAGSCALE_DATA", str(tmp_path))
    assert catalogue().set_index("name").loc["syntren", "available"]


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("sacks", {}, "did you mean 'sachs'"),
        ("sachs", {"index": 1}, "takes graph"),
        ("galton", {"index": 1}, "takes none"),
        ("syntren", {"indx": 1}, "did you mean 'index'"),
        ("ecoli70", {"rows": 5}, "takes samples, random_state"),
    ],
)
def test_unknown_names_and_options_are_refused_in_one_line(name, options, text):
    with pytest.raises(InputError) as caught:
        load(name, **options)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)
