"""The stress suite itself: what it draws, how it judges, and the page that it writes."""

import numpy as np

from dagscale.methods.registry import METHODS
from dagscale.runtime.errors import InputError
from stress.__main__ import PAGE, SUMMARY, tried
from stress.judge import Outcome, attempt
from stress.page import page, table_of
from stress.parts import PARTS, Part
from stress.record import Log, load, merge, store, summary
from stress.tables import KINDS
from stress.trials import ARGUMENTS, METHODS_TRIED, trial

TRIED = (
    "fuzzed tables",
    "exports read back",
    "reports",
    "questions",
    "estimators",
    "mixed tables",
    "kills resumed",
    "concurrent pairs",
    "budgets",
    "memory against plan",
    "invariance: column order",
    "invariance: column order, ties and exact dependence",
    "invariance: units",
    "invariance: workers",
    "versions of dependencies",
)


def test_a_seed_is_a_trial_and_all_are_drawn():
    trials = [trial(seed) for seed in range(len(KINDS) * len(METHODS_TRIED))]
    assert {t.options["method"] for t in trials} == set(METHODS)
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


OUTCOMES = (
    Outcome("a", "1", 2.0),
    Outcome("a", "2", 1.0, fault="lost"),
    Outcome("b", "3", refused=True),
)


def test_the_page_counts(tmp_path):
    kept = tmp_path / "summary.json"
    store(kept, "first", summary(OUTCOMES))
    store(kept, "second", summary(OUTCOMES[:1]))
    store(kept, "first", summary(OUTCOMES))  # a part tried again replaces its own rows
    lines = [line.rsplit(" | ", 1)[0] for line in table_of(load(kept)).splitlines()[2:]]
    assert lines == ["| a | 2 | 1 | 0 | 2.0 s", "| b | 1 | 1 | 1 | 0.0 s", "| a | 1 | 1 | 0 | 2.0 s"]
    assert "- a: lost (2)" in page(load(kept))


def test_a_part_that_was_run_elsewhere_is_taken(tmp_path):
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    store(here, "first", summary(OUTCOMES))
    store(here, "second", summary(OUTCOMES))
    store(there, "first", summary(OUTCOMES[:1]))
    store(there, "second", summary(OUTCOMES[:1]))
    merge(here, load(there), ["second", "third"])
    assert [load(here)[part]["rows"][0]["tried"] for part in ("first", "second")] == [2, 1]
    assert set(load(here)) == {"first", "second"}


def test_what_was_tried_is_not_tried_again(tmp_path):
    part, log = Part(lambda k: [Outcome("a", str(k))], 4), Log(tmp_path / "log" / "part.jsonl")
    log.add(1, OUTCOMES[:1])
    assert [outcome.label for outcome in tried(part, range(3), log)] == ["0", "1", "2"]
    assert log.read()[1] == [OUTCOMES[0]]
    assert sorted(log.read()) == [0, 1, 2]


def test_the_page_is_of_the_stored_outcomes_and_has_all_parts():
    kept = load(SUMMARY)
    assert PAGE.read_text(encoding="utf-8") == page(kept)
    rows = {row["what"]: row for part in kept.values() for row in part["rows"]}
    assert set(rows) >= set(TRIED)
    assert all(row["tried"] - row["survived"] <= len(row["lost"]) for row in rows.values())
    for name, part in PARTS.items():
        if name in kept:
            assert (
                kept[name]["rows"][0]["tried"] >= part.count
            )  # a table of the invariances is several outcomes
