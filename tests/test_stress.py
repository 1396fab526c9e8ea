"""The stress suite itself: what it draws, how it judges, and the page that it writes."""

from pathlib import Path

import numpy as np

from dagscale.runtime.errors import InputError
from stress.judge import Outcome, attempt
from stress.page import HEAD, table_of, write
from stress.tables import KINDS
from stress.trials import ARGUMENTS, METHODS_TRIED, trial

PAGE = Path(__file__).parent.parent / "docs" / "stress.md"
TRIED = (
    "fuzzed tables",
    "exports read back",
    "reports",
    "questions",
    "estimators",
    "kills resumed",
    "concurrent pairs",
    "budgets",
    "memory against plan",
    "invariance: column order",
    "invariance: units",
    "invariance: workers",
)


def test_a_seed_is_a_trial_and_all_are_drawn():
    trials = [trial(seed) for seed in range(len(KINDS) * len(METHODS_TRIED))]
    assert {t.options["method"] for t in trials} == set(METHODS_TRIED)
    assert len({t.label for t in trials}) == len(KINDS)
    for name in {"kinds", "interventions", "environment"} & ARGUMENTS:
        assert sum(name in t.options for t in trials) > 5
    efforts = {t.options.get("effort", "full") for t in trials if t.options["method"] == "auto"}
    assert efforts == {"full", "quick"}
    again = trial(3)
    assert again.table.equals(trials[3].table)
    assert again.options == trials[3].options


def test_what_survives():
    def refuse():
        raise InputError("column 'a' is constant: drop it")

    def warn():
        return [str(np.float64(1) / np.float64(0))]

    assert attempt("x", "fine", list).fault == ""
    assert attempt("x", "refused", refuse).refused
    assert attempt("x", "warned", warn).fault.startswith("RuntimeWarning")
    assert attempt("x", "wrong", lambda: ["a cycle"]).fault == "a cycle"


def test_the_table_counts(tmp_path):
    outcomes = [Outcome("a", "1", 2.0), Outcome("a", "2", 1.0, fault="lost"), Outcome("b", "3", refused=True)]
    assert table_of(outcomes).splitlines()[2:] == ["| a | 2 | 1 | 0 | 2.0 s |", "| b | 1 | 1 | 1 | 0.0 s |"]
    write(tmp_path / "page.md", outcomes, ["Full disk: skipped."], kinds=3)
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "- a: lost (2)" in page
    assert "3 kinds" in page


def test_the_page_has_all_parts():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines[lines.index(HEAD) + 2 :] if line.startswith("| ")]
    assert {row[0] for row in rows} >= set(TRIED)
    assert all(0 <= int(row[3]) <= int(row[2]) <= int(row[1]) for row in rows)
