"""A mask that says cell by cell what was set, matched to the columns that are used."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from dagscale.runtime.errors import closest, shown
from dagscale.runtime.types import BoolArray


def mask_of(
    given: Any, names: Sequence[Hashable], columns: Sequence[Hashable], n: int, problems: list[str]
) -> BoolArray | None:
    """Return the mask (n, d) of the columns used, or None and one more problem.

    Parameters
    ----------
    given : (n, d) array, list of rows, or DataFrame with the table's column names
        Booleans, or 0 and 1.
    names, columns : sequences of names
        Columns used, and all of the table: an array may have either many.
    n : int
        Rows of the table.
    problems : list of str
        Where a problem is noted.
    """
    titles = [str(name) for name in getattr(given, "columns", ())]
    try:
        mask = np.asarray(given)
        mask = mask.astype(float) if mask.dtype.kind in "OUS" else mask
    except (TypeError, ValueError):
        mask = np.zeros(0)
    want = f"give the name of a column, or booleans of {n} rows and {len(columns)} columns"
    if _labels_of_rows(given, n):
        problems.append(
            "interventions= is a list of labels, row by row: put it into the table as a column, and give its name"
        )
        return None
    if mask.ndim != 2 or mask.dtype.kind not in "bifu" or not np.isin(mask, (0, 1)).all():
        problems.append(f"interventions={shown(given)} is neither a column's name nor a mask: {want}")
        return None
    if len(mask) != n:
        problems.append(f"the mask of interventions has {len(mask)} rows, the table {n}: {want}")
        return None
    if titles:
        return _by_title(mask != 0, titles, names, columns, problems)
    if mask.shape[1] == len(names):
        return np.asarray(mask != 0)
    if mask.shape[1] == len(columns):
        place = {name: j for j, name in enumerate(columns)}
        return np.asarray(mask[:, [place[name] for name in names]] != 0)
    problems.append(f"the mask of interventions has {mask.shape[1]} columns: {want}")
    return None


def _labels_of_rows(given: Any, n: int) -> bool:
    """Say whether what was given as a mask is one label a row."""
    try:
        flat = np.asarray(given, dtype=object)
    except ValueError:  # rows of unequal length
        return False
    return flat.shape == (n,) and any(isinstance(value, str) for value in flat)


def _by_title(
    mask: BoolArray,
    titles: list[str],
    names: Sequence[Hashable],
    columns: Sequence[Hashable],
    problems: list[str],
) -> BoolArray:
    found = np.zeros((len(mask), len(names)), dtype=bool)
    place, known = {str(name): j for j, name in enumerate(names)}, {str(name) for name in columns}
    for k, title in enumerate(titles):
        if title in place:
            found[:, place[title]] = mask[:, k]
        elif title not in known:
            problems.append(
                f"the mask of interventions names {title!r}, which is no column{closest(title, place)}"
            )
    return found
