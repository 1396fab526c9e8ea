"""Take the pictures of the report page that README and the docs show, in headless Chromium.

    python tools/screenshots.py [FOLDER]
    python tools/screenshots.py --look FOLDER

The pages of the demo (`report-farm.png`, which README shows, and `report-sachs.png`), and those of 100 and 1000
simulated columns. With `--look`, pages of 4 to 1000 columns to look at after a change of the page: wide and narrow,
light and dark, at the top, with a link selected, and at the table; figures for a paper beside them. Their
probabilities, open links and hidden causes are made up, so that every sort of line is there. The driver is that of
the tests.
"""

import importlib.util
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import dagscale

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 300_000  # bytes
SEED = 1000
HUB = """(() => { const degree = new Map();
for (const edge of JSON.parse(document.getElementById('payload').textContent).edges)
  for (const end of [edge.source, edge.target]) degree.set(end, (degree.get(end) ?? 0) + 1);
const [hub] = [...degree].sort((a, b) => b[1] - a[1])[0];
document.querySelector(`#order [data-node="${hub}"]`).click(); })()"""


def driver():
    """Load the browser driver of the tests."""
    spec = importlib.util.spec_from_file_location(
        "driver", ROOT / "tests" / "result" / "report" / "conftest.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages(made):
    """Yield (name, page) of the demo's two results and of two simulated tables."""
    runner = [sys.executable, "-m", "dagscale", "discover", "--demo", "--quiet", "--force", "--out"]
    subprocess.run([*runner, str(made / "demo")], check=True)
    yield "farm", made / "demo-farm" / "report.html"
    yield "sachs", made / "demo" / "report.html"
    for name, nodes, rows in (("100", 100, 500), ("1000", 1000, 300)):
        table = dagscale.simulate(nodes=nodes, samples=rows, random_state=SEED).table
        found = dagscale.discover(table, method="cam")
        yield name, found.report(made / f"{name}.html", title=f"{nodes} simulated columns")


SIZES = (  # columns, edges a column, rows
    (4, 1, 300), (5, 1, 300), (11, 1, 300), (12, 4, 3000), (30, 1, 300), (60, 2, 300), (100, 1, 300), (1000, 1, 300),
)  # fmt: skip
WIDE, NARROW = (1400, 1000), (420, 860)
PAPER = (5, 12, 30, 100)  # columns of which figures are drawn


def looks(made):
    """Yield (name, page, result) of simulated tables, every sort of link in each."""
    for nodes, density, rows in SIZES:
        most = min(density, (nodes - 1) / 2)
        table = dagscale.simulate(nodes=nodes, edges_per_node=most, samples=rows, random_state=SEED).table
        table.columns = [f"{WORDS[k % len(WORDS)]}{k if k >= len(WORDS) else ''}" for k in range(nodes)]
        found = with_certainty(dagscale.discover(table, method="cam", n_jobs=1))
        yield str(nodes), found.report(made / f"{nodes}.html", title=f"{nodes} simulated columns"), found


WORDS = (
    "age", "income", "blood_pressure", "bmi", "smoker", "exercise", "diet", "stress", "sleep_quality", "heart_rate",
    "cholesterol", "visits",
)  # fmt: skip


def with_certainty(found):
    """Return the result with made-up probabilities, open links and hidden causes."""
    rng = np.random.default_rng(SEED)
    d = len(found.names)
    sure = np.where(found.adjacency, rng.choice([0.55, 0.8, 0.95, 0.999], size=(d, d)), 0.0)
    open_ = found.adjacency & (rng.random((d, d)) < 0.25)
    sure[open_] = sure[open_.T] = 0.48
    apart = np.argwhere(np.triu(~(found.adjacency | found.adjacency.T), 1))
    linked = np.argwhere(found.adjacency & ~open_)
    hidden = np.zeros((d, d), dtype=bool)
    for i, j in [*rng.permutation(apart)[: max(1, d // 20)], *rng.permutation(linked)[:1]]:
        hidden[i, j] = hidden[j, i] = True
    return replace(found, probabilities=sure, either_way=open_ | open_.T, confounded=hidden)


def look(folder):
    """Write the pictures of `looks`."""
    folder.mkdir(parents=True, exist_ok=True)
    module = driver()
    with tempfile.TemporaryDirectory() as made:
        browser = module.Browser(made)
        for name, path, found in looks(Path(made)):
            page = module.Page(browser, path.as_uri())
            for theme in ("light", "dark"):
                take(page, folder, f"{name}-{theme}", theme, FIT, WIDE)
                take(page, folder, f"{name}-{theme}-link", theme, ROW, WIDE)
                page.run(CLEAR)
                take(page, folder, f"{name}-{theme}-narrow", theme, FIT, NARROW)
            take(page, folder, f"{name}-narrow-table", "light", TABLE, NARROW)
            assert page.complaints() == [], page.complaints()
            page.close()
            if len(found.names) in PAPER:
                for size in (None, "one-column", "two-column"):
                    figure = found.plot(size=size).figure
                    figure.savefig(folder / f"figure-{name}-{size or 'own'}.png", dpi=150)
        browser.close()


def take(page, folder, name, theme="light", act="1", window=(1400, 1000)):
    """Capture the window after `act` ran in the page."""
    width, height = window
    scheme = [{"name": "prefers-color-scheme", "value": theme}]
    page.call("Emulation.setEmulatedMedia", {"features": scheme})
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", size)
    page.run("scrollTo(0, 0); document.activeElement.blur()")
    page.run("new Promise((done) => setTimeout(done, 300))")  # for the new size
    page.run(act)
    page.run("new Promise((done) => setTimeout(done, 300))")  # for the picture to be drawn
    path = folder / f"{name}.png"
    page.screenshot(path)
    image = Image.open(path).convert("RGB")
    image.save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        image.quantize(256).save(path, optimize=True)
    print(path, f"{path.stat().st_size / 1000:.0f} kB, the page opened in {page.seconds:.1f} s")


def main(folder):
    """Write all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    module = driver()
    with tempfile.TemporaryDirectory() as made:
        browser = module.Browser(made)
        for name, path in pages(Path(made)):
            page = module.Page(browser, path.as_uri())
            take_all(page, folder, name)
            page.close()
        browser.close()


ROW = "document.querySelector('#edge-table tbody tr').click()"
CHECKS = "document.getElementById('checks').scrollIntoView()"
FIT = "document.getElementById('fit').click()"
TABLE = "document.getElementById('edges').scrollIntoView()"
CLEAR = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))"
LAST = "document.querySelector('#order li:last-child button').click()"


def take_all(page, folder, name):
    """Take the pictures of one page."""
    take(page, folder, f"report-{name}", act=ROW if name in ("farm", "sachs") else "1")
    if name == "sachs":
        take(page, folder, "report-checks", act=CHECKS)
        take(page, folder, "report-node", "dark", LAST, (1400, 1250))
    if name == "1000":
        take(page, folder, "report-1000-focus", act=HUB)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--look"]:
        look(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
