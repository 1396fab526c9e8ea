"""Take the pictures of the report page that README and the docs show, in headless Chromium.

    python tools/screenshots.py [FOLDER]

The pages of the demo (`report-farm.png`, which README shows, and `report-sachs.png`), and those of 100 and 1000
simulated columns. The driver is that of the tests.
"""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

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


def take(page, folder, name, theme="light", act="1", height=1000):
    """Capture the window after `act` ran in the page."""
    scheme = [{"name": "prefers-color-scheme", "value": theme}]
    page.call("Emulation.setEmulatedMedia", {"features": scheme})
    size = {"width": 1400, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", size)
    page.run("scrollTo(0, 0); document.activeElement.blur()")
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
LAST = "document.querySelector('#order li:last-child button').click()"


def take_all(page, folder, name):
    """Take the pictures of one page."""
    take(page, folder, f"report-{name}", act=ROW if name in ("farm", "sachs") else "1")
    if name == "sachs":
        take(page, folder, "report-checks", act=CHECKS)
        take(page, folder, "report-node", "dark", LAST, height=1250)
    if name == "1000":
        take(page, folder, "report-1000-focus", act=HUB)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
