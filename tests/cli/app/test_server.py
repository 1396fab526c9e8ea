"""The local page: only for who has the token, only at 127.0.0.1; and a run from start to report, in a browser too."""

import http.client
import importlib.util
import json
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dagscale.cli.app.run import Run
from dagscale.cli.app.server import Server


@pytest.fixture
def server(tmp_path):
    rng = np.random.default_rng(1000)
    a = rng.normal(size=120)
    b = np.sin(2 * a) + 0.3 * rng.normal(size=120)
    farm = rng.choice(["hill", "valley"], size=120)
    pd.DataFrame({"a": a, "b <i>": b, "farm": farm}).to_csv(tmp_path / "data.csv", index=False)
    with Server(Run.of(tmp_path / "data.csv")) as opened:
        thread = threading.Thread(target=opened.serve_forever, daemon=True)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join(10)


def call(server, path, body=None, token=None, host=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    headers = {"X-Token": server.token if token is None else token}
    headers |= {"Host": host} if host else {}
    connection.request(
        "GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers
    )
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, text


def test_it_listens_on_this_machine_alone_and_asks_for_the_token(server):
    assert server.server_address[0] == "127.0.0.1"
    assert call(server, "/state")[0] == 200
    for path in ("/", "/state", "/report"):
        assert call(server, path, token="wrong")[0] == 403
    assert call(server, "/run", {}, token="")[0] == 403
    assert call(server, f"/?token={server.token}", token="")[0] == 200
    assert call(server, "/state", host="evil.example:80")[0] == 403
    assert len(server.token) >= 32


def test_a_run_from_the_request_to_the_report(server):
    state = json.loads(call(server, "/state")[1])
    assert [column["name"] for column in state["columns"]] == ["a", "b <i>", "farm"]
    assert state["columns"][2]["kind"] == "binary"
    assert call(server, "/report")[0] == 404
    status, _ = call(
        server, "/run", {"columns": ["a", "b <i>"], "tiers": [["a"], ["b <i>"]], "method": "cam"}
    )
    assert status == 200
    server.run_.wait(60)
    state = json.loads(call(server, "/state")[1])
    assert state["status"] == "done", state
    assert "1 link" in state["message"]
    status, page = call(server, "/report")
    assert status == 200
    assert b"<html" in page


@pytest.mark.parametrize(
    ("body", "text"),
    [({"colums": ["a"]}, "colums"), ([1], "send columns"), ({"tiers": 3}, "")],
)
def test_requests_that_make_no_sense_are_refused_in_one_line(server, body, text):
    status, answer = call(server, "/run", body)
    assert status == 400
    assert text in json.loads(answer)["error"]
    assert server.run_.status == "ready"


def test_what_discover_refuses_is_shown(server):
    call(server, "/run", {"method": "nothing"})
    server.run_.wait(60)
    state = json.loads(call(server, "/state")[1])
    assert state["status"] == "failed"
    assert "unknown method" in state["message"]


def test_stop_ends_a_run(server):
    call(server, "/run", {"columns": ["a", "b <i>"]})
    call(server, "/stop", {})
    server.run_.wait(120)
    assert server.run_.status in ("stopped", "done")


@pytest.fixture
def tools():
    if shutil.which("chromium") is None:
        pytest.skip("no Chromium on this machine; install Debian's `chromium` to test the page in a browser")
    path = Path(__file__).resolve().parents[2] / "result" / "report" / "conftest.py"
    spec = importlib.util.spec_from_file_location("browser_for_pages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_kinds_progress_and_stop_in_a_browser(server, tools, tmp_path, monkeypatch):
    asked, going = [], threading.Event()

    def slow(path, progress, **options):
        asked.append(options)
        while True:  # until the person presses Stop
            progress("looking at <i>rows</i>", 2, 8)
            going.set()
            time.sleep(0.02)

    monkeypatch.setattr("dagscale.flow.discover", slow)
    browser = tools.Browser(tmp_path / "profile")
    try:
        page = tools.Page(browser, server.address)
        page.slide("tr[data-name=farm] select", "categorical")
        page.click("#all")
        assert (
            page.run("[...document.querySelectorAll('#columns [type=checkbox]')].some(box => box.checked)")
            is False
        )
        page.click("#all")
        page.click("#run")
        assert going.wait(30)
        page.wait("document.getElementById('stage').innerText.includes('looking at <i>rows</i>, 2 of 8')")
        assert (
            page.run("document.getElementById('progress').value / document.getElementById('progress').max")
            == 0.25
        )
        assert page.run("document.getElementById('run').hidden")
        page.click("#stop")
        page.wait("document.getElementById('message').innerText === 'stopped'")
        assert page.run("document.getElementById('stop').hidden && !document.getElementById('run').hidden")
        assert asked[0]["kinds"]["farm"] == "categorical"
        assert page.complaints() == []
    finally:
        browser.close()


def test_in_a_browser(server, tools, tmp_path):
    browser = tools.Browser(tmp_path / "profile")
    try:
        page = tools.Page(browser, server.address)
        assert page.count("#columns tr") == 3
        assert "b <i>" in page.text("#columns")
        page.run("document.querySelector('tr[data-name=farm] input').click()")
        assert "farm" not in page.text("#lanes")
        lonely = "document.getElementById('lonely').hidden"
        drag(page, "b <i>", "2")
        assert page.run(lonely) is False
        drag(page, "a", "1")
        assert page.run(lonely) is True
        assert tiers(page) == {"": [], "1": ["a"], "2": ["b <i>"], "3": []}
        drag(page, "a", "")
        page.slide("tr[data-name=a] [type=number]", "1")  # the same by keyboard
        assert tiers(page)["1"] == ["a"]
        page.slide("#effort", "quick")
        page.click("#run")
        page.wait(
            "document.querySelector('iframe')?.contentDocument?.documentElement?.dataset.ready === 'true'"
        )
        assert "1 link: 1 direction supported" in page.text("#message")
        assert page.run("document.getElementById('save').href").endswith(f"/report?token={server.token}")
        known = "document.querySelector('iframe').contentDocument.getElementById('knowledge').innerText"
        assert "a < b <i>" in " ".join(page.run(known).split())
        assert page.complaints() == []
        assert all(url.startswith(f"http://127.0.0.1:{server.server_port}/") for url in page.requests())
    finally:
        browser.close()


def tiers(page):
    """Return the columns of every lane."""
    return page.run(
        "Object.fromEntries([...document.querySelectorAll('.lane')].map(lane => [lane.dataset.tier,"
        "[...lane.querySelectorAll('.chip')].map(chip => chip.textContent)]))"
    )


def drag(page, name, tier):
    """Drag a column into a tier with the mouse."""
    middle = "(r => [r.x + r.width / 2, r.y + r.height / 2])({}.getBoundingClientRect())"
    page.run("document.getElementById('lanes').scrollIntoView({block: 'center'})")
    chip = f"[...document.querySelectorAll('.chip')].find(chip => chip.textContent === {json.dumps(name)})"
    start = page.run(middle.format(chip))
    end = page.run(middle.format(f"document.querySelector('.lane[data-tier=\"{tier}\"]')"))
    for kind, (x, y) in (
        ("mousePressed", start), ("mouseMoved", start), ("mouseMoved", end), ("mouseReleased", end),
    ):  # fmt: skip
        at = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
        page.call("Input.dispatchMouseEvent", at)


def test_a_table_of_numbers_opens_and_says_what_it_left_out(tmp_path):
    rng = np.random.default_rng(1000)
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    table.insert(0, "id", range(60))
    table.loc[3, "b"] = np.nan
    table.to_csv(tmp_path / "data.csv", index=False)
    run = Run.of(tmp_path / "data.csv")
    assert run.columns == [{"name": name, "kind": "continuous"} for name in "abc"]
    assert [note.split(":")[0] for note in run.state()["notes"]] == [
        "left out column 'id'", "missing or infinite values replaced by the column's median",
    ]  # fmt: skip
