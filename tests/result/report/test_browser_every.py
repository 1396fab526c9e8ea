"""Every element of the page that can be clicked, changed or opened, of a result that has one of each."""

import pytest

import dagscale
from dagscale.inputs.knowledge import Knowledge

pytestmark = pytest.mark.xdist_group("browser")
LONG = "a-file-name-without-a-single-blank-that-is-longer-than-a-phone-is-wide.mixed.csv"
PRESS = """(() => {
  const seen = new Set(), kinds = 'button, summary, input[type=checkbox], select, th button, a';
  HTMLAnchorElement.prototype.click = () => {};  // downloads stay here
  let round = true;
  while (round) {
    round = false;
    for (const e of document.querySelectorAll(kinds)) {
      const { export: saved, known, answer } = e.dataset;
      const key = [e.tagName, e.id, e.className, e.parentElement.id, saved, known, answer,
        e.closest('section, aside, header')?.id, e.getAttribute('aria-pressed')].join('|');
      if (seen.has(key) || !e.isConnected || e.disabled) continue;
      seen.add(key); round = true;
      if (e.tagName === 'SELECT') for (const o of e.options) {
        e.value = o.value; e.dispatchEvent(new Event('change', {bubbles: true}));
      } else e.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
    }
  }
  return seen.size;
})()"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The page of a small run of `auto` with knowledge, an open link and another graph over it."""
    made = dagscale.simulate(nodes=6, mechanism="linear", samples=300, random_state=1000, discrete=0.3)
    known = Knowledge(tiers=[["X0"], ["X1", "X2", "X3", "X4", "X5"]])
    result = dagscale.discover(made.table, effort="quick", knowledge=known, n_jobs=1)
    assert result.either_way.any()
    folder = tmp_path_factory.mktemp("every")
    return result.report(folder / "report.html", title=LONG, compare=made.adjacency)


@pytest.fixture
def page(open_page, path):
    return open_page(path)


def test_whatever_is_pressed_the_page_stays_silent_and_alive(page):
    page.click("#edge-table tbody tr")
    assert page.run(PRESS) > 40
    assert page.complaints() == []
    page.run("document.activeElement.blur()")
    page.press("Escape")
    assert "Nothing selected" in page.text("#detail")


def test_the_strongest_links_lead_to_their_edges(page):
    name = page.text("#detail .people li button").split()
    page.click("#detail .people li button")
    assert page.text("#detail h2").split() == name


def test_the_notes_are_one_click_away(page):
    page.click("#notes-link")
    page.wait("document.getElementById('notes-section').getBoundingClientRect().top < innerHeight")
    assert "log likelihood" in page.text("#notes")


def test_the_numbers_of_the_method_are_behind_a_click(page):
    page.click("#edge-table tbody tr")
    opened = "document.querySelector('#detail details.inner').open"
    assert not page.run(opened)
    page.click("#detail details.inner summary")
    assert page.run(opened)
    assert "log likelihood gained by the link" in page.text("#detail .inner")


def test_the_exported_edges_say_how_sure_they_are(page, tmp_path):
    from dagscale.graphs.given import read_graph

    page.run("URL.createObjectURL = (blob) => { window.last = blob; return 'blob:caught'; }")
    page.run("HTMLAnchorElement.prototype.click = () => {}")
    page.run("document.querySelector('[data-export=csv]').click()")
    (tmp_path / "edges.csv").write_text(page.run("window.last.text()"), encoding="utf-8")
    head, *rows = (tmp_path / "edges.csv").read_text(encoding="utf-8").splitlines()
    assert {"linked", "direction", "probability", "evidence"} <= set(head.split(","))
    assert len(set(head.split(","))) == len(head.split(","))
    assert read_graph(tmp_path / "edges.csv")[0].sum() == len(rows)


def test_an_answer_about_a_pair_shows_its_edge(page):
    ends = page.run(
        "(e => [e.source, e.target])(JSON.parse(document.getElementById('payload').textContent).edges[0])"
    )
    for name, end in zip(("pair-source", "pair-target"), ends, strict=True):
        page.run(f"document.getElementById('{name}').value = 'X{end}'")
    page.click("#pair-form button")
    page.click("#pair-answer p button")
    assert [f"X{end}" for end in ends] == [part for part in page.text("#detail h2").split() if part[0] == "X"]


def test_an_edge_can_be_required_and_forbidden_in_words(page):
    page.click("#edge-table tbody tr")
    for kind in ("Required", "Forbidden"):
        page.click(f"#detail [data-known={kind.lower()}]")
        assert page.text(f"#detail [data-known={kind.lower()}]") == f"{kind} ✓"


def test_the_mouse_zooms_and_drags_the_picture(page):
    view = "(c => [c.pan().x, c.pan().y, c.zoom()])(document.getElementById('graph')._cyreg.cy)"
    x, y = page.run("(r => [r.x + 8, r.y + 8])(document.getElementById('graph').getBoundingClientRect())")
    before = page.run(view)
    wheel = {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -120}
    page.call("Input.dispatchMouseEvent", wheel)
    page.wait(f"{view}[2] > {before[2]}")
    before = page.run(view)
    for kind, dx in (("mousePressed", 0), ("mouseMoved", 30), ("mouseMoved", 60), ("mouseReleased", 60)):
        at = {"type": kind, "x": x + dx, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
        page.call("Input.dispatchMouseEvent", at)
    page.wait(f"{view}[0] > {before[0]} + 30")


def test_what_was_known_is_told_in_words_and_assumptions_are_those_of_the_method(page):
    assert page.text("#knowledge").split("\n")[-1] == "X0 < X1, X2, X3, X4, X5"
    assert "independent of the causes, up to its spread" in page.text(".assumptions")
    assert "Additive noise" not in page.text(".assumptions")


def test_both_directions_of_an_open_link_have_an_effect(page):
    data = page.run("JSON.parse(document.getElementById('payload').textContent)")
    pairs = {(effect["source"], effect["target"]) for effect in data["effects"]}
    opened = [(edge["source"], edge["target"]) for edge in data["edges"] if edge.get("open")]
    assert opened
    assert {*opened, *((j, i) for i, j in opened)} <= pairs


def test_a_long_title_breaks_on_a_phone(page):
    size = {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    page.call("Emulation.setDeviceMetricsOverride", size)
    assert page.text("#headline") == LONG
    assert page.run("document.documentElement.scrollWidth") <= 420


def test_the_picture_follows_its_frame_until_it_is_moved(page):
    inside = (
        "(c => { const s = c.extent(), b = c.elements().boundingBox(); return b.x1 >= s.x1 && b.x2 <= s.x2; })"
        "(document.getElementById('graph')._cyreg.cy)"
    )
    assert page.run(inside)
    size = {"width": 1100, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", size)
    page.wait(f"innerWidth === 1100 && {inside}")
    page.run("new Promise((done) => setTimeout(done, 200))")  # the frame has followed
    zoom = "document.getElementById('graph')._cyreg.cy.zoom()"
    fitted = page.run(zoom)
    page.click("#zoom-in")
    page.wait(f"{zoom} > {1.2 * fitted}")
    before = page.run(zoom)
    page.call("Emulation.setDeviceMetricsOverride", {**size, "width": 1000})
    page.wait("innerWidth === 1000")
    page.run("new Promise((done) => setTimeout(done, 200))")
    assert page.run(zoom) == before
