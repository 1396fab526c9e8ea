"""The house keeps its plan: few entries at the top, imports that go down only, no cycle of any kind.

Imports inside functions count; those under `TYPE_CHECKING` do not.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "dagscale"
ROOMS = [  # top to bottom, as docs/architecture.md draws them
    "__main__",
    "cli",
    "benchmark",
    "estimators",
    "resampling",
    "flow",
    "result",
    "methods",
    "stages",
    "models",
    "data",
    "graphs",
    "inputs",
    "runtime",
]
AUTO = ["method", "hidden", "certainty", "conditions", "search", "settings"]  # the rooms of `auto`, likewise
NEVER = {("result", "methods"), ("result", "flow"), ("result", "resampling")}  # a result is given its reruns


def module_name(path: Path) -> str:
    parts = ("dagscale", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in PACKAGE.rglob("*.py")}


def imports(node: ast.AST, known: set[str] | dict[str, Path] = MODULES) -> set[str]:
    """List the modules of the package that a piece of code imports at run time, wherever it does."""
    if isinstance(node, ast.ImportFrom) and node.module:
        full = {f"{node.module}.{alias.name}" for alias in node.names}
        found = {name if name in known else node.module for name in full}
        return {name for name in found if name in known}
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names if alias.name in known}
    parts = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        parts = iter(node.orelse)
    return set().union(*(imports(part, known) for part in parts))


GRAPH = {name: imports(ast.parse(path.read_text(encoding="utf-8"))) for name, path in MODULES.items()}


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def forbidden(graph: dict[str, set[str]]) -> list[str]:
    """List the imports that go up, or from a room to one that it must not know."""
    place = {name: k for k, name in enumerate(ROOMS)}
    return [
        f"{module} imports {target}"
        for module, targets in sorted(graph.items())
        for target in sorted(targets)
        if room(module) != "__init__"
        and room(module) != room(target)
        and (
            room(target) == "__init__"
            or place[room(target)] <= place[room(module)]
            or (room(module), room(target)) in NEVER
        )
    ]


def test_the_top_has_only_the_rooms():
    entries = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    names = {name.removesuffix(".py") for name in entries if name != "py.typed"}
    assert names == {*ROOMS, "__init__"}
    assert len(entries) <= 16


def test_imports_go_down():
    assert forbidden(GRAPH) == []


def test_imports_go_down_in_auto_too():
    prefix = "dagscale.methods.auto."
    place = {name: k for k, name in enumerate(AUTO)}
    inside = {
        m: {t for t in targets if t.startswith(prefix)}
        for m, targets in GRAPH.items()
        if m.startswith(prefix)
    }
    assert {m.removeprefix(prefix).split(".")[0] for m in inside} == set(AUTO)
    ways = {
        (m.removeprefix(prefix).split(".")[0], t.removeprefix(prefix).split(".")[0])
        for m, targets in inside.items()
        for t in targets
    }
    assert [f"{own} imports {other}" for own, other in sorted(ways) if place[other] < place[own]] == []


def test_no_import_cycle():
    try:
        tuple(TopologicalSorter(GRAPH).static_order())
    except CycleError as cycle:
        pytest.fail(f"modules import each other in a circle: {' -> '.join(cycle.args[1])}")


def test_an_import_inside_a_function_would_be_noticed():
    code = "def f():\n    from dagscale.flow import discover\n    return discover\n"
    found = imports(ast.parse(code))
    assert found == {"dagscale.flow"}
    assert forbidden({"dagscale.result.result": found}) == ["dagscale.result.result imports dagscale.flow"]


def test_imports_for_types_do_not_count():
    code = "if TYPE_CHECKING:\n    from dagscale.flow import discover\nelse:\n    import dagscale.cli\n"
    assert imports(ast.parse(code)) == {"dagscale.cli"}


def test_tests_mirror_the_rooms():
    tests = Path(__file__).resolve().parent
    folders = {path.name for path in tests.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders - set(ROOMS) <= {"reference", "fingerprints"}
    for path in tests.rglob("test_*.py"):
        if len(path.relative_to(tests).parts) > 1:
            assert (PACKAGE / path.relative_to(tests).parent).is_dir(), f"{path} has no counterpart"
