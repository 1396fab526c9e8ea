"""What a user did wrong, in one line: the culprit and the remedy."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
LISTED = 8  # names that one message lists


class DagscaleError(Exception):
    """Base of every error that is the input's fault; its text is one line."""


class InputError(DagscaleError, ValueError):
    """A value that cannot be used as it is."""


class InputTypeError(DagscaleError, TypeError):
    """A value of a kind that cannot be used at all."""


class MissingDependencyError(DagscaleError, ImportError):
    """An optional package is needed; the text says how to install it."""


class DataWarning(UserWarning):
    """The table can be used, but its result deserves less trust; the text says why."""


def shown(value: object, limit: int = 60) -> str:
    """Return the repr of a culprit on one line, cut in the middle when long."""
    text = " ".join(repr(value).split())
    half = (limit - 5) // 2
    return text if len(text) <= limit else f"{text[:half]} ... {text[-half:]}"


def as_path(path: object) -> Path:
    """Return a path; what is none is refused."""
    if isinstance(path, str | PathLike):
        return Path(path)
    raise InputTypeError(f"{shown(path)} is no path: give the name of a file or folder")


def refuse_seed(arguments: Mapping[str, object]) -> None:
    """Answer `seed=`, which other libraries take, with the name it has here."""
    for name in ("seed", "random_seed"):
        if name in arguments:
            value = shown(arguments[name])
            raise InputTypeError(f"there is no {name}: write random_state={value}")


def answering_seed(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function answer `seed=` with the name it has here."""

    @wraps(function)
    def answering(*arguments: P.args, **named: P.kwargs) -> T:
        refuse_seed(named)
        return function(*arguments, **named)

    return answering


def closest(word: object, known: Iterable[object]) -> str:
    """Return "; did you mean 'x'?" for the known word nearest in spelling, "" when none is near."""
    by_text = {str(k).lower(): k for k in known}
    match = get_close_matches(str(word).lower(), by_text, n=1, cutoff=0.5)
    return f"; did you mean {shown(by_text[match[0]])}?" if match else ""


def none_of(unknown: Sequence[object], names: Sequence[object]) -> str:
    """Return "no column 'a'" or "no columns 'a', 'b'", with names that come close or, if none does, all there are."""
    near = [closest(name, names) for name in unknown]
    every = "" if all(near) else f"; the columns are {shown(list(names), 200)}"
    if len(unknown) == 1:
        return f"no column {shown(unknown[0])}{near[0]}{every}"
    told = [
        f"{shown(name)} ({hint.removeprefix('; ')})" if hint else shown(name)
        for name, hint in zip(unknown[:LISTED], near, strict=False)
    ]
    more = f" and {len(unknown) - LISTED} more" if len(unknown) > LISTED else ""
    return f"no columns {', '.join(told)}{more}{every}"
