"""Which rows a method looks at where all of them would be too many, and what it says about it."""

import numpy as np

from dagscale.types import FloatArray, IntArray

ORDER = "edges were tested on all rows; the order (setting max_rows)"
KERNEL_ROWS = 4000  # the Stein estimator keeps several (n, n) matrices and factors one for every leaf: 128 MB


def drawn_rows(n: int, most: int) -> IntArray:
    """Draw at most so many of n rows, in their order; the same every time."""
    return np.sort(np.random.default_rng(0).permutation(n)[:most])


def some_rows(X: FloatArray, most: int, what: str = ORDER) -> tuple[FloatArray, tuple[str, ...]]:
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
    return X[drawn_rows(n, most)], (f"{what} looked at {most:,} of the {n:,} rows, drawn at random",)
