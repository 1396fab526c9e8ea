"""Take the pictures of the report page that the docs show, in headless Chromium.

    python tools/screenshots.py [FOLDER]

Three results: 11 proteins with a bootstrap, 100 and 1000 columns simulated. The driver is that of the tests.
"""

import importlib.util
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


def results():
    """Yield (name, result) of the three sizes."""
    yield "11", dagscale.discover(dagscale.datasets.load("sachs").table, method="cam").with_confidence(50)
    middle = dagscale.simulate(nodes=100, samples=500, random_state=SEED)
    yield "100", dagscale.discover(middle.table, method="cam")
    wide = dagscale.simulate(nodes=1000, samples=300, random_state=SEED)
    yield "1000", dagscale.discover(wide.table, method="cam")


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
        for name, result in results():
            page = module.Page(browser, result.report(Path(made) / f"{name}.html").as_uri())
            take_all(page, folder, name)
            page.close()
        browser.close()


def take_all(page, folder, name):
    """Take the pictures of one result."""
    if name == "11":
        row = "document.querySelector('#edge-table tbody tr:nth-child(2)').click()"
        take(page, folder, "report-sachs", act=row)
        take(page, folder, "report-checks", act="document.getElementById('checks').scrollIntoView()")
        last = "document.querySelector('#order li:last-child button').click()"
        doubts = "document.getElementById('doubts').click()"
        take(page, folder, "report-node", "dark", f"{last}; {doubts}", height=1250)
        return
    take(page, folder, f"report-{name}")
    if name == "1000":
        take(page, folder, "report-1000-focus", act=HUB)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
