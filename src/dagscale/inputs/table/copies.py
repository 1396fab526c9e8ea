"""Rows that copy others: whether that is chance, as rounding makes it, or the same row entered twice."""

import numpy as np

from dagscale.runtime.types import FloatArray

LOOKED_AT = 2000  # rows that tell how many values a column has
BY_CHANCE = (
    4.0  # copies for each row one step from another that rounding explains: values heap at round numbers
)
MOST_VALUED = 10  # columns in which rows may differ by one step


def copied_rows(X: FloatArray) -> int:
    """Count the rows of X (n, d) that copy another one; 0 where rounding explains it.

    Rounded values meet by chance, and about as often as they miss each other by one step. So the copies are held
    against the rows that differ from another by one step in a single column.
    """
    some = X[:: max(1, len(X) // LOOKED_AT)]
    values = np.array([len(np.unique(column)) for column in some.T])
    most = np.argsort(-values, kind="stable")[:MOST_VALUED]
    if len(np.unique(X[:, most[0]])) == len(X):
        return 0
    every = _hashed(X)
    copies = len(every) - len(np.unique(every))
    if not copies:
        return 0
    near = max(_near(X[:, j], every - _hashed(X[:, [j]], j)) for j in most.tolist())
    return copies if copies > BY_CHANCE * near else 0


def _hashed(X: FloatArray, first: int = 0) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Sum up a hash of every value of a row (n,), each column's its own; columns begin to count with `first`."""
    total = np.zeros(len(X), dtype=np.uint64)
    for j, column in enumerate(X.T, first):
        bits = np.ascontiguousarray(column + 0.0).view(np.uint64).copy()  # -0.0 and 0.0 are one value
        bits *= np.uint64(0x9E3779B97F4A7C15)
        bits ^= bits >> np.uint64(29)
        bits += np.uint64((2 * j + 1) * 0xBF58476D1CE4E5B9 % 2**64)
        bits *= np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(32)
        bits *= np.uint64((2 * j + 1) * 0xD6E8FEB86659FD93 % 2**64)
        total += bits
    return total


def _near(x: FloatArray, others: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> int:
    """Count the rows (n,) with a neighbour: one that has equal `others`, and the next or previous value of x."""
    code = np.unique(x, return_inverse=True)[1].reshape(-1)
    order = np.lexsort((code, others))
    others, code = others[order], code[order]
    first = np.flatnonzero(np.append(True, (np.diff(code) != 0) | (others[1:] != others[:-1])))
    rows = np.diff(np.append(first, len(code)))
    step = (others[first][1:] == others[first][:-1]) & (np.diff(code[first]) == 1)
    return int(rows[np.append(step, False) | np.append(False, step)].sum())
