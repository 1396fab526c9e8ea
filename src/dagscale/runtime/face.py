"""Remedies in the words of the face that was used: `drop=['a', 'b']` in Python, `--drop a,b` on the command line.

Estimators have few of these arguments: what `discover` does to a table is done to X before `fit`.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import StringIO
from typing import Any

from dagscale.runtime.errors import shown

SHOWN = 5  # names in a remedy; the rest is told by dots

PYTHON, COMMAND_LINE, ESTIMATOR = "python", "command line", "estimator"
_face: ContextVar[str] = ContextVar("face", default=PYTHON)
_OPTIONS = {"kinds": "--kind", "random_state": "--seed"}  # options that are not spelled as their argument


@contextmanager
def words_of(face: str) -> Iterator[None]:
    """Spell remedies in the words of another face while this is entered."""
    before = _face.set(face)
    try:
        yield
    finally:
        _face.reset(before)


def spelled(argument: str, value: Any = None) -> str:
    """Spell an argument of `discover` with a value, or alone, as the user of this face would type it.

    Parameters
    ----------
    argument : str
        Its name in Python.
    value : str, number, list of names, or dict of names to texts
        Long lists and dicts are cut after a few entries.
    """
    if _face.get() == ESTIMATOR and (told := _before_fit(argument, value)):
        return told
    if _face.get() != COMMAND_LINE:
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


def _before_fit(argument: str, value: Any) -> str | None:
    """Say what the user of an estimator does instead of giving an argument; None where it has that argument."""
    if argument == "method":
        return f"dagscale.{str(value).capitalize()}()"
    if argument == "drop" and value is not None:
        return f"X.drop(columns={_in_python(value)})"
    if argument == "missing":
        return "X.dropna()" if value == "drop" else "sklearn.impute.SimpleImputer"
    return None


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
