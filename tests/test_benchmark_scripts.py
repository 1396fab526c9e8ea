"""The scripts that print the numbers of the pages still find what they measure."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def test_every_script_can_be_imported():
    names = [path.stem for path in SCRIPTS]
    code = f"import importlib\nfor name in {names}: importlib.import_module(name)"
    done = subprocess.run([sys.executable, "-c", code], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_modules_of_the_package_have_what_a_script_asks_of_them(path):
    """A script that takes parts of a method out, or times them, names attributes of modules."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dagscale"):
            for alias in node.names:
                try:
                    found = importlib.import_module(f"{node.module}.{alias.name}")
                except ImportError:  # a function or a class
                    continue
                modules[alias.asname or alias.name] = found
    shadowed = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    asked = [  # patched by name: (module, "attribute", value), timed(module, "attribute", ...)
        (one.id, name.value)
        for one, name in map(_first_two, ast.walk(tree))
        if isinstance(one, ast.Name) and isinstance(name, ast.Constant) and isinstance(name.value, str)
    ]
    asked += [
        (node.value.id, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        if node.value.id not in shadowed
    ]
    missing = [f"{one}.{name}" for one, name in asked if one in modules and not hasattr(modules[one], name)]
    assert not missing


def _first_two(node):
    """Return the first two entries of a tuple or arguments of a call, None where there are none."""
    entries = node.elts if isinstance(node, ast.Tuple) else node.args if isinstance(node, ast.Call) else []
    return [*entries, None, None][:2]
