"""Whatever can be pressed, typed or chosen on a page is used by a test in a browser."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]
SOURCES = TESTS.parent / "src" / "dagscale"
REPORT = SOURCES / "result" / "report" / "template"
PAGES = {
    "report": (
        [REPORT / "page.html", *sorted((REPORT / "js").glob("*.js"))],
        sorted((TESTS / "result" / "report").glob("test_browser*.py")),
    ),
    "app": ([SOURCES / "cli" / "app" / "page.html"], [TESTS / "cli" / "app" / "test_server.py"]),
}
IN_HTML = re.compile(r"<(?:button|input|select|summary|a|form|details)\b([^>]*)>")
IN_SCRIPT = re.compile(r'element\("(?:button|input|select|summary|a|details)", \{([^}]*)\}')
NAME = re.compile(r'\b(id|data-export)"?[:=] ?"([\w-]+)"|"(data-\w+)":')


def controls(text):
    """List the controls of a page by id, by what they export, or by the data attribute that tells them apart."""
    parts = [*IN_HTML.findall(text), *IN_SCRIPT.findall(text)]
    return {value or attribute for part in parts for _, value, attribute in NAME.findall(part)}


@pytest.mark.parametrize("page", PAGES)
def test_every_control_is_used_in_a_browser(page):
    sources, tests = ("\n".join(path.read_text(encoding="utf-8") for path in paths) for paths in PAGES[page])
    found = controls(sources)
    assert len(found) >= {"report": 32, "app": 5}[page]
    untested = [name for name in sorted(found) if not re.search(rf"[#'\"=(\[]{re.escape(name)}\b", tests)]
    assert untested == []
