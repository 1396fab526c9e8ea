"""Whose finished pieces a checkpoint holds: everything that a run's result depends on, hashed by name."""

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.table import Table
from dagscale.runtime.checkpoint import Identity
from dagscale.runtime.resume import key_of

PACKAGE = Path(__file__).parents[1]


def identity_of(data: Table, method: str, settings: Any, constraints: Constraints) -> Identity:
    """Say whose pieces a file holds: all that the result depends on."""
    known = (constraints.allowed, constraints.required, constraints.before)
    done = data.conditions
    told = () if done is None else (done.targets, done.environment, done.labels)
    return {
        "table": key_of("table", (data.X, data.kinds, told, () if data.units is None else data.units)),
        "method": method,
        "settings": key_of("settings", settings),
        "knowledge": key_of("knowledge", known),
        "code": code_identity(),
    }


@cache
def code_identity() -> str:
    """Hash the package's source and name the versions of what computes beside it."""
    parts = [(str(path.relative_to(PACKAGE)), path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py"))]
    return f"{key_of('source', parts)} numpy {version('numpy')} scipy {version('scipy')}"
