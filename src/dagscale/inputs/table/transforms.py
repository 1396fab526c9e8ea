"""What may be done to a column before discovery: its logarithm, or its rank-Gaussian scores."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from dagscale.inputs.table.problems import Problems
from dagscale.runtime.errors import InputError, InputTypeError, closest, shown
from dagscale.runtime.types import FloatArray


def check_transform(transform: Any) -> None:
    """Refuse a transform that does not exist, before anything is read."""
    chosen = list(transform.values()) if isinstance(transform, Mapping) else [transform]
    for name in chosen:
        if name is not None and not isinstance(name, str):
            raise InputTypeError(
                f"transform must be 'log', 'rank' or a dict of column to one of them, not {shown(name)}"
            )
        if name is not None and name not in TRANSFORMS:
            raise InputError(
                f"unknown transform {shown(name)}{closest(name, TRANSFORMS)}; known: 'log', 'rank'"
            )


def apply_transforms(
    X: FloatArray, names: Sequence[Hashable], chosen: Mapping[int, str], problems: Problems | None = None
) -> None:
    """Transform columns of X in place.

    Parameters
    ----------
    X : (n, d) float array
    names : sequence of d names
        For the error that names the culprit.
    chosen : dict of int to str
        The transform of each column that gets one.
    problems : Problems, optional
        Where columns that have no such transform are told of, to stay as they are, instead of raising.
    """
    for j, name in chosen.items():
        try:
            X[:, j] = TRANSFORMS[name](X[:, j], names[j])
        except InputError as error:
            if problems is None:
                raise
            problems.add(str(error))


def _log(values: FloatArray, name: Hashable) -> FloatArray:
    row = int(np.argmax(values <= 0))
    if values[row] <= 0:
        raise InputError(
            f"transform='log': column {shown(name)} holds {values[row]:g} in row {row} (counted from 0), "
            "and only positive numbers have a logarithm; shift the column or use 'rank'"
        )
    return np.log(values)


def _rank(values: FloatArray, _name: Hashable) -> FloatArray:
    """Return the normal quantile of each value's rank, ties sharing theirs: Φ⁻¹((rank - ½) / n)."""
    from dagscale.inputs.ranks import normal_scores  # slow to import, and seldom needed

    return normal_scores(values)


TRANSFORMS: dict[str, Callable[[FloatArray, Hashable], FloatArray]] = {"log": _log, "rank": _rank}
