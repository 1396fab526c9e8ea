"""Option texts -> Python values."""

import csv
import json
from collections.abc import Hashable, Iterable
from typing import Any

from dagscale.runtime.errors import InputError, shown

_WORDS = {"true": True, "false": False, "none": None, "null": None, "inf": float("inf")}


def names(texts: Iterable[str] | None) -> list[Hashable] | None:
    """Split `a,b` and `"with, comma",c` into names; None where nothing was given."""
    if not texts:
        return None
    return [name for row in csv.reader(texts, skipinitialspace=True) for name in row]


def settings(pairs: Iterable[str] | None) -> dict[str, Any]:
    """Read `name=value` pairs; values are numbers, true, false, none, JSON lists, else text."""
    found: dict[str, Any] = {}
    for pair in pairs or ():
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--set {shown(pair)} has no value; write --set name=value")
        found[name.strip().replace("-", "_")] = value(text.strip())
    return found


def value(text: str) -> Any:
    """Read one value."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        return text


def kinds(texts: Iterable[str] | None) -> dict[Hashable, str] | None:
    """Read `column=kind` pairs; None where nothing was given."""
    found: dict[Hashable, str] = {}
    for text in texts or ():
        name, equals, kind = text.rpartition("=")
        if not equals or not name:
            raise InputError(f"--kind {shown(text)} names no kind; write --kind column=categorical")
        found[name] = kind.strip()
    return found or None


def transform(texts: Iterable[str] | None) -> str | dict[Hashable, str] | None:
    """Read `log` for all columns, or `column=log` for one; repeatable."""
    given = list(texts or ())
    if not given:
        return None
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    found: dict[Hashable, str] = {}
    for text in given:
        name, equals, kind = text.rpartition("=")
        if not equals:
            raise InputError(f"--transform {shown(text)} names no column; write --transform column=log")
        found[name] = kind
    return found
