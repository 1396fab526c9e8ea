"""Which code made a result: a hash of the modules a method can reach, so that versions never mix.

Hashing the whole package would void hours of results whenever an unrelated file changes. So each row has
its own code version: the package's version and a hash over

- the flow every run passes through (`discover.py`, `run.py`, `knowledge.py`, ...), the metrics, and the
  simulation or the data sets, according to the case;
- for a method of `methods.py`, the functions there that it calls, and every module that those import,
  directly or through others;
- for a row that is told the truth, the same from its function in `truth.py`; for a peer, its adapter's
  file, what reads its marks, and the version of the package it drives;
- the files of the benchmark itself that decide numbers (`BENCHMARK`).

Comments, docstrings and layout do not count, nor do the modules of `NEUTRAL`, which read, check, show,
store or convert, and cannot change a number: a column that reading would leave out is an error in `rows.py`.
"""

import ast
import hashlib
import inspect
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import dagscale
from dagscale.benchmark.cases import SIMULATED
from dagscale.benchmark.peers import PREFIX, peer_module, peer_version
from dagscale.benchmark.rows import Row
from dagscale.benchmark.truth import TRUTH_ROWS

SOURCE = Path(dagscale.__file__).parent
NEUTRAL = {
    "table", "arguments", "errors", "graphs_in", "knowledge_file", "progress", "result", "report", "cli",
    "estimators", "diagnostics", "bootstrap", "plan", "benchmark", "memory", "checkpoint",
}  # fmt: skip
BENCHMARK = ("benchmark.cases", "benchmark.rows", "benchmark.judge")


@cache
def code_version(row: Row, source: str) -> str:
    """Return the code version of a row on a case of this source, as `0.1.0+1a2b3c4d5e6f`."""
    data = "simulate" if source == SIMULATED else "datasets"
    modules = _closure(["discover", "metrics", data]) | set(BENCHMARK)
    if row.method.startswith(PREFIX):
        name = row.method.removeprefix(PREFIX)
        pieces = [inspect.getsource(peer_module(name)), peer_version(name)]
        modules.add("benchmark.peers._marks")
    else:
        pieces, reached = _method_code(row.method)
        modules |= reached
    pieces += [f"{name}\n{_normal_source(path)}" for name in sorted(modules) if (path := _file(name))]
    digest = hashlib.sha256("\0".join(pieces).encode()).hexdigest()[:12]
    return f"{dagscale.__version__}+{digest}"


def _method_code(method: str) -> tuple[list[str], set[str]]:
    """Return the functions a method is made of, as text, and the modules these reach."""
    from dagscale.methods import METHODS

    if method not in TRUTH_ROWS:
        functions, modules = _reach(METHODS[method].function)
        return functions, _closure(modules)
    row = TRUTH_ROWS[method]
    functions, modules = _reach(row.function)
    inner, reached = _method_code(row.based_on) if row.based_on else ([], set())
    return functions + inner, _closure(modules) | reached


def _reach(start: Callable[..., Any]) -> tuple[list[str], set[str]]:
    """Follow a function through its own module: those functions' code and the modules they use."""
    home = getattr(start, "func", start).__module__
    seen, texts, modules = set(), [], set()
    queue: list[Any] = [start]
    while queue:
        item = queue.pop()
        if isinstance(item, ModuleType):
            modules.add(item.__name__)
        elif isinstance(item, partial):
            queue += [item.func, *item.args, *item.keywords.values()]
        elif getattr(item, "__module__", home) != home:
            modules.add(str(item.__module__))
        elif isinstance(item, FunctionType):
            if item in seen:
                continue
            seen.add(item)
            texts.append(_function_source(item))
            used, imported = _names(item.__code__)
            modules |= imported
            queue += [item.__globals__[name] for name in used if name in item.__globals__]
            queue += [cell.cell_contents for cell in item.__closure__ or ()]
            queue += [*(item.__defaults__ or ()), *(item.__kwdefaults__ or {}).values()]
        elif isinstance(item, type):
            texts.append(_docless(inspect.getsource(item)))
        else:
            with suppress(TypeError):  # what is not plain data is an object of some module seen elsewhere
                texts.append(json.dumps(item, sort_keys=True))
    own = {
        name.removeprefix("dagscale.") for name in modules if name.startswith("dagscale.") and name != home
    }
    return sorted(texts), own


def _names(code: CodeType) -> tuple[set[str], set[str]]:
    """Collect the global names a function uses and the modules of this package it imports when called."""
    names, modules = set(code.co_names), set()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner, imported = _names(constant)
            names |= inner
            modules |= imported
    return names, modules | {name for name in names if name.startswith("dagscale.")}


@cache
def _sources() -> dict[Path, str]:
    """Read the package's source once, when a process begins: what is edited later is not what it runs."""
    return {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}


def _function_source(function: FunctionType) -> str:
    """Return a function's normalised source; a lambda has none of its own beyond its name and line's code."""
    tree = ast.parse(_sources()[Path(inspect.getsourcefile(function) or "")])
    line = function.__code__.co_firstlineno
    kinds = (ast.FunctionDef, ast.Lambda)
    found = [n for n in ast.walk(tree) if isinstance(n, kinds) and n.lineno == line]
    return "\n".join(_unparsed(node) for node in found)


@cache
def _file(name: str) -> Path | None:
    base = SOURCE.joinpath(*name.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p in _sources()), None)


def _closure(start: Iterable[str]) -> set[str]:
    """Follow the imports of modules, without entering `methods` or what is neutral."""
    queue: list[str] = list(start)
    seen: set[str] = set()
    while queue:
        name = queue.pop()
        path = _file(name)
        if path is None or name in seen or name == "methods" or name.split(".")[0] in NEUTRAL:
            continue
        seen.add(name)
        queue += _imports(path)
    return seen


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """List the modules of this package that a file imports anywhere, also inside functions."""
    names: list[str] = []
    for node in ast.walk(ast.parse(_sources()[path])):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(name.removeprefix("dagscale.") for name in names if name.startswith("dagscale."))


@cache
def _normal_source(path: Path) -> str:
    return _docless(_sources()[path])


def _docless(source: str) -> str:
    return _unparsed(ast.parse(inspect.cleandoc(source) if source[:1].isspace() else source))


def _unparsed(tree: ast.AST) -> str:
    """Write code down without comments, docstrings and layout."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, False):
            node.body = node.body[1:] or [ast.Pass()]
    return _written(tree)


def _written(part: Any) -> str:
    """Write a syntax tree down, alike in every Python: `ast.unparse` and `ast.dump` differ between them."""
    if isinstance(part, list):
        return f"[{' '.join(map(_written, part))}]"
    if not isinstance(part, ast.AST):
        return repr(part)
    fields = [(name, value) for name, value in ast.iter_fields(part) if value is not None and value != []]
    return f"{type(part).__name__}({' '.join(f'{name}={_written(value)}' for name, value in fields)})"
