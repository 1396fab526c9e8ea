"""Which rows are looked at where all of them would be too many: the one place where rows are drawn."""

import numpy as np

from dagscale.runtime.types import FloatArray, IntArray

ORDER = "edges were tested on all rows; the order (setting max_rows)"
KERNEL_ROWS = 4000  # the Stein estimator keeps several (n, n) matrices and factors one for every leaf: 128 MB


def shuffled_rows(n: int) -> IntArray:
    """Put n rows in a random order, the same every time: any leading part is a random subsample."""
    return np.random.default_rng(0).permutation(n)


def drawn_rows(n: int, most: int) -> IntArray:
    """Draw at most so many of n rows, in their order; the same every time."""
    return np.sort(shuffled_rows(n)[:most])


def subsample(X: FloatArray, most: int, what: str = ORDER) -> tuple[FloatArray, tuple[str, ...]]:
    """Return at most so many rows of X, and a note if they are not all.

    Parameters
    ----------
    X : (n, d) float array
    most : int
    what : str
        Subject of the note.
    """
    n = len(X)
    if n <= most:
        return X, ()
    return X[drawn_rows(n, most)], (drawn_note(what, most, n),)


def drawn_note(what: str, used: int, n: int) -> str:
    """Say that only some of the rows were looked at."""
    return f"{what} looked at {used:,} of the {n:,} rows, drawn at random"


def evenly_spaced_rows(n: int, rows: int) -> IntArray:
    """Pick at most `rows` evenly spaced rows: the same table gives the same ones."""
    return np.unique(np.linspace(0, n - 1, min(n, rows)).round().astype(np.intp))
