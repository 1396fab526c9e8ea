"""Tetrad's knowledge files: tiers, forbidden and required edges.

    /knowledge
    addtemporal
    1 age sex
    2 dose
    forbiddirect
    age dose
    requiredirect
    sex dose

A tier that ends in `*`, or whose number does, forbids edges within it. What this module does not know is
refused by name rather than left out in silence.
"""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

from dagscale.runtime.errors import InputError, shown

HEAD = "/knowledge"
TEMPORAL, FORBIDDEN, REQUIRED = "addtemporal", "forbiddirect", "requiredirect"


def is_tetrad(text: str) -> bool:
    """Say whether a text begins as Tetrad's knowledge files do."""
    return text.lstrip().lower().startswith(HEAD)


def read(text: str, path: Path) -> dict[str, Any]:
    """Return the lists `tiers`, `forbidden` and `required` of a Tetrad file."""
    found: dict[str, list[Any]] = {"tiers": [], "forbidden": [], "required": []}
    sections: dict[str, Callable[[list[str], str], None]] = {
        TEMPORAL: lambda words, line: _tier(words, line, found, path),
        FORBIDDEN: lambda words, line: found["forbidden"].append(_pair(words, line, path)),
        REQUIRED: lambda words, line: found["required"].append(_pair(words, line, path)),
    }
    section: Callable[[list[str], str], None] | None = None
    for line in text.strip().splitlines()[1:]:
        words = line.split()
        if not words:
            continue
        if len(words) == 1 and words[0].lower() in sections:
            section = sections[words[0].lower()]
        elif section is None or (len(words) == 1 and words[0].lower() == "forbiddengroup"):
            raise _unreadable(path, line, f"the sections are {', '.join(sections)}")
        else:
            section(words, line)
    return found


def _tier(words: list[str], line: str, found: dict[str, list[Any]], path: Path) -> None:
    number, *names = words
    apart = number.endswith("*") or (bool(names) and names[-1] == "*")
    if not number.rstrip("*").isdigit():
        raise _unreadable(path, line, "a tier begins with its number")
    names = [name for name in names if name != "*"]
    found["tiers"].append(names)
    if apart:
        found["forbidden"] += list(permutations(names, 2))


def _pair(words: list[str], line: str, path: Path) -> tuple[str, str]:
    names = [word for word in words if word not in ("==>", "-->", "=>", "->")]
    if len(names) != 2:
        raise _unreadable(path, line, "an edge is two names, the cause first")
    return names[0], names[1]


def _unreadable(path: Path, line: str, rule: str) -> InputError:
    return InputError(
        f"knowledge file {shown(str(path))}: cannot read the line {shown(line.strip())}; {rule}"
    )
