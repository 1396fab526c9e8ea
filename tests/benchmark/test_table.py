"""Tables against means worked by hand."""

import csv
import io
from dataclasses import replace

import pytest

from dagscale.benchmark import peers
from dagscale.benchmark.cases import UNITS, Case
from dagscale.benchmark.execute import record_of
from dagscale.benchmark.measure import Cost
from dagscale.benchmark.published import Value
from dagscale.benchmark.rows import parse_row
from dagscale.benchmark.store import Store
from dagscale.benchmark.suite import Suite, Trial
from dagscale.benchmark.summary import summarise
from dagscale.benchmark.table import render, sheets_of, standing
from dagscale.benchmark.version import code_version
from dagscale.runtime.errors import InputError

CASES = tuple(Case("ER1", d, units) for d in (10, 20) for units in UNITS)
SUITE = Suite(
    "hand", "By hand", "", CASES, ("das", "empty", "varsort", "true-order"), tables=("grid", "detail")
)


def record(case, method, seed, shd, code=None, status="ok", **metrics):
    trial = Trial(case, parse_row(method), seed)
    code = code or code_version(trial.row, case.source)
    found = {"shd": shd, "sid": 2 * shd, "precision": 1.0, "recall": 0.5, "f1": 2 / 3, "order_errors": 0}
    found["recall_by_in_degree"] = {"1": [1, 2], "3": [0, 3]}
    outcome = (
        {"status": status, "metrics": found | metrics} if status == "ok" else {"status": status, "error": "E"}
    )
    return record_of(trial, code, outcome, Cost(wall=2.0 + seed, cpu=1.0, peak_mb=200.0, start_mb=100.0))


def store(*records):
    return Store({r["key"]: r for r in records})


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


def test_a_trivial_baseline_that_wins_is_said_plainly():
    rows = [record(CASES[0], "empty", s, 2) for s in range(3)]
    _, notes = line(summarise(SUITE, store(*das(), *rows)), "das")
    head = "**On standardised data a trivial baseline is not beaten**"
    assert f"{head}: `empty` (2.0) beats the best method, `das` (3.0)." in notes
    tie = [record(CASES[0], "varsort", s, 3) for s in range(3)]
    _, notes = line(summarise(SUITE, store(*das(), *tie)), "das")
    assert any("`varsort` (3.0) ties with the best method" in note for note in notes)
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
    assert (
        "On standardised data the baseline `empty` (2.0) does as well as or better than `das` (3.0)." in notes
    )


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
    assert any("trivial baseline" in note for note in notes)
    assert partly["SHD raw"] == "1.0 ± 0.0 (1 timeout)"
    assert "within 1 sd" not in partly.values()
    assert not any("trivial baseline" in note for note in fewer)


def test_versions_never_mix():
    old = das(values=(50, 60, 70, 80), code="0.0+old")
    older = das(values=(500,), code="0.0+older")
    new = das()
    for r, day in ((older[0], "2020"), *((r, "2021") for r in old)):
        r["finished"] = f"{day}-01-01T00:00:00"
    both = store(*older, *old, new[0])
    assert line(summarise(SUITE, both), "das")[0]["SHD standardised"] == "1.0"
    assert summarise(SUITE, both).hidden == 5
    assert line(summarise(SUITE, both, any_version=True), "das")[0]["SHD standardised"] == "1.0"
    only_old = store(*older, *old)
    assert summarise(SUITE, only_old).cells == ()
    cells, notes = line(summarise(SUITE, only_old, any_version=True), "das")
    assert (cells["SHD standardised"], cells["seeds"]) == ("65.0 ± 12.9", "4")
    assert "Made by an earlier version of the code: das." in notes


def test_tuning_seeds_do_not_enter():
    tuned = [record(CASES[0], "das", 1000, 99)]
    assert line(summarise(SUITE, store(*das(), *tuned)), "das")[0]["seeds"] == "3"
    assert line(summarise(SUITE, store(*das(), *tuned), seeds=[1000]), "das")[0]["SHD standardised"] == "99.0"


def test_rows_that_somebody_ran_besides():
    extra = record(CASES[0], "das:cutoff=0.05", 0, 4)
    cells, _ = line(summarise(SUITE, store(*das(), extra)), "das:cutoff=0.05")
    assert cells["SHD standardised"] == "4.0"


def test_a_peer_is_shown_where_its_package_is_not_installed(monkeypatch):
    monkeypatch.setattr(peers, "installed_version", lambda package: None)
    code_version.cache_clear()
    runs = [record(CASES[0], "peer:lingam-direct", 0, 7, code="0.1.0+elsewhere", skeleton_f1=0.9)]
    cells, _ = line(summarise(SUITE, store(*runs)), "peer:lingam-direct")
    assert cells["SHD standardised"] == "7.0"
    assert cells["adjacency F1"] == "0.90"
    code_version.cache_clear()


def test_grid_marks_the_best_that_does_not_know_the_truth():
    rows = [record(CASES[1], "empty", 0, 5), record(CASES[1], "true-order", 0, 0)]
    sheets = list(sheets_of(summarise(SUITE, store(*das(CASES[1]), *das(CASES[3], (4, 4)), *rows))))
    assert sheets[0].title == "By hand: SHD, raw data"
    assert sheets[0].header == ("", "`das`", "`empty`", "`true-order`")
    assert sheets[0].rows[0] == ("d = 10", "**3.0 ± 2.6** [1.0 ± 0.8]", "5.0", "0.0")
    assert sheets[0].rows[1] == ("d = 20", "**4.0 ± 0.0** [3.2 ± 1.4]", "", "")


def test_the_board_of_auto():
    suite = replace(SUITE, targets={("ER1", 10): 3.0}, methods=("auto", "oracle"), tables=("board",))
    runs = [record(CASES[0], "auto", seed, shd) for seed, shd in enumerate((2, 5))]
    runs.append(record(CASES[0], "auto:device=cuda", 0, 1))
    (sheet,) = sheets_of(summarise(suite, store(*runs)))
    assert sheet.title == "By hand: ER1"
    assert sheet.rows[0][:8] == ("10", "`auto`", "3.5 ± 2.1", "3", "missed", "0.7", "1.00", "0.50")
    assert sheet.rows[0][-1] == "2"
    assert sheet.rows[1][1:5] == ("`auto:device=cuda`", "1.0", "3", "reached")
    runs.append(record(CASES[0], "auto:device=cuda", 1, 0, status="timeout") | {"limit": 60.0})
    (sheet,) = sheets_of(summarise(suite, store(*runs)))
    assert sheet.rows[1][2:5] == ("1.0 (1 timeout)", "3", "")
    assert sheet.rows[1][-1] == "1 of 2"


def test_undefined_measures_are_left_out_of_the_mean():
    runs = [record(CASES[0], "das", 0, 1), record(CASES[0], "das", 1, 1, sid=None)]
    assert line(summarise(SUITE, store(*runs)), "das")[0]["SID"] == "2.0"


def test_formats():
    summary = summarise(SUITE, store(*das()))
    rows = list(csv.DictReader(io.StringIO(render(summary, "csv"))))
    assert len(rows) == 1
    assert float(rows[0]["shd_mean"]) == 3
    assert float(rows[0]["shd_sd"]) == pytest.approx(7**0.5)
    assert (rows[0]["nodes"], rows[0]["published_shd_mean"]) == ("10", "1.0")
    assert "| `das` | 3.0 ± 2.6 |" in render(summary, "md")
    text = render(summary, "text", by_in_degree=True)
    assert "3.0 ± 2.6*" in text  # the best of its line
    assert "`" not in text
    assert "0.50" in text.split("recall by in-degree")[1]  # 3 of 6 edges at one parent
    with pytest.raises(InputError, match="choose from text, md, csv"):
        render(summary, "xml")


def test_text_columns_align():
    block = render(summarise(replace(SUITE, tables=("detail",)), store(*das())), "text").splitlines()
    header, first = block[1], block[3]
    assert header.index("SHD standardised") + len("SHD standardised") == first.index("3.0 ± 2.6") + len(
        "3.0 ± 2.6"
    )
