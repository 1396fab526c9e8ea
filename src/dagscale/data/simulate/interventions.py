"""Interventions: which rows set which columns, and the values they are set to."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dagscale.inputs.arguments import whole
from dagscale.runtime.errors import InputError, InputTypeError, closest, shown
from dagscale.runtime.types import BoolArray, FloatArray

SHIFT = 2.0  # standard deviations between a column and its intervened values, as in DCDI's N(2, 1)


def intervened_rows(interventions: Any, names: list[str], n: int) -> BoolArray | None:
    """Read `simulate`'s argument: the rows of every experiment, after n observational ones.

    Parameters
    ----------
    interventions : int, dict or None
        So many rows for every column alone; or column, tuple of columns or text "a,b" -> rows.
    names : list of str
        The d columns.
    n : int
        Observational rows.

    Returns
    -------
    (n + all rows, d) bool array or None
        True where the column was intervened on; None without interventions.
    """
    if interventions is None:
        return None
    if isinstance(interventions, Mapping):
        experiments = [
            (_columns(key, names), whole(rows, f"interventions[{shown(key)}]", 1))
            for key, rows in interventions.items()
        ]
    elif isinstance(interventions, int | np.integer):
        rows = whole(interventions, "interventions", 1)
        experiments = [([j], rows) for j in range(len(names))]
    else:
        raise InputTypeError(
            f"interventions={shown(interventions)}: give the rows for every column, as 60, "
            "or a dict from columns to rows, as {'X3': 60, ('X1', 'X2'): 40}"
        )
    blocks = [np.zeros((n, len(names)), dtype=bool)]
    for columns, rows in experiments:
        block = np.zeros((rows, len(names)), dtype=bool)
        block[:, columns] = True
        blocks.append(block)
    return np.concatenate(blocks)


def labels(mask: BoolArray, names: list[str]) -> list[str]:
    """Name the columns of every row: "" for none, else "a" or "a,b"."""
    texts = [str(name) for name in names]
    return [",".join(texts[j] for j in np.flatnonzero(row)) for row in mask]


def set_values(x: FloatArray, positive: bool, reference: BoolArray, rng: np.random.Generator) -> FloatArray:
    """Draw the values of a perfect intervention: they do not depend on the parents.

    N(m + 2 s, s²) with the mean and standard deviation of the rows without an intervention; where columns
    must stay positive, U(2 m, 4 m).
    """
    m, s = float(x[reference].mean()), float(x[reference].std())
    if positive:
        return rng.uniform(2 * m, 4 * m, len(x))
    return m + s * (SHIFT + rng.standard_normal(len(x)))


def shifted(fresh: FloatArray, x: FloatArray, positive: bool, reference: BoolArray) -> FloatArray:
    """Return the values of a soft intervention: another mechanism of the same parents, two s higher.

    `fresh` are the values the new mechanism gives; s is the standard deviation of x in the rows without an
    intervention. Where columns must stay positive they are doubled instead.
    """
    return 2 * fresh if positive else fresh + SHIFT * float(x[reference].std())


def _columns(key: Any, names: list[str]) -> list[int]:
    """Return the places of one column, of a tuple of columns, or of a text "a,b"."""
    wanted: list[Any]
    if key in names:
        wanted = [key]
    elif isinstance(key, str):
        wanted = [part.strip() for part in key.split(",")]
    else:
        wanted = list(key) if isinstance(key, tuple | frozenset) else [key]
    for name in wanted:
        if name not in names:
            raise InputError(f"interventions: there is no column {shown(name)}{closest(name, names)}")
    if not wanted:
        raise InputError("interventions: a tuple of no columns; name at least one")
    return [names.index(name) for name in wanted]
