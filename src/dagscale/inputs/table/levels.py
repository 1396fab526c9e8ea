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
    if len(binary) < 3:
        return []
    ones: BoolArray = X[:, binary] == 1
    notes, start = [], 0
    while start < len(binary) - 2:
        end = _group_end(ones, start)
        if end:
            group = [names[j] for j in binary[start:end]]
            notes.append(
                f"exactly one of {listed(group)} is 1 in every row: one category taken apart; join them into one "
                f"column of labels, or leave them out with {spelled('drop', group)}: links among them mean nothing"
            )
        start = end or start + 1
    return notes


def _group_end(ones: BoolArray, start: int) -> int:
    """Return where the columns from `start` on first add up to 1 in every row; 0 where they never do."""
    total = ones[:, start].copy()
    for end in range(start + 1, ones.shape[1]):
        if (total & ones[:, end]).any():
            return 0
        total |= ones[:, end]
        if total.all():
            return end + 1 if end > start + 1 else 0
    return 0
