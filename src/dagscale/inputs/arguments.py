"""Arguments checked where they enter: numbers, whole numbers and choices by name."""

from typing import Any, TypeVar

import numpy as np

from dagscale.runtime.errors import InputError, InputTypeError, closest, shown

T = TypeVar("T")


def chosen(choice: Any, known: dict[str, T], what: str) -> T:
    """Return the entry of that name whatever its case, or the choice itself where it is callable."""
    if not isinstance(choice, str):
        if callable(choice):
            return choice  # type: ignore[no-any-return]
        raise InputTypeError(
            f"{what}={shown(choice)} is neither a name nor callable: choose from {', '.join(known)}"
        )
    by_lower = {name.lower(): entry for name, entry in known.items()}
    if choice.lower() not in by_lower:
        raise InputError(f"unknown {what} {choice!r}: choose from {', '.join(known)}{closest(choice, known)}")
    return by_lower[choice.lower()]


def one_of(value: Any, options: tuple[Any, ...], what: str) -> Any:
    """Return the value if it is one of the options; 1 is not True here."""
    matches = [
        option for option in options if option is value or (isinstance(value, str) and option == value)
    ]
    if not matches:
        hint = closest(value, [option for option in options if isinstance(option, str)])
        raise InputError(f"{what}={shown(value)}: choose from {', '.join(map(repr, options))}{hint}")
    return matches[0]


def at_least(value: Any, what: str, least: float, strict: bool = False) -> float:
    """Return a finite number of at least `least`, or above it if `strict`."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputTypeError(f"{what}={shown(value)} is not a number")
    if not (np.isfinite(value) and (value > least or (value == least and not strict))):
        raise InputError(
            f"{what}={value}: give a finite number {'above' if strict else 'of at least'} {least:g}"
        )
    return float(value)


def between(value: Any, what: str, least: float, most: float, strict: bool = False) -> float:
    """Return a number between two others, both of them allowed, or only the larger if `strict`."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputTypeError(f"{what}={shown(value)} is not a number")
    if not (least < value <= most or (value == least and not strict)):
        raise InputError(f"{what}={value}: give a number between {least:g} and {most:g}")
    return float(value)


def whole(value: Any, what: str, least: int) -> int:
    """Return a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputTypeError(f"{what}={shown(value)} is not a whole number")
    if value < least:
        raise InputError(f"{what}={value}: give a whole number of at least {least}")
    return int(value)
