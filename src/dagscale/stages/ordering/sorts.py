"""Orders that look at no causal signal: baselines every result has to beat.

Simulated data often betray their order by the variance of the columns (Reisach et al. 2021) or by how
well the others predict them (Reisach et al. 2023): both grow along the order.
"""

import heapq

import numpy as np

from dagscale.runtime.types import BoolArray, FloatArray, IntArray

COLLINEAR = 1e-9  # ridge on the correlations, so that copies of a column get R² ≈ 1 and not an error
TOO_FEW_ROWS = 0.1  # ridge where rows are no more than columns, and every R² would be 1


def order_by_priority(priority: FloatArray, before: BoolArray | None = None) -> IntArray:
    """Sort the columns by priority, least first, as far as a partial order lets them.

    Among the columns whose predecessors are all placed, the one of least priority (then of least
    index) is placed next.

    Parameters
    ----------
    priority : (d,) array
    before : (d, d) bool array, optional
        [i, j]: i precedes j; acyclic.
    """
    if before is None:
        return np.argsort(priority, kind="stable")
    waiting_for = before.sum(axis=0)
    ready = [(float(priority[v]), int(v)) for v in np.flatnonzero(waiting_for == 0)]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, v = heapq.heappop(ready)
        order.append(v)
        waiting_for[before[v]] -= 1
        for child in np.flatnonzero(before[v] & (waiting_for == 0)):
            heapq.heappush(ready, (float(priority[child]), int(child)))
    return np.array(order, dtype=np.intp)


def variance_order(X: FloatArray, before: BoolArray | None = None, descending: bool = False) -> IntArray:
    """Sort the columns of X (n, d) by their variance, least first unless `descending`."""
    return order_by_priority(_signed(X.var(axis=0), descending), before)


def r2_order(X: FloatArray, before: BoolArray | None = None, descending: bool = False) -> IntArray:
    """Sort the columns of X (n, d) by how well the others predict them linearly, worst first."""
    return order_by_priority(_signed(r2_given_others(X), descending), before)


def random_order(d: int, rng: np.random.Generator, before: BoolArray | None = None) -> IntArray:
    """Order d columns at random."""
    return order_by_priority(rng.random(d), before)


def r2_given_others(X: FloatArray) -> FloatArray:
    """R² of the linear regression of every column of X (n, d) on all others, (d,).

    R²_j = 1 - 1 / (C⁻¹)_jj with C the correlations: one inverse serves all columns. Where rows are
    no more than columns, C gets a ridge of `TOO_FEW_ROWS` and the values only rank the columns.
    Constant columns have R² = 0.
    """
    n, d = X.shape
    centred = X - X.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    constant = lengths <= np.finfo(np.float64).eps * np.sqrt(n) * np.abs(X).max(axis=0)
    Z = np.where(constant, 0.0, centred / np.where(constant, 1.0, lengths))
    C = Z.T @ Z
    C[np.diag_indices(d)] = 1 + (COLLINEAR if n > d + 1 else TOO_FEW_ROWS)
    residual_variance = 1 / np.linalg.inv(C).diagonal()
    return np.asarray(1 - residual_variance / C.diagonal())


def _signed(values: FloatArray, descending: bool) -> FloatArray:
    return -values if descending else values
