"""Callables that a lower room uses and a higher room gives, so that imports go one way.

A result can run its method again, but the room `result` knows no methods. The package's `__init__` gives it
what it needs, by name; a result loaded from a file finds it there too.
"""

from collections.abc import Callable
from typing import Any

_given: dict[str, Callable[..., Any]] = {}


def give(**callables: Callable[..., Any]) -> None:
    """Offer callables to lower rooms by name."""
    _given.update(callables)


def given(name: str) -> Callable[..., Any]:
    """Return the callable of that name."""
    return _given[name]
