"""A real browser for the page's tests: headless Chromium, driven over the DevTools pipe."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import time

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--window-size=1400,1000",
    "--remote-debugging-pipe",
]


class Page:
    """One open page: what it logged, what it asked the network for, and ways to act on it."""

    def __init__(self, browser, url):
        self.browser = browser
        target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = browser.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self.target, self.session = target, attached["sessionId"]
        self.events = browser.events.setdefault(self.session, [])
        for domain in ("Page", "Runtime", "Network", "Log", "Performance"):
            self.call(f"{domain}.enable")
        self.opened = time.monotonic()
        self.call("Page.navigate", {"url": url})
        self.wait("document.documentElement?.dataset.ready === 'true'")
        self.seconds = time.monotonic() - self.opened

    def call(self, method, params=None):
        return self.browser.call(method, params or {}, self.session)

    def run(self, expression):
        """Evaluate JavaScript and return its value; an exception there is one here."""
        answer = self.call(
            "Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True}
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not self.run(condition):
            assert time.monotonic() < deadline, f"never came true: {condition}"
            time.sleep(0.02)

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).innerText")

    def count(self, selector):
        return self.run(f"document.querySelectorAll({json.dumps(selector)}).length")

    def click(self, selector):
        """Scroll to an element and click its middle with the mouse."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'});"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        self.click_at(*box)

    def click_at(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            )

    def press(self, key, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                {"type": kind, "key": key, "text": text if kind == "keyDown" else ""},
            )

    def type(self, text):
        self.call("Input.insertText", {"text": text})

    def slide(self, selector, value):
        self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            f"e.value = {json.dumps(value)};"
            "e.dispatchEvent(new Event(e.type === 'range' ? 'input' : 'change', {bubbles: true})); })()"
        )

    def busy(self):
        """CPU seconds of the page's main thread: what else the machine does meanwhile is not its fault."""
        metrics = {m["name"]: m["value"] for m in self.call("Performance.getMetrics")["metrics"]}
        return metrics["ThreadTime"]

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def complaints(self):
        """Everything the console, the log or an uncaught exception said."""
        self.run("1")  # let pending events arrive
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event for event in self.events if event["method"] in kinds]

    def requests(self):
        """The addresses asked for, the page itself and what it holds inside left out."""
        urls = [
            e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(("data:", "blob:"))]

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})


class Browser:
    """Chromium with the DevTools protocol on a pipe: no port, no further package."""

    def __init__(self, profile):
        # High numbers, so that the shell can put them at 3 and 4 without stepping on itself.
        to_read, to_write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in os.pipe())
        from_read, from_write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in os.pipe())
        arguments = [CHROMIUM, *SWITCHES, f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "bash", *arguments],
            pass_fds=(to_read, from_write),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self.output, self.input = os.fdopen(to_write, "wb"), os.fdopen(from_read, "rb")
        self.number, self.buffer, self.events = 0, b"", {}

    def call(self, method, params=None, session=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        self.output.write(json.dumps(message).encode() + b"\0")
        self.output.flush()
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.setdefault(answer.get("sessionId"), []).append(answer)

    def read(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.input.fileno(), 1 << 16)
            assert chunk, "the browser has gone"
            self.buffer += chunk
        first, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(first)

    def close(self):
        self.call("Browser.close")
        self.process.wait(timeout=20)
        self.output.close()
        self.input.close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine; install Debian's `chromium` to test the page in a browser")
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture
def open_page(browser):
    """Open a page by its path; it is closed, and checked for complaints and requests, afterwards."""
    pages = []

    def open_(path):
        pages.append((Page(browser, path.as_uri()), path.as_uri()))
        return pages[-1][0]

    yield open_
    for page, url in pages:
        complaints, requests = page.complaints(), page.requests()
        page.close()
        assert complaints == []
        assert requests == [url]


@pytest.fixture(scope="session")
def make_result():
    """Return a maker of results over made-up data: `make_result(names, edges, rows)`."""

    import numpy as np

    from dagscale.graphs.dag import topological_order
    from dagscale.inputs.table import Table
    from dagscale.result import Result
    from dagscale.stages.answer import Answer, Stage, StageKind

    def make(names, edges, rows=120, notes=(), diagnostics=None):
        rng = np.random.default_rng(1000)
        d = len(names)
        adjacency = np.zeros((d, d), dtype=bool)
        for i, j in edges:
            adjacency[i, j] = True
        order = topological_order(adjacency)
        X = rng.normal(size=(rows, d))
        for j in order:
            X[:, j] += sum((1 + i % 2) * np.sin(X[:, i]) * (-1) ** i for i in np.flatnonzero(adjacency[:, j]))
        before = np.argsort(order)[:, None] < np.argsort(order)
        p = np.where(adjacency, 1e-6 * rng.random((d, d)), 0.01 + 0.9 * rng.random((d, d)))
        p[~before] = np.nan
        trail = (Stage(StageKind.ORDER, before), Stage(StageKind.PRUNING, adjacency, p, "p-value", 0.001))
        found = Answer(order, adjacency, {"p_value": p}, trail)
        table = Table(X=X, names=tuple(names), notes=tuple(notes))
        return Result.from_answer(found, table, "cam", {"alpha": 0.001}, {"cam": 0.5}, None)

    return make
