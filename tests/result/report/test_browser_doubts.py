"""What a reader doubts by, in a real browser: checks, residual plots, confidence, reasons."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dagscale.resampling import Bootstrap
from dagscale.result.diagnostics import Check, Diagnostics
from dagscale.stages.answer import StageKind

pytestmark = pytest.mark.xdist_group("browser")
NAMES = ["<b>a</b>", "b", "c", "d", "e"]
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3)]
HOSTILE = "size <img src=x onerror='window.hit=1'> 0.3"
CHECKS = [
    Check("linearity", None, 0.0, "ok", "no edge is a straight line"),
    Check("noise", None, 0.4, "failed", "2 of 5 columns have odd noise"),
    Check("outliers", None, 0.0, "doubtful", HOSTILE),
    Check("noise", "b", 9.0, "failed", "its residual is not Gaussian"),
    Check("noise", "c", 0.1, "ok", "looks Gaussian"),
    Check("direction", "c", 0.1, "failed", "'b' -> 'c' may point the other way"),
    Check("outliers", "c", 0.1, "doubtful", "3 rows lie far out"),
    *(Check("linearity", "d", float(k), "doubtful", f"remark {k}") for k in range(120)),
]


def with_checks(result, checks):
    return replace(result, stored_checks=Diagnostics(tuple(checks), 120).to_dict())


def with_confidence(result, shares):
    d = len(result.names)
    confidence = np.zeros((d, d))
    for (i, j), share in shares.items():
        confidence[i, j], confidence[j, i] = share, 1 - share
    flat = np.zeros((d, d))
    drawn = Bootstrap(result.names, confidence, flat, flat, np.array([4]), 20, "cam", {}, None, False)
    return drawn.annotate(result)


@pytest.fixture(scope="module")
def path(make_result, tmp_path_factory):
    result = with_checks(make_result(NAMES, EDGES), CHECKS)
    result = with_confidence(result, {(0, 1): 0.9, (1, 2): 0.55, (0, 2): 1.0, (2, 3): 0.7})
    return result.report(tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def page(open_page, path):
    return open_page(path)


def rows(page, table):
    cells = page.run(
        f"[...document.querySelectorAll('{table} tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
    )
    return [[" ".join(cell.split()) for cell in row] for row in cells]


def lines(page, items):
    told = page.run(f"[...document.querySelectorAll('{items}')].map(e => e.innerText)")
    return [" ".join(line.split()) for line in told]


def test_the_verdict_counts_the_lights_and_leads_to_the_checks(page):
    assert page.text("#verdict").split() == [
        "Checks:",
        "✕",
        "1",
        "failed",
        "!",
        "1",
        "doubtful",
        "✓",
        "1",
        "ok",
    ]
    page.click("#verdict a")
    top = page.run("document.getElementById('checks').getBoundingClientRect().top")
    controls = page.run("document.querySelector('.controls').getBoundingClientRect().bottom")
    assert controls <= top + 1 < controls + 60  # below the controls that stay on top, not under them


def test_the_checks_are_told_worst_first_and_as_text(page):
    told = lines(page, "#check-list > li")
    assert [line[:5] for line in told] == ["✕ fai", "! dou", "✓ ok "]
    assert HOSTILE in told[1]
    assert page.run("window.hit") is None
    assert page.text("#checks-summary") == "Looked at 120 rows."


def test_columns_can_be_chosen_by_check_and_light_and_opened(page):
    assert len(rows(page, "#check-table")) == 40  # 123 warnings, a page at a time
    for shown in (80, 120, 123):
        page.click("#more-checks")
        assert len(rows(page, "#check-table")) == shown
    assert page.run("document.getElementById('more-checks').hidden")
    page.click("#check-list [data-check=noise]")
    assert [row[1:3] for row in rows(page, "#check-table")] == [["b", "noise"]]
    page.click("#check-all")
    assert [row[0] for row in rows(page, "#check-table")] == ["✕ failed", "✓ ok"]
    page.slide("#check-name", "outliers")
    assert [row[1] for row in rows(page, "#check-table")] == ["c"]
    page.click("#check-table tbody .link")
    assert page.text("#detail h2") == "c"
    assert "3 rows lie far out" in page.text("#detail .lights")


def test_a_column_shows_its_checks_and_its_residuals_along_every_parent(page):
    page.click("#order [data-node='2']")
    assert lines(page, "#detail .lights li") == [
        "✕ failed direction: 'b' -> 'c' may point the other way",
        "! doubtful outliers: 3 rows lie far out",
        "✓ ok noise: looks Gaussian",
    ]
    assert page.count("#detail .chart") == 2
    assert "against fitted" in page.run("document.querySelector('#detail .chart').getAttribute('aria-label')")
    options = page.run("[...document.querySelectorAll('#against option')].map(e => e.innerText)")
    assert options == ["the fitted value", *sorted(["<b>a</b>", "b"], key=options.index)]
    before = page.run("document.querySelector('#detail .chart').innerHTML")
    page.slide("#against", "0")
    assert page.run("document.querySelector('#detail .chart').innerHTML") != before
    label = page.run("document.querySelector('#detail .chart').getAttribute('aria-label')")
    assert label == "Residuals of c against <b>a</b>"
    page.click("#order [data-node='0']")  # no parents: its own distribution
    assert page.count("#detail .chart") == 1
    assert "Distribution" in page.text("#detail")


def test_the_quantile_plot_puts_normal_rows_on_the_line(page):
    page.click("#order [data-node='0']")
    end = "Number(document.querySelector('#detail .zero').getAttribute('{}'))"
    x1, y1, x2, y2 = (page.run(end.format(name)) for name in ("x1", "y1", "x2", "y2"))
    points = page.run(
        "[...document.querySelectorAll('#detail .point')].map(p => ['cx', 'cy'].map(n => +p.getAttribute(n)))"
    )
    offsets = [abs(y1 + (x - x1) / (x2 - x1) * (y2 - y1) - y) for x, y in points]
    assert len(offsets) > 50
    assert np.median(offsets) < 6  # pixels


def test_doubts_are_marked_on_edges_on_request(page):
    classes = (
        "[...Array(4).keys()].map(i => document.getElementById('graph')._cyreg.cy.getElementById('e' + i)"
        ".classes().filter(name => name === 'amber' || name === 'red').join(' '))"
    )
    doubted = page.run(
        "JSON.parse(document.getElementById('payload').textContent).edges.map(e => nodes => "
        "[e.source, e.target, (e.doubts ?? []).map(d => d.light).join(' ')]).map(f => f())"
    )
    assert {tuple(edge) for edge in doubted} == {
        (0, 1, ""),
        (1, 2, "red"),  # named in the check of its child
        (0, 2, ""),
        (2, 3, " ".join(["amber"] * 120)),  # the only parent
    }
    assert page.run(classes) == [""] * 4
    assert page.run("document.getElementById('legend-doubts').hidden")
    page.click("#doubts")
    assert page.run(classes) == [light.split(" ")[0] for _, _, light in doubted]
    assert not page.run("document.getElementById('legend-doubts').hidden")
    page.click("#doubts")
    assert page.run(classes) == [""] * 4
    page.click("th[data-column=doubts] button")
    assert rows(page, "#edge-table")[0][-1] == "✕ 1"
    page.click("#edge-table tbody tr")
    assert "Direction: 'b' -> 'c' may point the other way" in page.text("#detail .lights")


def test_confidence_is_in_the_table_the_slider_and_the_panel(page):
    assert page.run("[...document.querySelectorAll('#measure option')].map(e => e.innerText)") == [
        "strength",
        "p-value",
        "confidence",
    ]
    page.slide("#measure", "2")
    page.slide("#threshold", 2)
    assert page.text("#shown") == "2 of 4 links"
    assert page.text("#bound-name") == "confidence ≥"
    assert page.run("document.getElementById('bound').value") == "0.9"
    page.click("th[data-column=confidence] button")
    shown = rows(page, "#edge-table")
    assert [row[:2] for row in shown] == [["<b>a</b>", "→ c"], ["<b>a</b>", "→ b"]]
    heads = page.run("[...document.querySelectorAll('#edge-table th')].map(t => t.dataset.column)")
    assert shown[1][heads.index("confidence")] == "90 %"
    page.click("#edge-table tbody tr:last-child")
    assert "in 90 % of the resamples, reversed in 10 %" in " ".join(page.text("#detail").split())
    assert "the share of 1 runs on rows drawn with replacement" in page.text("#notes")


def test_a_bound_keeps_the_edges_that_reach_it(page):
    page.slide("#measure", "2")
    page.run("document.getElementById('bound').focus(); document.getElementById('bound').select()")
    page.type("0.6")
    assert page.text("#shown") == "3 of 4 links"
    assert page.run("document.getElementById('threshold').value") == "3"
    assert page.run("document.getElementById('bound').value") == "0.6"  # not overwritten while typing
    page.press("Tab")
    assert page.run("document.getElementById('bound').value") == "0.7"  # the worst value shown


def test_edges_of_little_confidence_are_drawn_pale(page):
    opacity = page.run(
        "JSON.parse(document.getElementById('payload').textContent).edges.map((e, i) => [e.values.confidence,"
        "document.getElementById('graph')._cyreg.cy.getElementById('e' + i).numericStyle('opacity')])"
    )
    ordered = [drawn for _, drawn in sorted(opacity)]
    assert ordered == sorted(ordered)
    assert ordered[0] < 0.7 < ordered[-1]
    assert not page.run("document.getElementById('legend-confidence').hidden")


def test_a_result_without_bootstrap_or_column_checks_hides_what_it_lacks(open_page, make_result, tmp_path):
    result = with_checks(make_result(list("abc"), [(0, 1)]), CHECKS[:1])
    page = open_page(result.report(tmp_path / "r.html"))
    for hidden in ("doubts-box", "columns-box", "legend-confidence"):
        assert page.run(f"getComputedStyle(document.getElementById('{hidden}')).display") == "none"
    assert lines(page, "#check-list") == ["✓ ok linearity: no edge is a straight line"]


def test_pairs_never_considered_are_explained_in_wide_tables(open_page, make_result, tmp_path):
    names = [f"g{j}" for j in range(70)]
    result = make_result(names, [(j, j + 1) for j in range(69)], rows=40)
    order, last = result.trail
    before = order.kept.copy()
    screened = before & (np.abs(np.subtract.outer(np.arange(70), np.arange(70))) < 4)
    statistic = np.where(screened, last.statistic, np.nan)
    trail = (
        order,
        replace(order, kind=StageKind.SCREENING, kept=screened),
        replace(last, statistic=statistic),
    )
    page = open_page(with_checks(replace(result, trail=trail), CHECKS[:1]).report(tmp_path / "r.html"))

    def ask(source, target):
        for side, name in (("source", source), ("target", target)):
            page.run(f"document.getElementById('pair-{side}').value = {json.dumps(name)}")
        page.click("#pair-form button")
        return page.text("#pair-answer")

    assert "g3 → g50 is not in the graph." in ask("g3", "g50")
    assert "Screening removed it." in page.text("#pair-answer")
    assert "The order contradicts it: g3 has place 4, g50 place 51 of 70." in ask("g50", "g3")
    assert "Additive pruning removed it (p-value" in ask("g3", "g5")
    assert "is in the graph" in ask("g3", "g4")
    page.click("#pair-answer p > button")
    assert page.text("#detail h2").split() == ["g3", "→", "g4"]
