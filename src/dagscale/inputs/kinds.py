"""The kinds of columns that models tell apart, and what a user may say of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dagscale.runtime.errors import InputError, InputTypeError, closest, shown
from dagscale.runtime.face import spelled
from dagscale.runtime.types import BoolArray

CONTINUOUS, BINARY, CATEGORICAL, ORDINAL, COUNT = "continuous", "binary", "categorical", "ordinal", "count"
KINDS = (CONTINUOUS, BINARY, CATEGORICAL, ORDINAL, COUNT)
CODED = (BINARY, CATEGORICAL, ORDINAL)  # X holds places among levels
ORDERED = (CONTINUOUS, BINARY, ORDINAL, COUNT)  # more or less means something


def of_kinds(kinds: Sequence[str], wanted: Sequence[str], d: int) -> BoolArray:
    """Say which of d columns are of the wanted kinds; no kinds at all say that all are continuous."""
    return np.array([kind in wanted for kind in kinds or (CONTINUOUS,) * d], dtype=bool)


def check_kinds(kinds: Any) -> None:
    """Refuse kinds that do not exist, before anything is read."""
    if kinds is None:
        return
    if not isinstance(kinds, Mapping):
        raise InputTypeError(
            f"{spelled('kinds')}{shown(kinds)}: give a dict of column to kind, such as {{'x': 'categorical'}}"
        )
    wrong = [
        f"{spelled('kinds', {name: kind})}: the kinds are {', '.join(KINDS)}{closest(kind, KINDS)}"
        for name, kind in kinds.items()
        if kind not in KINDS
    ]
    if wrong:
        raise InputError("; ".join(wrong))
