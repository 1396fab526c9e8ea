"""The docs build without a warning, show pictures that exist and are light, and leave no page out."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))


def test_the_docs_build(tmp_path):
    if find_spec("mkdocs") is None or find_spec("mkdocstrings") is None:
        pytest.skip('the docs tools are not installed: pip install -e ".[docs]"')
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    assert {page.with_suffix(".html").name for page in PAGES} <= {page.name for page in tmp_path.iterdir()}


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
