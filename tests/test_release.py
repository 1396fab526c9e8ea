"""What a release needs agrees with itself: versions, classifiers, pins, workflows."""

import re
import tomllib
from pathlib import Path

import yaml

import dagscale
from floors import SHORT_SUITE

ROOT = Path(__file__).parent.parent


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == dagscale.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == dagscale.__version__


def test_workflows_test_every_python_and_system():
    ci = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    matrix = ci["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert len(matrix["os"]) == 3
    assert {"floors", "newest", "docs", "smoke", "complete"} <= set(ci["jobs"])
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"run: make (\w+)", str(ci).replace("'", "")):
        assert f"\n{target}:" in made
    release = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"}


def test_the_benchmarks_pins_are_exact_and_reach_the_floors():
    pins = (ROOT / "requirements" / "benchmark.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in pins if not line.startswith("#"))
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    for requirement in declared:
        name, floor = requirement.split(">=")
        by_name = {key.lower(): value for key, value in pinned.items()}
        assert _numbers(by_name[name.lower()]) >= _numbers(floor)


def test_the_short_suite_of_the_floors_is_there():
    assert [path for path in SHORT_SUITE if not (ROOT / path).exists()] == []


def _numbers(version):
    return tuple(int(part) for part in version.split(".") if part.isdigit())
