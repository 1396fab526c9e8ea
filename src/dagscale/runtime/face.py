"""Remedies in the words of the face that was used: `drop=['a', 'b']` in Python, `--drop a,b` on the command line."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import StringIO
from typing import Any

from dagscale.runtime.errors import shown

SHOWN = 5  # names in a remedy; the rest is told by dots

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)
_OPTIONS = {"kinds": "--kind", "random_state": "--seed"}  # options that are not spelled as their argument


@contextmanager
def command_line() -> Iterator[None]:
    """Spell remedies as options while this is entered."""
    before = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(before)


def spelled(argument: str, value: Any = None) -> str:
    """Spell an argument of `discover` with a value, or alone, as the user of this face would type it.

    Parameters
    ----------
    argument : str
        Its name in Python.
    value : str, number, list of names, or dict of names to texts
        Long lists and dicts are cut after a few entries.
    """
    if not _on_command_line.get():
        return f"{argument}={_in_python(value)}"
    option = _OPTIONS.get(argument, f"--{argument.replace('_', '-')}")
    if value is None:
        return option
    if isinstance(value, Mapping):
        pairs = [f"{option} {_word(f'{name}={text}')}" for name, text in list(value.items())[:SHOWN]]
        return " ".join(pairs) + (" ..." if len(value) > SHOWN else "")
    if isinstance(value, str | int | float):
        return f"{option} {_word(str(value))}"
    row = StringIO()
    csv.writer(row, lineterminator="").writerow([str(name) for name in value[:SHOWN]])
    return f"{option} {_word(row.getvalue())}" + (",..." if len(value) > SHOWN else "")


def _in_python(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        pairs = [f"{shown(name)}: {shown(text)}" for name, text in list(value.items())[:SHOWN]]
        return f"{{{', '.join(pairs)}{', ...' if len(value) > SHOWN else ''}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        names = ", ".join(shown(name) for name in value[:SHOWN])
        return f"[{names}{', ...' if len(value) > SHOWN else ''}]"
    return repr(value)


def _word(text: str) -> str:
    """Quote a text for a shell where it needs it."""
    import shlex

    return shlex.quote(" ".join(text.split()))
