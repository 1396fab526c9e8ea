"""Marginal screening: pairs of columns of which one explains part of the other by a smooth function.

With Q_i the orthonormal splines of column i, R²(j | i) = |Q_i' x_j|² / |x_j|²: all d² pairs are one matrix
product, made in blocks. A pair stays when its F test passes a Bonferroni level in either direction, and at
most `most` partners of a column are kept, the strongest first. What has no marginal effect (a parent that
acts only through an interaction) is missed here and left to the evidence's own screen.
"""

import numpy as np
from scipy.special import betainc

from dagscale.models.splines import SplineTable
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

CELLS = 8_000_000  # products computed at once: 64 MB a worker


def marginal_screen(
    table: SplineTable, level: float = 0.05, most: int = 12, n_jobs: int | None = None
) -> BoolArray:
    """Return the pairs worth a closer look, a symmetric (d, d) mask.

    Parameters
    ----------
    table : SplineTable
    level : float
        Chance that one column gets a false partner.
    most : int
        Partners chosen per column; symmetry may give it more.
    n_jobs : int or None
    """
    d = len(table.means)
    table.prepare()

    def look(some: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """List the pairs among the smallest p-values of either of their columns, seen from some columns."""
        p_values = pair_p_values(table, some)  # [explaining, explained]
        explaining = _smallest(p_values, most)
        own = _smallest(p_values.T, most).T  # only of this block; the block's best are enough
        parents, children = np.nonzero((explaining | own) & (p_values < level / d))
        return parents, some[children], p_values[parents, children]

    size = max(1, CELLS // max(1, int(table.starts[-1])))
    tasks = [np.arange(start, min(start + size, d)) for start in range(0, d, size)]
    found = parallel_map(look, tasks, n_jobs)
    first, second, p_values = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return _partners(d, first, second, p_values, most)


def _smallest(p_values: FloatArray, most: int) -> BoolArray:
    """Mark the smallest p-values of every column, ties by place."""
    marked = np.zeros(p_values.shape, dtype=bool)
    if len(p_values) <= most:
        return ~marked
    # argpartition would break ties at will: take all that tie with the last one, and sort those
    last = np.partition(p_values, most - 1, axis=0)[most - 1]
    rows, columns = np.nonzero(p_values <= last)
    sorting = np.lexsort((rows, p_values[rows, columns], columns))
    rows, columns = rows[sorting], columns[sorting]
    rank = np.arange(len(columns)) - np.searchsorted(columns, columns)
    marked[rows[rank < most], columns[rank < most]] = True
    return marked


def _partners(d: int, first: IntArray, second: IntArray, p_values: FloatArray, most: int) -> BoolArray:
    """Keep the `most` partners of each column of smallest p-value in either direction."""
    # A partner among the best by the smaller of its two p-values is among the best by that p-value alone,
    # so that the pairs listed are all there is to look at.
    columns, partners = np.concatenate([first, second]), np.concatenate([second, first])
    p_values = np.concatenate([p_values, p_values])
    sorting = np.lexsort((p_values, partners, columns))
    columns, partners, p_values = columns[sorting], partners[sorting], p_values[sorting]
    fresh = np.ones(len(columns), dtype=bool)
    fresh[1:] = (columns[1:] != columns[:-1]) | (partners[1:] != partners[:-1])
    columns, partners, p_values = columns[fresh], partners[fresh], p_values[fresh]
    sorting = np.lexsort((partners, p_values, columns))
    columns, partners = columns[sorting], partners[sorting]
    rank = np.arange(len(columns)) - np.searchsorted(columns, columns)
    kept = np.zeros((d, d), dtype=bool)
    kept[partners[rank < most], columns[rank < most]] = True
    return kept | kept.T


def pair_p_values(table: SplineTable, some: IntArray | None = None) -> FloatArray:
    """Test some columns against the splines of every other, [explaining, explained]; 1 on the diagonal."""
    n, d = table.n, len(table.means)
    some = np.arange(d) if some is None else some
    widths = table.widths
    explained = np.zeros((d, len(some)))
    filled = widths > 0
    products = table.against(some)
    explained[filled] = np.add.reduceat(np.square(products, out=products), table.starts[:-1][filled], axis=0)
    total = np.maximum(table.norms[some] ** 2, 1e-300)
    r2 = np.clip(explained / total, 0.0, 1.0 - 1e-15)
    free = np.maximum(n - 1 - widths, 1)[:, None]
    # P(F > f) = P(Beta(free / 2, width / 2) < 1 - R²)
    p_values: FloatArray = np.where(
        filled[:, None], betainc(free / 2, np.maximum(widths, 1)[:, None] / 2, 1.0 - r2), 1.0
    )
    p_values[some, np.arange(len(some))] = 1.0
    return p_values
