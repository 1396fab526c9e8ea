"""The page in a real browser: it opens in silence, and everything on it that can be used works."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dagscale.result.diagnostics import Check, Diagnostics

pytestmark = pytest.mark.xdist_group("browser")
HOSTILE = [
    "<script>window.hit=1</script>",
    "<img src=x onerror='window.hit=1'>",
    "q\"uo'te",
    "日本",
    "long " * 80,
    "e",
]
EDGES = [(0, 1), (1, 2), (0, 2), (2, 3), (0, 4), (3, 5), (0, 5)]


@pytest.fixture(scope="module")
def path(make_result, tmp_path_factory):
    result = make_result(HOSTILE, EDGES, notes=["<b>note</b>"])
    return result.report(tmp_path_factory.mktemp("page") / "report.html", title="<i>table</i>.csv")


@pytest.fixture
def page(open_page, path):
    return open_page(path)


def shown_edges(page):
    return page.run("document.querySelectorAll('#edge-table tbody tr').length")


def test_hostile_names_are_shown_as_text(page):
    assert page.run("window.hit") is None
    assert page.count("img") == 0
    assert "<script>window.hit=1</script>" in page.text("#edge-table")
    assert page.text("#notes") == "<b>note</b>"
    assert page.text("#headline") == "<i>table</i>.csv"
    assert page.text("#conclusion").startswith("7 links between 6 columns; cam gives each a direction")
    assert page.text("#counts").split() == ["7", "links", "7", "directions", "claimed"]


def test_the_slider_thins_graph_and_table(page):
    assert shown_edges(page) == 7
    page.slide("#threshold", 3)
    assert shown_edges(page) == 3
    assert page.text("#shown") == "3 of 7 links"
    assert page.text("#bound-name") == "strength ≥"
    weakest = page.run("document.querySelector('#edge-table tbody tr:last-child').dataset.edge")
    assert weakest == "2"  # edges come strongest first
    page.slide("#threshold", 0)
    assert shown_edges(page) == 0
    assert page.text("#shown") == "0 of 7 links"


def test_the_measure_changes_what_the_slider_keeps(page):
    page.slide("#measure", "1")
    page.slide("#threshold", 1)
    data = page.run(
        "JSON.parse(document.getElementById('payload').textContent).edges.map(e => e.values.p_value)"
    )
    assert page.run("document.querySelector('#edge-table tbody tr').dataset.edge") == str(
        int(np.argmin(data))
    )
    assert page.text("#bound-name") == "p-value ≤"


def test_a_p_value_is_never_shown_with_a_precision_that_tests_do_not_have(open_page, make_result, tmp_path):
    result = make_result(list("abc"), [(0, 1), (1, 2)])
    result = replace(result, edge_table=result.edge_table.assign(p_value=[2e-177, 0.0]))
    page = open_page(result.report(tmp_path / "report.html"))
    page.slide("#measure", "1")
    cells = page.run(
        "[...document.querySelectorAll('#edge-table tbody td.number')].map((td) => td.textContent)"
    )
    assert cells.count("< 1e-16") == 2


def test_a_click_on_a_row_shows_the_edge_with_its_curve_and_reasons(page):
    page.click("#edge-table tbody tr")
    assert page.count("#detail svg polyline.curve") == 1
    assert page.count("#detail svg circle.point") > 50
    assert "Additive pruning kept it (p-value" in page.text("#detail")
    assert page.count("#edge-table tr.selected") == 1
    page.press("Escape")
    assert "Nothing selected" in page.text("#detail")


def place_in_picture(page, what):
    """Return where cytoscape draws something, in the window."""
    return page.run(
        "(() => { scrollTo(0, 0); const r = document.getElementById('graph').getBoundingClientRect();"
        f"const p = document.getElementById('graph')._cyreg.cy.{what}; return [r.x + p.x, r.y + p.y]; }})()"
    )


def test_clicks_into_the_picture_select_what_is_there(page):
    page.click_at(*place_in_picture(page, "getElementById('n3').renderedPosition()"))
    page.wait("document.querySelector('#detail h2').innerText === '日本'")
    assert "place in the order" in page.text("#detail")
    page.click_at(*place_in_picture(page, "getElementById('e0').renderedMidpoint()"))
    page.wait("document.querySelectorAll('#detail .curve').length === 1")
    x, y, *_ = page.run(
        "(() => { const r = document.getElementById('graph').getBoundingClientRect(); return [r.x, r.y]; })()"
    )
    page.click_at(x + 4, y + 4)
    page.wait("document.querySelector('#detail h2').innerText === 'Nothing selected'")


def test_search_finds_a_column_by_the_start_of_its_name(page):
    page.press("/", "/")
    page.type("long")
    page.press("Enter")
    assert page.text("#detail h2").startswith("long long")


def test_the_table_sorts_and_filters(page):
    page.click("th[data-column=source] button")
    names = page.run(
        "[...document.querySelectorAll('#edge-table tbody tr td:first-child')].map(e => e.title)"
    )
    assert names == page.run(
        f"{json.dumps(names)}.sort((a, b) => a.localeCompare(b, undefined, {{numeric: true}}))"
    )
    assert (
        page.run("document.querySelector('th[data-column=source]').getAttribute('aria-sort')") == "ascending"
    )
    page.click("th[data-column=source] button")
    assert (
        page.run("document.querySelector('th[data-column=source]').getAttribute('aria-sort')") == "descending"
    )
    page.run("document.getElementById('filter').focus()")
    page.type("日本")
    assert shown_edges(page) == 2


def test_order_buttons_and_family_links_lead_on(page):
    page.click("#order li:first-child button")
    assert page.text("#detail h2") == HOSTILE[0]
    assert page.run("document.querySelector('#order button').getAttribute('aria-pressed')") == "true"
    page.click("#detail .people li > button")
    assert page.count("#detail .curve") == 1
    page.click("#detail h2 button:last-child")
    assert "place in the order" in page.text("#detail")


def test_any_pair_can_be_asked_about(page):
    for name, text in (("pair-source", "e"), ("pair-target", "日本")):
        page.run(f"document.getElementById('{name}').value = {json.dumps(text)}")
    page.click("#pair-form button")
    answer = page.text("#pair-answer")
    assert "e → 日本 is not in the graph." in answer
    assert "The order contradicts it" in answer
    page.run("document.getElementById('pair-source').value = 'nobody'")
    page.click("#pair-form button")
    assert "Choose two different columns" in page.text("#pair-answer")


@pytest.fixture
def downloads(page):
    """Catch what the page offers for download instead of saving it."""
    page.run(
        "window.files = {}; URL.createObjectURL = (blob) => { window.last = blob; return 'blob:caught'; };"
        "HTMLAnchorElement.prototype.click = function () { window.files[this.download] = window.last; }"
    )

    def get(kind, name):
        page.run("document.getElementById('export-menu').open = true")
        page.click(f"[data-export={kind}]")
        return page.run(f"window.files[{json.dumps(name)}].text()")

    return get


def test_exports_hold_what_is_shown(page, downloads, tmp_path):
    from dagscale.graphs.given import read_graph

    page.slide("#threshold", 4)
    for kind in ("dot", "csv"):
        name = {"dot": "graph.dot", "csv": "edges.csv"}[kind]
        (tmp_path / name).write_text(downloads(kind, name), encoding="utf-8")
        adjacency, names = read_graph(tmp_path / name)
        assert adjacency.sum() == 4
        assert {text.strip() for text in names} <= {text.strip() for text in HOSTILE}
    svg = downloads("svg", "graph.svg")
    assert svg.count("<path") == 4
    assert "<script" not in svg
    assert downloads("png", "graph.png")[1:4] == "PNG"


def test_knowledge_collected_on_the_page_is_read_by_the_library(page, downloads, tmp_path):
    from dagscale.inputs.knowledge import Knowledge

    page.click("#edge-table tbody tr")
    ends = page.run(
        "JSON.parse(document.getElementById('payload').textContent).edges.map(e => [e.source, e.target])"
    )
    page.click("#detail [data-known=forbidden]")
    assert (
        page.run("document.querySelector('#detail [data-known=forbidden]').getAttribute('aria-pressed')")
        == "true"
    )
    (tmp_path / "k.yaml").write_text(downloads("knowledge", "knowledge.yaml"), encoding="utf-8")
    known = Knowledge.load(tmp_path / "k.yaml")
    assert known.forbidden == ((HOSTILE[ends[0][0]], HOSTILE[ends[0][1]]),)
    page.click("#detail [data-known=required]")
    (tmp_path / "k.yaml").write_text(downloads("knowledge", "knowledge.yaml"), encoding="utf-8")
    assert Knowledge.load(tmp_path / "k.yaml").required == known.forbidden


def test_light_and_dark(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    before = page.run(colour)
    node = "document.getElementById('graph')._cyreg.cy.getElementById('n0').style('background-color')"
    painted = page.run(node)
    page.click("#theme")
    assert page.run(colour) != before
    assert page.run(node) != painted
    page.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    page.click("#theme")
    assert page.run(colour) == before


def test_the_keyboard_reaches_everything(page):
    page.press("/", "/")
    assert page.run("document.activeElement.id") == "search"
    reached = set()
    for _ in range(60):
        page.press("Tab")
        reached.add(page.run("(e => e.id || e.className || e.tagName)(document.activeElement)"))
    assert {"measure", "threshold", "graph", "fit", "filter", "link", "pair-source"} <= reached
    page.run("document.querySelector('#edge-table .link').focus()")
    page.press("Enter", "\r")
    assert page.count("#detail .curve") == 1


def test_buttons_and_keys_move_the_picture(page):
    view = "(c => [c.pan().x, c.pan().y, c.zoom()])(document.getElementById('graph')._cyreg.cy)"
    whole = page.run(view)
    page.click("#zoom-in")
    assert page.run(view)[2] == pytest.approx(1.35 * whole[2])
    page.click("#zoom-out")
    assert page.run(view)[2] == pytest.approx(whole[2])
    page.run("document.getElementById('graph').focus()")
    for key, axis, step in (
        ("ArrowLeft", 0, 60),
        ("ArrowUp", 1, 60),
        ("ArrowRight", 0, -60),
        ("ArrowDown", 1, -60),
    ):
        before = page.run(view)
        page.press(key)
        assert page.run(view)[axis] == pytest.approx(before[axis] + step)
    page.press("+", "+")
    assert page.run(view)[2] == pytest.approx(1.35 * whole[2])
    page.press("-", "-")
    page.press("-", "-")
    assert page.run(view)[2] == pytest.approx(whole[2] / 1.35)
    page.click("#fit")
    assert page.run(view) == pytest.approx(whole)


def test_the_export_menu_opens_by_click_and_closes_by_escape_or_a_click_elsewhere(page):
    is_open = "document.getElementById('export-menu').open"
    page.click("#export-menu summary")
    assert page.run(is_open)
    page.press("Escape")
    assert not page.run(is_open)
    page.click("#export-menu summary")
    page.click("#headline")
    assert not page.run(is_open)


def test_the_skip_link_is_first_and_leads_to_the_table(page):
    page.press("Tab")
    assert page.run("document.activeElement.className") == "skip"
    page.press("Enter", "\r")
    page.wait("document.getElementById('edges').getBoundingClientRect().top < 200")


def test_the_page_prints_what_paper_can_use(page):
    page.click("#theme")  # dark on screen, white on paper
    page.call("Emulation.setEmulatedMedia", {"media": "print"})
    shown = "getComputedStyle(document.querySelector({})).display !== 'none'"
    for gone in (".controls", ".actions", "#pair-form", "#filter", ".graph-buttons"):
        visible = page.run(f"document.querySelector('{gone}').getClientRects().length")
        assert visible == 0, gone
    for kept in ("#edge-table", "#check-list", "#order", "#graph"):
        assert page.run(shown.format(json.dumps(kept)))
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(page.call("Page.printToPDF")["data"]) > 10_000


def test_a_graph_without_edges_opens(open_page, make_result, tmp_path):
    page = open_page(make_result(["a", "b"], []).report(tmp_path / "r.html"))
    assert page.text("#shown") == "0 of 0 links"


def test_a_thousand_nodes_open_and_answer_within_three_seconds(open_page, make_result, tmp_path):
    rng = np.random.default_rng(1000)
    edges = np.argwhere(np.triu(rng.random((1000, 1000)) < 0.002, 1)).tolist()
    result = make_result([f"g{j}" for j in range(1000)], edges, rows=30)
    checks = [Check("noise", f"g{k % 1000}", 1.0, "doubtful", f"remark {k}") for k in range(2000)]
    told = Diagnostics((Check("noise", None, 1.0, "doubtful", "odd"), *checks), 30)
    page = open_page(replace(result, stored_checks=told.to_dict()).report(tmp_path / "r.html"))
    assert page.busy() < 3
    assert page.count("#edge-table tbody tr") == 300
    page.click("#more")
    assert page.count("#edge-table tbody tr") == 600
    started = page.busy()
    page.click("#doubts")
    page.slide("#threshold", 100)
    assert page.count("#edge-table tbody tr") == 100
    page.run("document.getElementById('search').focus()")
    page.type("g77")
    page.press("Enter")
    assert page.text("#detail h2") == "g77"
    assert page.busy() - started < 3


def test_a_dozen_columns_fit_the_width_of_a_phone(open_page, make_result, tmp_path):
    rng = np.random.default_rng(1000)
    edges = [(i, j) for i in range(12) for j in range(i + 1, 12) if rng.random() < 0.8]
    result = make_result([f"a long name {j}" for j in range(12)], edges)
    page = open_page(result.report(tmp_path / "r.html"))
    size = {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", size)
    cy = "document.getElementById('graph')._cyreg.cy"
    page.wait(f"innerWidth === 420 && {cy}.width() < 420")
    page.run("new Promise((done) => setTimeout(done, 200))")  # the frame has followed
    seen, box = (
        page.run(f"(c => {{ const b = {what}; return [b.x1, b.x2]; }})({cy})")
        for what in ("c.extent()", "c.elements().boundingBox()")
    )
    assert page.run(f"{cy}.zoom()") < 0.5
    assert seen[0] < box[0]
    assert box[1] < seen[1]
