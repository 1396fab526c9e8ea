"""How sure a result is, in a real browser: open and hidden links, questions, another graph laid over it, effects."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.knowledge import Knowledge
from dagscale.result.report.page import assemble
from dagscale.result.report.payload import payload
from dagscale.runtime.progress import silent

pytestmark = pytest.mark.xdist_group("browser")
NAMES = ["a", "b", "c", "d <i>", "e"]
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3)]
OTHER = {
    "here": "cam",
    "there": "truth",
    "counts": {"shared": 1, "reversed": 1, "undirected": 1, "added": 1, "missing": 1},
    "pairs": [
        {"source": "a", "target": "b", "status": "undirected", "here": "--", "there": "->"},
        {"source": "b", "target": "c", "status": "shared", "here": "->", "there": "->"},
        {"source": "a", "target": "c", "status": "reversed", "here": "->", "there": "<-"},
        {"source": "c", "target": "d <i>", "status": "added", "here": "->", "there": ""},
        {"source": "a", "target": "e", "status": "missing", "here": "", "there": "<-"},
    ],
    "only_here": [],
    "only_there": ["x"],
}
EFFECT = {
    "cause": "b",
    "outcome": "c",
    "verdict": "effect",
    "headline": "Told by the table.",
    "adjusted_for": [["a"]],
    "table": [
        {"from": 0.0, "to": 1.0, "estimate": -2.0, "low": -2.5, "high": -1.5},
        {"from": 0.0, "to": 2.0, "estimate": -4.0, "low": -5.0, "high": -3.0},
    ],
    "assumes": ["no hidden <b>common</b> cause"],
    "rows": 120,
    "level": 0.95,
    "source": 1,
    "target": 2,
}


@pytest.fixture(scope="module")
def data(make_result):
    result = make_result(NAMES, EDGES)
    sure = np.zeros((5, 5))
    for i, j, p in [(0, 1, 0.5), (1, 0, 0.4), (1, 2, 0.95), (0, 2, 0.6), (2, 3, 1.0)]:
        sure[i, j] = p
    open_, hidden = np.zeros((2, 5, 5), dtype=bool)
    open_[0, 1] = open_[1, 0] = True
    hidden[3, 4] = hidden[4, 3] = hidden[1, 2] = hidden[2, 1] = True
    targets = np.zeros((120, 5), dtype=bool)
    targets[:40, 1] = True
    X = result.sample.copy()
    X[:40, 1] += 5
    X[:40, 2] += 4
    table = result.edge_table
    because = np.where((table["source"] == "a") & (table["target"] == "b"), "few rows decide", "")
    told = {"probabilities": sure, "either_way": open_, "confounded": hidden}
    told["edge_table"] = table.assign(open_because=because)
    done = Conditions(targets, np.zeros(120, dtype=np.intp))
    made = payload(replace(result, sample=X, conditions=done, **told), silent, "cells")
    bars = {"x": [0, 1], "fit": [1.0, 2.0], "error": [0.2, 0.3], "levels": ["low", "high"]}
    for edge in made["edges"]:
        edge.get("curve", {})["turns"] = (edge["source"], edge["target"]) == (0, 2)
        if (edge["source"], edge["target"]) == (2, 3):
            edge["curve"].update(bars)
    sure = {"level": "yes", "fit": [0.2, 0.6], "low": [0.1, 0.5], "high": [0.3, 0.7]}
    unsure = {"level": "no", "fit": [0.8, 0.4], "low": [0.7, 0.3], "high": [0.9, 0.5]}
    told = next(edge for edge in made["edges"] if (edge["source"], edge["target"]) == (1, 2))
    told["curve"].update({"x": [0.0, 1.0], "classes": [sure, unsure]})
    return {**made, "compare": OTHER, "effects": [EFFECT]}


@pytest.fixture(scope="module")
def path(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(assemble(data))
    return path


@pytest.fixture
def page(open_page, path):
    return open_page(path)


def style(page, identity, name):
    asked = f"document.getElementById('graph')._cyreg.cy.getElementById('{identity}').style('{name}')"
    return page.run(asked)


def edge_id(data, source, target):
    ends = [(edge["source"], edge["target"]) for edge in data["edges"]]
    return f"e{ends.index((source, target))}"


def choose(page, data, source, target):
    page.click(f"#edge-table tr[data-edge='{edge_id(data, source, target)[1:]}'] td:nth-child(4)")


def test_the_answer_comes_first(page):
    assert page.text("#headline") == "cells"
    expected = "4 links between 5 columns: the data support the direction of 3 and leave 1 open. "
    assert page.text("#conclusion") == expected + "2 pairs seem to share a hidden cause."
    counts = page.run("[...document.querySelectorAll('#counts li')].map(e => e.innerText)")
    assert counts[1:] == ["3 directions supported", "1 direction open", "2 hidden common causes"]
    tops = page.run(
        "['#conclusion', '#graph', '.legend', '#edges', '#checks', '#settings']"
        ".map(s => document.querySelector(s).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert page.run("document.getElementById('order-open').hidden") is False


def test_certainty_is_drawn(page, data):
    page.click("#overlay")  # off
    opened, claimed, doubtful = (edge_id(data, *ends) for ends in [(0, 1), (1, 2), (0, 2)])
    assert style(page, opened, "target-arrow-shape") == "none"
    assert style(page, claimed, "target-arrow-shape") == "triangle"
    assert float(style(page, claimed, "opacity")) > float(style(page, doubtful, "opacity"))
    assert [style(page, "h0", f"{end}-arrow-shape") for end in ("source", "target")] == ["triangle"] * 2
    assert style(page, "h0", "line-style") == "dashed"
    shown = page.run(
        "[...document.querySelectorAll('.legend li')].filter(e => !e.hidden).map(e => e.innerText)"
    )
    assert {"linked, direction open", "hidden common cause", "paler: less probable"} <= {
        line.strip() for line in shown
    }
    bottom = page.run("document.querySelector('.legend').getBoundingClientRect().bottom")
    assert bottom <= page.run("innerHeight")  # in view without scrolling


def test_a_whole_row_opens_the_edge_and_brings_it_into_view(page, data):
    choose(page, data, 0, 1)
    assert page.text("#detail h2").split() == ["a", "—", "b"]
    assert "open: the evidence varies much from row to row" in page.text("#detail")
    assert "open: few rows decide" in page.text("#edge-table")
    assert "90 % that the two are linked" in page.text("#detail").replace("\u00a0", " ")
    top = page.run("document.getElementById('detail').getBoundingClientRect().top")
    assert 0 <= top < page.run("innerHeight")


def test_a_curve_that_turns_neither_raises_nor_lowers(page, data):
    choose(page, data, 0, 2)
    assert "non-monotone: it rises and falls" in page.text("#detail")
    cells = page.text(f"#edge-table tr[data-edge='{edge_id(data, 0, 2)[1:]}']")
    assert "non-monotone" in cells


def test_levels_are_drawn_as_bars_with_intervals(page, data):
    choose(page, data, 2, 3)
    assert page.count("#detail .levels .estimate") == 2
    assert page.count("#detail .levels line.interval") == 2


def test_probabilities_of_levels_are_drawn_as_lines(page, data):
    choose(page, data, 1, 2)
    assert page.count("#detail .class-curve") == page.count("#detail .class-band") == 2
    assert page.text("#detail .key").split() == ["yes", "no"]


def test_a_hidden_cause_can_be_selected(page):
    x, y = page.run(
        "(() => { scrollTo(0, 0); const r = document.getElementById('graph').getBoundingClientRect();"
        "const cy = document.getElementById('graph')._cyreg.cy; const hidden = cy.edges('.hidden-cause').filter("
        "e => !e.hasClass('beside'))[0]; const p = hidden.renderedMidpoint(); return [r.x + p.x, r.y + p.y]; })()"
    )
    page.click_at(x, y)
    page.wait("document.querySelector('#detail h2').innerText.includes('⇠⇢')")
    assert "a cause that is not in the table" in page.text("#detail")


def test_questions_are_answered_and_exported(page, tmp_path):
    page.run(
        "window.files = {}; URL.createObjectURL = (blob) => { window.last = blob; return 'blob:caught'; };"
        "HTMLAnchorElement.prototype.click = function () { window.files[this.download] = window.last; }"
    )

    def saved(kind, name):
        page.click(f"#questions [data-export={kind}]")
        (tmp_path / name).write_text(page.run(f"window.files['{name}'].text()"), encoding="utf-8")
        return Knowledge.load(tmp_path / name)

    asked = page.run("[...document.querySelectorAll('#question-list > li')].map(e => e.innerText)")
    assert len(asked) == 2
    assert asked[0].startswith(
        "Does 'a' cause 'b', or does 'b' cause 'a'?"
    )  # what a reader can answer comes first
    assert "experiment" in asked[1]
    assert page.text("#known-count") == "Nothing answered yet."
    page.click("#question-list [data-answer='1']")
    assert page.text("#known-count") == "1 constraint collected on this page."
    assert saved("knowledge", "knowledge.yaml").required == (("b", "a"),)
    page.click("#question-list [data-answer='2']")
    assert saved("knowledge-json", "knowledge.json").forbidden == (("a", "b"), ("b", "a"))
    page.click("#question-list [data-answer='2']")  # taken back
    assert page.text("#known-count") == "Nothing answered yet."
    page.click("#question-list .link")
    assert page.text("#detail h2").split() == ["a", "—", "b"]


def test_another_graph_is_laid_over(page, data):
    colours = {
        status: style(page, edge_id(data, *ends), "line-color")
        for status, ends in {
            "shared": (1, 2),
            "reversed": (0, 2),
            "undirected": (0, 1),
            "added": (2, 3),
        }.items()
    }
    assert len(set(colours.values())) == 4
    count = "document.getElementById('graph')._cyreg.cy.edges('.lost').length"
    assert page.run(count) == 1
    ends = "(e => [e.source().id(), e.target().id()])(document.getElementById('graph')._cyreg.cy.edges('.lost')[0])"
    assert page.run(ends) == ["n4", "n0"]
    assert page.text("#compare-title") == "Compared with truth"
    assert page.text("#compare-rest") == "Columns only there: x."
    page.click("#compare-table tr[data-status=reversed]")
    assert page.text("#detail h2").split() == ["a", "→", "c"]
    page.click("#compare-table tr[data-status=missing]")
    assert page.text("#detail h2") == "a"
    page.click("#overlay")
    assert page.run(count) == 0
    assert style(page, edge_id(data, 1, 2), "line-color") != colours["shared"]


def test_effects_worked_out_beforehand_are_shown_with_what_they_assume(page, data):
    choose(page, data, 1, 2)
    told = page.text("#detail .effect")
    assert "On average:" in told
    assert "-2 (-2.5 to -1.5)" in told
    assert "Adjusted for a." in told
    assert "share a hidden cause" in page.text("#detail .warning")
    page.click("#detail .assumes summary")
    assert "no hidden <b>common</b> cause" in page.text("#detail .assumes")
    for name, text in (("pair-source", "a"), ("pair-target", "e")):
        page.run(f"document.getElementById('{name}').value = {json.dumps(text)}")
    page.click("#pair-form button")
    assert 'result.effect("a", "e")' in page.text("#pair-answer")


def test_experiments_show_what_moved_and_what_they_settled(page):
    assert page.count("#condition-list figure") == 1
    assert page.text("#condition-list figcaption") == "set: b (40 rows)"
    assert page.count("#condition-list .shift.target") == 1
    assert "b → c: c moved when b was set" in page.text("#condition-list")


def test_a_phone_shows_every_number_whole(page):
    size = {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    page.call("Emulation.setDeviceMetricsOverride", size)
    assert page.run("document.documentElement.scrollWidth") <= 420
    broken = page.run(
        "[...document.querySelectorAll('td.number, #counts b, .people li > :last-child')].filter(e =>"
        "e.getClientRects().length > 1 || e.getBoundingClientRect().right > 420).map(e => e.outerHTML)"
    )
    assert broken == []
    page.click("#edge-table tbody tr")
    top = page.run("document.getElementById('detail').getBoundingClientRect().top")
    assert -1 <= top < 450


def test_huge_graphs_draw_the_strongest_links_and_what_is_selected(open_page, make_result, tmp_path):
    edges = [(j, j + 1) for j in range(2099)]
    result = make_result([f"g{j}" for j in range(2100)], edges[:1500], rows=12)
    page = open_page(result.report(tmp_path / "r.html"))
    assert page.text("#shown") == "1000 of 1500 links"
    drawn = "document.getElementById('graph')._cyreg.cy.edges(':visible').length"
    assert page.run(drawn) == 1000
    page.slide("#threshold", 1200)
    assert page.run(drawn) == 1200
    assert page.count("#order li") == 300
    page.click("#more-order")
    assert page.count("#order li") == 600
    page.run("document.getElementById('search').focus()")
    page.type("g2090")  # has no link, and was not drawn
    page.press("Enter")
    assert page.text("#detail h2") == "g2090"
    assert page.run("document.getElementById('graph')._cyreg.cy.getElementById('n2090').visible()")
    assert page.busy() < 6


def test_columns_with_an_open_link_are_not_counted_as_without_causes_or_effects(page):
    facts = page.run("[...document.querySelectorAll('#detail .facts > *')].map(e => e.innerText)")
    told = dict(zip(facts[::2], facts[1::2], strict=True))
    assert told == {
        "without causes": "0",
        "without effects": "1",
        "without any link": "1",
    }  # a -- b: a may be an effect
