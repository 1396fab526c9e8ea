"""Wide tables with conditions: columns share sets of rows, so that there are few likelihoods to keep.

A child is told of by the rows in which it was not set, so that a thousand columns that were set have a thousand sets
of rows, each with the functions of all columns. Here columns share one of a few sets: a child then also does without
the rows in which others of its set were set. That loses rows, never makes wrong ones count. The rows in which a likely
parent was set tell most of a child, so columns that are likely to be joined do not share a set if that can be helped.
"""

import numpy as np

from dagscale.methods.auto.settings import SETTINGS
from dagscale.runtime.types import BoolArray

BYTES = 4e9  # of all likelihoods together, about
A_CELL = 8 * 9 * 4  # bytes: the functions of a column, and what else is kept of it, on two scales
MOST = 12  # sets
JOINED = 1e6  # rows that columns which are likely to be joined would lose by sharing


def shared_sets(left_out: BoolArray, near: BoolArray) -> BoolArray:
    """Return cells (n, d) to leave out, `left_out` among them, that are the same for many columns.

    Parameters
    ----------
    left_out : (n, d) bool array
    near : (d, d) bool array
        Columns that are likely to be joined.
    """
    n, d = left_out.shape
    most = int(np.clip(BYTES / (A_CELL * n * d), 2, MOST))
    patterns, which = np.unique(left_out.T, axis=0, return_inverse=True)
    which = which.reshape(-1)
    if d <= SETTINGS.narrow_table or len(patterns) - 1 <= most:
        return left_out
    members = [np.flatnonzero(which == k) for k in range(len(patterns))]
    near = near | near.T
    union = np.zeros((most, n), dtype=bool)
    inside: list[list[int]] = [[] for _ in range(most)]
    for k in np.flatnonzero(patterns.any(axis=1)):
        own, columns = patterns[k], members[k]
        both = (union | own).sum(axis=1)
        joined = np.array([near[columns][:, some].sum() for some in inside])
        held = np.array([len(some) for some in inside])
        lost = (both - union.sum(axis=1)) * held + np.where(held, both - own.sum(), 0) * len(columns)
        best = int(np.argmin(lost + JOINED * joined))
        union[best] |= own
        inside[best] += columns.tolist()
    found = left_out.copy()
    for some, rows in zip(inside, union, strict=True):
        found[:, some] = rows[:, None]
    return found
