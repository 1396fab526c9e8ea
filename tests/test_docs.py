"""The docs build, ask the network for nothing, leave no page out, and keep step with the code."""

import ast
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import dagscale

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
DOCS_TOOLS = ("mkdocs", "mkdocstrings", "latex2mathml")
README_LINES, README_WIDTH = 150, 120


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if any(find_spec(name) is None for name in DOCS_TOOLS):
        pytest.skip('the docs tools are not installed: pip install -e ".[docs]"')
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_every_page_is_built(site):
    assert {page.with_suffix(".html").name for page in PAGES} <= {page.name for page in site.iterdir()}


def test_pages_ask_the_network_for_nothing_and_can_be_searched_from_disk(site):
    for page in site.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(
            r'<(script|img|link rel="(stylesheet|preconnect)")[^>]*(src|href)="(https?:)?//', text
        )
        assert 'src="assets/iframe-worker.js"' in text or page.name == "404.html"
    assert (site / "search" / "search_index.js").exists()


def test_formulas_are_drawn(site):
    assert "<math" in (site / "method.html").read_text(encoding="utf-8")
    for page in PAGES:
        built = (site / page.with_suffix(".html").name).read_text(encoding="utf-8")
        assert built.count('class="formula"') == page.read_text(encoding="utf-8").count("```math"), page.name


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.name not in menu] == []


def test_pictures_are_there_light_and_described():
    shown = set()
    for page in [*PAGES, ROOT / "README.md"]:
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            if target.startswith("http"):
                continue
            picture = (page.parent / target).resolve()
            assert picture.stat().st_size < 300_000, target
            assert len(words) > 20, f"{target} is not described in words"
            shown.add(picture.name)
    assert {path.name for path in (ROOT / "docs" / "images").glob("report-*")} <= shown


@pytest.mark.parametrize("tool", ["cli_reference.py", "include_code.py", "notebooks.py"])
def test_pages_written_from_the_code_have_not_drifted(tool):
    checked = subprocess.run(
        [sys.executable, str(ROOT / "tools" / tool), "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
def test_the_demo_prints_what_the_pages_show():
    checked = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "demo_output.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_architecture_page_has_the_rooms_in_their_order():
    source = ast.parse((ROOT / "tests" / "test_rooms.py").read_text(encoding="utf-8"))
    rooms = [
        name
        for node in source.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("ROOMS", "AUTO")
        for name in ast.literal_eval(node.value)
    ]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", page, re.MULTILINE)
    assert listed == rooms


def test_the_reference_has_every_public_name():
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert [
        name for name in dagscale.__all__ if not re.search(rf"^::: .*\b{name}\b", page, re.MULTILINE)
    ] == []


def test_paths_named_in_the_docs_exist():
    named = re.compile(r"`((?:src|tests|tools|benchmarks|examples|docs)/[\w/.-]+\.\w+)`")
    for page in [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        found = named.findall(page.read_text(encoding="utf-8"))
        assert [path for path in found if not (ROOT / path).exists()] == [], page.name


def test_the_readme_is_short():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) < README_LINES
    assert [line for line in lines if len(line) > README_WIDTH] == []
