"""Which code made a result: a hash of the modules a method can reach, so that versions never mix.

Hashing the whole package would void hours of results whenever an unrelated file changes. So each row has
its own code version: the package's version and a hash over

- the flow every run passes through (`discover.py`, `run.py`, `knowledge.py`, ...), the metrics, and the
  simulation or the data sets, according to the case;
- for a method of `methods.py`, the functions there that it calls, and every definition that those reach in
  other modules, directly or through others (`definitions.py`);
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
from dagscale.benchmark.definitions import Module, Place, reached
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
        pieces = _method_code(row.method)
    pieces += [f"{name}\n{_normal_source(path)}" for name in sorted(modules) if (path := _file(name))]
    digest = hashlib.sha256("\0".join(pieces).encode()).hexdigest()[:12]
    return f"{dagscale.__version__}+{digest}"


def _method_code(method: str) -> list[str]:
    """Return the functions a method is made of, and all definitions that these reach, as text."""
    from dagscale.methods.registry import METHODS

    if method not in TRUTH_ROWS:
        return _code(METHODS[method].function)
    row = TRUTH_ROWS[method]
    return _code(row.function) + (_method_code(row.based_on) if row.based_on else [])


def _code(start: Callable[..., Any]) -> list[str]:
    """Return a function, what it calls in its own module, and what these reach elsewhere."""
    functions, outside = _reach(start)
    found = reached(outside, _modules(), lambda name: name == "methods" or name.split(".")[0] in NEUTRAL)
    texts = [f"{name}\n{''.join(map(_text, nodes))}" for (_, name), nodes in found.items()]
    return functions + sorted(texts)  # without the modules' names: a definition may move


def _reach(start: Callable[..., Any]) -> tuple[list[str], set[Place]]:
    """Follow a function through its own module: those functions' code and the places that they use."""
    home = getattr(start, "func", start).__module__
    seen, texts, places = set(), [], set()
    queue: list[tuple[Any, set[str]]] = [(start, set())]
    while queue:
        item, taken = queue.pop()
        if isinstance(item, ModuleType):
            places |= {(item.__name__, name) for name in taken if hasattr(item, name)}
        elif isinstance(item, partial):
            queue += [(part, set()) for part in (item.func, *item.args, *item.keywords.values())]
        elif getattr(item, "__module__", home) != home:
            named = item if hasattr(item, "__name__") else type(item)
            places.add((named.__module__, named.__name__))
        elif isinstance(item, FunctionType):
            if item in seen:
                continue
            seen.add(item)
            texts.append(_function_source(item))
            used, imported = _names(item.__code__)
            places |= {(module, name) for module in imported for name in used}
            inside = [item.__globals__[name] for name in sorted(used) if name in item.__globals__]
            inside += [cell.cell_contents for cell in item.__closure__ or ()]
            inside += [*(item.__defaults__ or ()), *(item.__kwdefaults__ or {}).values()]
            queue += [(part, used) for part in inside]
        elif isinstance(item, type):
            texts.append(_docless(inspect.getsource(item)))
        else:
            with suppress(TypeError):  # what is not plain data is an object of some module seen elsewhere
                texts.append(json.dumps(item, sort_keys=True))
    own = {(module.removeprefix("dagscale."), name) for module, name in places if _ours(module, home)}
    return sorted(texts), own


def _ours(module: str, home: str) -> bool:
    return module.startswith("dagscale.") and module != home


@cache
def _modules() -> dict[str, Module]:
    """Read every module of this package."""
    names = {_name(path): path for path in _sources()}
    return {name: Module.of(_sources()[path], names.__contains__) for name, path in names.items()}


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


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


@cache
def _text(node: ast.AST) -> str:
    return _unparsed(node)


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
