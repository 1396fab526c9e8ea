"""Is anything left between two columns? Tests of independence for all pairs from one matrix product.

Each column is replaced by its ranks u in (0, 1) and those by the waves cos(k pi u), k = 1..4: bounded,
centred and, without ties, orthogonal. With q_ak the waves of column a, orthonormal, every q_ak' q_bl has mean
0 and variance 1 / (n - 1) under permutations of the rows, and

    T = (n - 1) sum_kl (q_ak' q_bl)^2

is close to chi-squared when a and b are independent. Over all 16 cells this is HSIC (Gretton et al. 2008)
with a kernel of finite rank: it sees trends and changes of spread, skew and tails, and ranks keep outliers
from deciding. Between a cause and the residual of its effect the fit has emptied the cells of the trend, and
what a hidden common cause leaves lies mostly in two cells, the spread of the residual (l = 2) along the cause
(k = 1, 2): `spread` looks at those alone. The effect size is sqrt((T - cells) / (n - 1)), like a correlation.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from dagscale.runtime.types import FloatArray

WAVES = 4


@dataclass(frozen=True)
class Dependence:
    """All pairs between two sets of columns.

    Attributes
    ----------
    size : (a, b) float array
        Effect size, 0 where there is no more than chance explains.
    p_values : (a, b) float array
        1 where a column is constant.
    """

    size: FloatArray
    p_values: FloatArray


def waves(X: FloatArray) -> FloatArray:
    """Return the orthonormal rank waves of every column of X (n, d), as (WAVES, n, d).

    A column of m values has m - 1 of them at most; the others are 0.
    """
    found = np.zeros((WAVES, *X.shape))
    for j, x in enumerate(X.T):
        values, where, counts = np.unique(x, return_inverse=True, return_counts=True)
        width = min(WAVES, len(values) - 1)
        u = (np.cumsum(counts) - counts / 2) / len(x)  # mid-ranks, so that equal values stay equal
        basis = np.cos(np.pi * np.outer(u, np.arange(1, width + 1)))[where]  # (n, width)
        found[:width, :, j] = np.linalg.qr(basis - basis.mean(axis=0))[0].T
    return found


def dependence(A: FloatArray, B: FloatArray) -> Dependence:
    """Test every column of A against every column of B by all cells; waves (w, n, a) and (w, n, b)."""
    n = A.shape[1]
    squares = np.zeros((A.shape[2], B.shape[2]))
    cells = np.zeros_like(squares)
    for one in A:
        for other in B:
            squares += (one.T @ other) ** 2
            cells += np.outer(one.any(axis=0), other.any(axis=0))
    statistic = (n - 1) * squares
    p_values = np.where(cells > 0, chdtrc(np.maximum(cells, 1), statistic), 1.0)
    return Dependence(np.sqrt(np.maximum(statistic - cells, 0) / max(n - 1, 1)), p_values)


def spread(causes: FloatArray, residuals: FloatArray) -> Dependence:
    """Test whether the spread of every residual changes along every cause, by two cells."""
    return dependence(causes[:2], residuals[1:2])


def p_of_size(size: FloatArray, n: int) -> FloatArray:
    """p-values of effect sizes of the test by all cells, on n rows; 1 where no size is above chance."""
    cells = WAVES * WAVES
    p_values: FloatArray = np.where(size > 0, chdtrc(cells, cells + (n - 1) * np.square(size)), 1.0)
    return p_values
