"""Tables against means worked by hand."""

from dataclasses import replace

import pytest

from dagscale.benchmark.cases import RAW, UNITS, Case
from dagscale.benchmark.execute import Conditions, record_of
from dagscale.benchmark.measure import Cost
from dagscale.benchmark.published import Value
from dagscale.benchmark.rows import parse_row
from dagscale.benchmark.store import key_of
from dagscale.benchmark.suite import Suite, Trial
from dagscale.benchmark.summary import summarise
from dagscale.benchmark.table import render, sheets_of, standing
from dagscale.runtime.errors import InputError

CASES = tuple(Case("ER1", d, units) for d in (10, 20) for units in UNITS)
SUITE = Suite(
    "hand", "By hand", "", CASES, ("das", "empty", "varsort", "true-order"), tables=("grid", "detail")
)


def record(case, method, seed, shd, status="ok", **metrics):
    trial = Trial(case, parse_row(method), seed)
    found = {"shd": shd, "sid": 2 * shd, "precision": 1.0, "recall": 0.5, "f1": 2 / 3, "order_errors": 0}
    found["recall_by_in_degree"] = {"1": [1, 2], "3": [0, 3]}
    outcome = (
        {"status": status, "metrics": found | metrics} if status == "ok" else {"status": status, "error": "E"}
    )
    return record_of(
        trial, Conditions(), outcome, Cost(wall=2.0 + seed, cpu=1.0, peak_mb=200.0, start_mb=100.0)
    )


def store(*records):
    return {key_of(r): r for r in records}


def das(case=CASES[0], values=(1, 2, 6), **more):
    return [record(case, "das", seed, shd, **more) for seed, shd in enumerate(values)]


def line(summary, method, sheet="ER1, d = 10"):
    found = next(s for s in sheets_of(summary) if s.title == sheet)
    row = next(r for r in found.rows if r[0] == f"`{method}`")
    return dict(zip(found.header, row, strict=True)), found.notes


def test_means_and_sample_deviations():
    summary = summarise(SUITE, store(*das(), *das(CASES[1], (0, 1))))
    cells, _ = line(summary, "das")
    assert cells["SHD standardised"] == "3.0 ± 2.6"  # mean of 1, 2, 6; √7 = 2.65
    assert cells["SHD raw"] == "0.5 ± 0.7"
    assert cells["SID"] == "6.0 / 1.0"
    assert cells["recall"] == "0.50 / 0.50"
    assert cells["seconds"] == "3.0 / 2.5"
    assert cells["peak MB"] == "200 / 200"
    assert cells["seeds"] == "3 / 2"
    assert cells["published SHD"] == "1.0 ± 0.8"
    assert cells["against it"] == "within 1 sd"


def test_published_rows_stand_there_even_without_ours():
    cells, _ = line(summarise(SUITE, store(*das())), "grandag")
    assert (cells["SHD standardised"], cells["published SHD"], cells["against it"]) == ("–", "1.5 ± 1.4", "")


@pytest.mark.parametrize(
    ("mean", "value", "words"),
    [
        (1.8, Value(1.0, 0.8), "within 1 sd"),
        (1.9, Value(1.0, 0.8), "worse"),
        (0.1, Value(1.0, 0.8), "better"),
        (12, Value(12, None), "equal"),
        (208, Value(209, None), "better"),
    ],
)
def test_standing(mean, value, words):
    assert standing(mean, value) == words


def test_a_trivial_baseline_that_wins_or_ties_is_said_plainly():
    for row, shd in (("empty", 2), ("varsort", 3)):
        rows = [record(CASES[0], row, s, shd) for s in range(3)]
        _, notes = line(summarise(SUITE, store(*das(), *rows)), "das")
        said = (
            f"On standardised data the baseline `{row}` ({shd}.0) is as good as or better than every method."
        )
        assert said in notes
    weak = [record(CASES[0], "empty", s, 9) for s in range(3)]
    _, notes = line(summarise(SUITE, store(*das(), *weak)), "das")
    assert not any("baseline" in note for note in notes)


def test_a_baseline_that_beats_one_of_two():
    rows = [
        record(CASES[0], "empty", 0, 2),
        record(CASES[0], "score", 0, 1),
        record(CASES[0], "true-order", 0, 0),
    ]
    _, notes = line(summarise(SUITE, store(*das(), *rows)), "das")
    assert "On standardised data the baseline `empty` (2.0) is as good as or better than `das`." in notes


def test_failures_are_counted_apart():
    failed = record(CASES[0], "das", 3, 0, status="error")
    cells, notes = line(summarise(SUITE, store(*das(), failed)), "das")
    assert cells["SHD standardised"] == "3.0 ± 2.6 (1 failed)"
    assert "das, standardised: 1 of 4 runs failed (error E)." in notes


def test_runs_over_the_time_limit_stand_in_the_table():
    late = [record(CASES[0], "das", seed, 0, status="timeout") | {"limit": 60.0} for seed in (1, 2)]
    some = summarise(SUITE, store(*das(values=(1,)), *late, record(CASES[0], "score", 0, 5)))
    cells, notes = line(some, "das")
    assert (cells["SHD standardised"], cells["seeds"]) == ("1.0 (2 timeout)", "1 of 3")
    assert "das, standardised: 2 of 3 runs failed (timeout after 60 s)." in notes
    grid = next(iter(sheets_of(some)))
    assert grid.rows[0][grid.header.index("`das`")] == "1.0 (2 timeout)"
    assert grid.rows[0][grid.header.index("`score`")] == "**5.0**"  # the one seed that ended wins nothing
    none = summarise(SUITE, store(*late))
    assert line(none, "das")[0]["SHD standardised"] == "timeout"
    assert next(iter(sheets_of(none))).rows[0][1] == "timeout"


def test_a_mean_over_the_seeds_that_finished_is_compared_with_nothing():
    late = record(CASES[1], "das", 2, 0, status="timeout") | {"limit": 60.0}
    whole = [*das(CASES[1], (1, 1)), record(CASES[1], "varsort", 0, 1)]
    (cells, notes), (partly, fewer) = (
        line(summarise(SUITE, store(*whole, *more)), "das") for more in ([], [late])
    )
    assert "within 1 sd" in cells.values()
    assert any("the baseline" in note for note in notes)
    assert partly["SHD raw"] == "1.0 ± 0.0 (1 timeout)"
    assert "within 1 sd" not in partly.values()
    assert not any("the baseline" in note for note in fewer)


def test_tuning_seeds_do_not_enter():
    tuned = [record(CASES[0], "das", 1000, 99)]
    assert line(summarise(SUITE, store(*das(), *tuned)), "das")[0]["seeds"] == "3"
    assert line(summarise(SUITE, store(*das(), *tuned), seeds=[1000]), "das")[0]["SHD standardised"] == "99.0"


def test_rows_that_somebody_ran_besides():
    extra = record(CASES[0], "das:cutoff=0.05", 0, 4)
    cells, _ = line(summarise(SUITE, store(*das(), extra)), "das:cutoff=0.05")
    assert cells["SHD standardised"] == "4.0"


def test_a_peer_is_shown_where_its_package_is_not_installed():
    runs = [record(CASES[0], "peer:lingam-direct", 0, 7, skeleton_f1=0.9)]
    cells, _ = line(summarise(SUITE, store(*runs)), "peer:lingam-direct")
    assert cells["SHD standardised"] == "7.0"
    assert cells["adjacency F1"] == "0.90"


def test_grid_marks_the_best_that_does_not_know_the_truth():
    rows = [record(CASES[1], "empty", 0, 5), record(CASES[1], "true-order", 0, 0)]
    sheets = list(sheets_of(summarise(SUITE, store(*das(CASES[1]), *das(CASES[3], (4, 4)), *rows))))
    assert sheets[0].title == "By hand: SHD, raw data"
    assert sheets[0].header == ("", "`das`", "`empty`", "`true-order`")
    assert sheets[0].rows[0] == ("d = 10", "**3.0 ± 2.6** [1.0 ± 0.8]", "5.0", "0.0")
    assert sheets[0].rows[1] == ("d = 20", "**4.0 ± 0.0** [3.2 ± 1.4]", "", "")


def test_a_grid_of_any_measure():
    rows = [record(CASES[0], "das", 0, 1, recall=0.25), record(CASES[0], "empty", 0, 9, recall=0.0)]
    (sheet,) = sheets_of(summarise(SUITE, store(*rows)), "recall")
    assert sheet.title == "By hand: recall, standardised data"
    assert sheet.rows == (("ER1", "**0.25**", "0.00"),)  # the highest is the best
    (sheet,) = sheets_of(summarise(SUITE, store(record(CASES[1], "das", 0, 1))), "wall")
    assert sheet.rows == (("ER1", "**2.0** [7.8 ± 0.1]"),)  # raw, beside the paper's seconds
    with pytest.raises(InputError, match="unknown measure"):
        list(sheets_of(summarise(SUITE, store(*rows)), "beauty"))


def test_undefined_measures_are_left_out_of_the_mean():
    runs = [record(CASES[0], "das", 0, 1), record(CASES[0], "das", 1, 1, sid=None)]
    assert line(summarise(SUITE, store(*runs)), "das")[0]["SID"] == "2.0"


def test_formats():
    summary = summarise(SUITE, store(*das()))
    assert "| `das` | 3.0 ± 2.6 |" in render(summary, "md")
    text = render(summary, "text", by_in_degree=True)
    assert "3.0 ± 2.6*" in text  # the best of its line
    assert "`" not in text
    assert "0.50" in text.split("recall by in-degree")[1]  # 3 of 6 edges at one parent
    with pytest.raises(InputError, match="choose from text, md"):
        render(summary, "xml")


def test_text_columns_align():
    block = render(summarise(replace(SUITE, tables=("detail",)), store(*das())), "text").splitlines()
    header, first = block[1], block[3]
    assert header.index("SHD standardised") + len("SHD standardised") == first.index("3.0 ± 2.6") + len(
        "3.0 ± 2.6"
    )


TIERED = Case("Galton's families", 4, RAW, "galton")
PAIR = Case("pairs", 2, RAW, "tuebingen")
MIXED = Suite(
    "known", "What is known", "", (CASES[0], TIERED, PAIR), ("das", "empty"),
    tables=("grid", "tiers"), also=("tier_score", "accuracy", "decision_area"),
)  # fmt: skip


def told(case, method, seed=0, **metrics):
    return record_of(Trial(case, parse_row(method), seed), Conditions(), {"status": "ok", "metrics": metrics})


def tiered(method, along, against, is_open):
    return told(TIERED, method, along=along, against=against, open=is_open, tier_score=along - against)


def test_every_case_stands_in_the_tables_of_the_measures_it_has():
    pairs = [(1.0, 0.9, 1.0), (0.0, 0.8, 1.0), (1.0, 0.7, 2.0)]
    runs = [
        told(PAIR, "das", seed, right=r, certainty=c, weight=w) for seed, (r, c, w) in enumerate(pairs)
    ] + [told(PAIR, "empty", 50, right=0.5, certainty=0.0, weight=0.1)]
    sheets = list(
        sheets_of(summarise(MIXED, store(*das(), *runs, tiered("das", 3, 1, 2), tiered("empty", 0, 0, 0))))
    )
    by_title = {sheet.title: sheet.rows for sheet in sheets}
    assert by_title == {
        "What is known: SHD, standardised data": (("ER1", "**3.0 ± 2.6**"),),
        "What is known: arrows along the known tiers less arrows against them, raw data": (
            ("Galton's families", "**2.0**", "0.0"),
        ),
        "What is known: share of right directions, raw data": (("pairs", "**0.75**", "0.50"),),
        "What is known: area under the decision-rate curve, raw data": (("pairs", "**0.75**", "0.50"),),
        "Links between known tiers: arrows along / against / left open": (
            ("Galton's families", "3 / 1 / 2", "0 / 0 / 0"),
        ),
    }


def test_seeds_of_a_collection_are_all_its_tables():
    cell = summarise(MIXED, store(told(PAIR, "das", 98, right=1.0, certainty=1.0, weight=1.0))).of(PAIR)[
        "das"
    ]
    assert cell.seeds == {98}
    assert not summarise(MIXED, store(told(TIERED, "das", 98, tier_score=1))).cells


def test_a_method_that_fails_on_one_pair_is_not_compared():
    failed = record_of(Trial(PAIR, parse_row("das"), 1), Conditions(), {"status": "error", "error": "E"})
    runs = [told(PAIR, row, 0, right=1.0, certainty=1.0, weight=1.0) for row in ("das", "empty")]
    (sheet,) = (s for s in sheets_of(summarise(MIXED, store(*runs, failed))) if "share of right" in s.title)
    assert sheet.rows == (("pairs", "1.00 (1 failed)", "**1.00**"),)


def test_counts_between_tiers_are_added_up_where_a_method_has_them_all():
    other = Case("yacht", 7, RAW, "yacht")
    suite = replace(MIXED, cases=(TIERED, other), tables=("tiers",))
    runs = [
        tiered("das", 3, 1, 2),
        tiered("empty", 0, 0, 0),
        told(other, "das", along=1, against=0, open=4, tier_score=1),
    ]
    (sheet,) = sheets_of(summarise(suite, store(*runs)))
    assert sheet.rows == (
        ("Galton's families", "3 / 1 / 2", "0 / 0 / 0"),
        ("yacht", "1 / 0 / 4", "–"),
        ("all of them", "4 / 1 / 6", "–"),
    )
