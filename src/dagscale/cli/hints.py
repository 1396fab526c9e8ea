"""Messages in the words of the command line: `drop=['a', 'b']` becomes `--drop a,b`."""

import ast
import csv
import re
from functools import cache
from inspect import signature
from io import StringIO
from typing import Any

_ELSEWHERE = {"level": "--level", "random_state": "--seed", "kinds": "--kind", "replicates": "--bootstrap"}
_ELSEWHERE |= {"n": "--rows", "d": "--columns"}  # of `plan`
_PYTHON_ONLY = ("table", "progress", "checkpoint", "settings", "shuffle")
_FLAGS = {"standardize": ("--raw", "--standardize")}
_VALUE = r"\[[^\]]*\]|\{[^}]*\}|'[^']*'|\"[^\"]*\"|[\w.+-]*\w|"
_ARGUMENT = re.compile(rf"(?<![\w.-])([A-Za-z_]\w*)=({_VALUE})")


def in_options(text: str) -> str:
    """Spell arguments of Python functions in a message as options; other words stay as they are."""
    return _ARGUMENT.sub(_spelled, text)


@cache
def _options() -> dict[str, str]:
    """Return the option of every argument of `discover` and `simulate`."""
    from dagscale.data.simulate import simulate
    from dagscale.flow import discover

    names = [name for function in (discover, simulate) for name in signature(function).parameters]
    return {name: f"--{name.replace('_', '-')}" for name in names if name not in _PYTHON_ONLY} | _ELSEWHERE


@cache
def _settings() -> frozenset[str]:
    from dagscale.methods.registry import METHODS

    return frozenset(name for method in METHODS.values() for name in method.settings())


def _spelled(match: re.Match[str]) -> str:
    name, value = match.groups()
    options = _options()
    if name in _FLAGS and value in ("True", "False"):
        return _FLAGS[name][value == "True"]
    if name in options:
        return f"{options[name]} {_word(value)}".rstrip()
    return f"--set {name}={_word(value)}" if name in _settings() else match.group()


def _word(text: str) -> str:
    """Write a Python literal as one would type it after an option."""
    try:
        value: Any = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    if isinstance(value, dict):
        value = [f"{key}={item}" for key, item in value.items()]
    if not isinstance(value, list | tuple):
        return str(value)
    row = StringIO()
    csv.writer(row, lineterminator="").writerow(value)
    return row.getvalue()
