"""The levels of the rows that are used: those that occur, rare ones of categories pooled; one-hot groups noticed."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from dagscale.inputs.kinds import BINARY, CATEGORICAL, CODED
from dagscale.inputs.table.problems import listed
from dagscale.inputs.table.recognise import MOST_LEVELS, Levels, rare_rows
from dagscale.runtime.errors import shown
from dagscale.runtime.face import spelled
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

OTHER = "other"
TRIES = 200  # columns looked at for a one-hot group


def settle_levels(
    X: FloatArray, names: Sequence[Hashable], kinds: list[str], levels: list[Levels]
) -> tuple[list[str], list[str]]:
    """Number the levels that occur in X (n, d), pooling rare ones of categories; all but the names is changed in place.

    Returns
    -------
    notes : list of str
    problems : list of str
    """
    pooled, problems = [], []
    for j, kind in enumerate(kinds):
        own = levels[j]
        if kind not in CODED or own is None:
            continue
        codes = X[:, j].astype(np.intp)
        count = np.bincount(codes, minlength=len(own))
        new, kept = _numbered(own, count, rare_rows(len(X)) if kind == CATEGORICAL else 0)
        X[:, j] = new[codes]
        levels[j] = kept
        rare = [own[k] for k in np.flatnonzero(count) if own[k] not in kept]
        if rare:
            pooled.append(f"{shown(names[j])} ({listed(rare, 3)})")
        if len(kept) == 2:
            kinds[j] = BINARY
        if len(kept) > MOST_LEVELS:
            problems.append(
                f"column {shown(names[j])} has {len(kept)} levels, more than {MOST_LEVELS}: "
                f"join some, or leave it out with {spelled('drop', [names[j]])}"
            )
    if not pooled:
        return [], problems
    more = f" and {len(pooled) - 5} more" if len(pooled) > 5 else ""
    least = int(np.ceil(rare_rows(len(X))))
    return [f"levels of fewer than {least} rows pooled as {OTHER!r}: {', '.join(pooled[:5])}{more}"], problems


def _numbered(own: tuple[Any, ...], count: IntArray, least: float) -> tuple[FloatArray, tuple[Any, ...]]:
    """Return every old code's new one, and the levels that are left; fewer than two rare levels are not pooled."""
    there = np.flatnonzero(count)
    rare = [k for k in there if count[k] < least]
    if len(rare) < 2 or len(rare) == len(there):
        rare = []
    kept = [own[k] for k in there if k not in rare]
    if rare and OTHER not in kept:
        kept = [*kept, OTHER]
    place = {level: float(k) for k, level in enumerate(kept)}
    new = np.zeros(len(own))
    for k in there:
        new[k] = place[OTHER if k in rare else own[k]]
    return new, tuple(kept)


def one_hot_notes(X: FloatArray, names: Sequence[Hashable], kinds: Sequence[str]) -> list[str]:
    """Name groups of 0/1 columns of X of which every row has exactly one: a category taken apart."""
    binary = [j for j, kind in enumerate(kinds) if kind == BINARY]
    notes = []
    while len(binary) > 2:
        ones: BoolArray = X[:, binary] == 1
        group = _cover(ones, ones[:, 0], [0], [TRIES])
        if group is None or len(group) < 3:
            binary = binary[1:]
            continue
        apart = [names[binary[k]] for k in group]
        notes.append(
            f"exactly one of {listed(apart)} is 1 in every row: one category taken apart; join them into one "
            f"column of labels, or leave them out with {spelled('drop', apart)}: links among them mean nothing"
        )
        binary = [j for k, j in enumerate(binary) if k not in group]
    return notes


def _cover(ones: BoolArray, covered: BoolArray, group: list[int], tries: list[int]) -> list[int] | None:
    """Return columns of `ones` (n, d), those of `group` first, that add up to 1 in every row; None if not found.

    The first row without a 1 needs one of the columns that have it there and nothing where the group has it. `tries`
    counts down over the whole search.
    """
    if covered.all():
        return sorted(group)
    row = int(np.argmin(covered))
    for k in np.flatnonzero(ones[row]).tolist():
        tries[0] -= 1
        if tries[0] < 0:
            return None
        if not (covered & ones[:, k]).any():
            found = _cover(ones, covered | ones[:, k], [*group, k], tries)
            if found is not None:
                return found
    return None
