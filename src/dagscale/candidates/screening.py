"""Marginal screening: pairs of columns of which one explains part of the other by a smooth function.

With Q_i the orthonormal splines of column i, R²(j | i) = |Q_i' x_j|² / |x_j|²: all d² pairs are one matrix
product. A pair stays when its F test passes a Bonferroni level in either direction, and at most `most`
partners of a column are kept, the strongest first. What has no marginal effect (a parent that acts only
through an interaction) is missed here and left to the evidence's own screen.
"""

import numpy as np
from scipy.special import betainc

from dagscale.splines import SplineTable
from dagscale.types import BoolArray, FloatArray


def marginal_screen(table: SplineTable, level: float = 0.05, most: int = 12) -> BoolArray:
    """Return the pairs worth a closer look, a symmetric (d, d) mask.

    Parameters
    ----------
    table : SplineTable
    level : float
        Chance that one column gets a false partner.
    most : int
        Partners chosen per column; symmetry may give it more.
    """
    p_values = pair_p_values(table)
    d = len(p_values)
    p_values = np.minimum(p_values, p_values.T)
    ranks = np.argsort(np.argsort(p_values, axis=0, kind="stable"), axis=0, kind="stable")
    kept: BoolArray = (p_values < level / d) & (ranks < most)
    return kept | kept.T


def pair_p_values(table: SplineTable) -> FloatArray:
    """Test every column against the splines of every other, [explaining, explained]; 1 on the diagonal."""
    n, d = table.X.shape
    widths = np.diff(table.starts)
    explained = np.zeros((d, d))
    filled = widths > 0
    explained[filled] = np.add.reduceat(table.products**2, table.starts[:-1][filled], axis=0)
    total = np.maximum((table.X**2).sum(axis=0), 1e-300)
    r2 = np.clip(explained / total, 0.0, 1.0 - 1e-15)
    free = np.maximum(n - 1 - widths, 1)[:, None]
    # P(F > f) = P(Beta(free / 2, width / 2) < 1 - R²)
    p_values: FloatArray = np.where(
        filled[:, None], betainc(free / 2, np.maximum(widths, 1)[:, None] / 2, 1.0 - r2), 1.0
    )
    np.fill_diagonal(p_values, 1.0)
    return p_values
