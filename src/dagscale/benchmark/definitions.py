"""Which definitions a function reaches, through all modules of this package, read from the source alone.

A definition is a function, a class as a whole, or a constant at the top level of a module. From one of them
lead the names that it uses: of its own module, or imported from another. An imported module counts by the
attributes that are taken from it. So a function that is moved, or one that grows beside it in the same file,
changes nothing for those who do not call it.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

Place = tuple[str, str]  # a module without "dagscale.", and a name in it; "" for the module as a whole
PACKAGE = "dagscale"


@dataclass
class Module:
    """What a file defines at its top level, and what it imports from this package, anywhere.

    Attributes
    ----------
    definitions : dict of str to list of ast nodes
        By name; under "" what has none.
    imports : dict of str to Place
        By the name it has here; the place of a module has "" for its name.
    """

    definitions: dict[str, list[ast.AST]] = field(default_factory=dict)
    imports: dict[str, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str, exists: Callable[[str], bool]) -> "Module":
        """Read a file; `exists` tells the modules of this package."""
        tree, made = ast.parse(source), cls()
        for node in tree.body:
            for name in _defined(node):
                made.definitions.setdefault(name, []).append(node)
        for part in ast.walk(tree):
            if isinstance(part, ast.ImportFrom) and (part.module or "").split(".")[0] == PACKAGE:
                home = (part.module or "").removeprefix(PACKAGE).removeprefix(".")
                for alias in part.names:
                    inner = f"{home}.{alias.name}".removeprefix(".")
                    place = (inner, "") if exists(inner) else (home, alias.name)
                    made.imports[alias.asname or alias.name] = place
        return made


def _defined(node: ast.AST) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    names = [
        part.id for target in targets if target for part in ast.walk(target) if isinstance(part, ast.Name)
    ]
    return names or [""]


def reached(
    start: Iterable[Place], modules: Mapping[str, Module], passed_by: Callable[[str], bool]
) -> dict[Place, list[ast.AST]]:
    """Return all definitions that lead from `start`; modules that are `passed_by` are not entered."""
    queue, found = list(start), {}
    while queue:
        place = queue.pop()
        module, name = place
        if place in found or module not in modules or passed_by(module):
            continue
        here = modules[module]
        if name == "":
            queue += [(module, own) for own in here.definitions]
        elif name not in here.definitions:
            queue += [here.imports[name]] if name in here.imports else []
            continue
        found[place] = here.definitions.get(name, [])
        for node in found[place]:
            queue += _used(node, module, here)
    return found


def _used(node: ast.AST, module: str, here: Module) -> list[Place]:
    """List the places of all names in a definition."""
    used: list[Place] = []
    owners = {
        id(part.value): part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
    }
    for part in ast.walk(node):
        if not isinstance(part, ast.Name):
            continue
        if part.id in here.definitions:
            used.append((module, part.id))
        elif part.id in here.imports:
            home, name = here.imports[part.id]
            used.append((home, owners.get(id(part), "") if name == "" else name))
    return used
