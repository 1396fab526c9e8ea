"""Ties between columns, decided by what the columns hold: the table's column order must not count.

Two columns of zeros and ones, a column and a function of it, or few rows: what a search compares is then
equal in exact arithmetic, and rounding, or the place in the table, would choose.
"""

import numpy as np

from dagscale.runtime.types import FloatArray, IntArray

TINY = np.finfo(float).tiny
DIGITS = 9  # correlations that differ beyond these are equal in size
EQUAL = 1e-9  # values that differ by less than this share of their size are equal


def content_rank(X: FloatArray) -> IntArray:
    """Rank the columns of X (n, d) by their content, wherever they stand in the table and whatever their units are.

    By the size of the correlation with one fixed random vector, which no two different columns share. A column and its
    copy in other units do: there the units decide.
    """
    weights = np.random.default_rng(0).standard_normal(len(X))
    centred = X - X.mean(axis=0)
    products = centred.T @ weights
    correlations = np.abs(products) / np.maximum(np.linalg.norm(centred, axis=0), TINY)
    rank = np.empty(X.shape[1], dtype=np.intp)
    rank[np.lexsort((products, correlations.round(DIGITS)))] = np.arange(X.shape[1])
    return rank


def first_least(values: FloatArray, rank: IntArray, scale: float | None = None) -> int:
    """Return the place of the least value; of several equal ones, that of the least rank.

    Parameters
    ----------
    values : (m,) float array
    rank : (m,) int array
    scale : float, optional
        Size of the numbers that the values came from, which rounding is a share of; by default the least
        value's own.
    """
    least = float(values.min())
    if not np.isfinite(least):
        return int(values.argmin())
    tied = np.flatnonzero(values <= least + EQUAL * (abs(least) if scale is None else scale))
    return int(tied[rank[tied].argmin()]) if len(tied) else int(values.argmin())
