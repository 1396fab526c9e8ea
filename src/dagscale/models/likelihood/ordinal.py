"""The cumulative logit of a child of ordered levels, row by row.

    P(y <= k | x) = F(α_k - η),   F the logistic function, α_1 < ... < α_{K-1} free.

Two levels make it a logistic regression. Levels have probabilities, not densities; a density over rounding cells has
the same factor with and without parents, so its nats compare with those of other columns.
"""

from typing import NamedTuple

import numpy as np

from dagscale.runtime.types import FloatArray, IntArray

LEAST = 1e-10  # probability


class Rows(NamedTuple):
    """Derivatives of the log likelihood at thresholds (K - 1,) and predictors (n,).

    Attributes
    ----------
    log_likelihood : float
    thresholds, predictor : (K - 1,) and (n,) float arrays
        First derivatives.
    diagonal, beside : (K - 1,) and (K - 2,) float arrays
        Fisher's information of the thresholds: its diagonal, and what is next to it.
    across, weight : (K - 1, n) and (n,) float arrays
        Fisher's information between thresholds and predictor, and of the predictor.
    cumulative : (K + 1, n) float array
        P(y < k), k = 0 .. K.
    """

    log_likelihood: float
    thresholds: FloatArray
    predictor: FloatArray
    diagonal: FloatArray
    beside: FloatArray
    across: FloatArray
    weight: FloatArray
    cumulative: FloatArray


def by_row(y: IntArray, alpha: FloatArray, eta: FloatArray) -> Rows:
    """Differentiate P(y <= k) = F(alpha_k - eta)."""
    n, K, rows = len(y), len(alpha) + 1, np.arange(len(y))
    cumulative, around = np.zeros((K + 1, n)), np.zeros((K + 1, n))
    F = 1.0 / (1.0 + np.exp(np.clip(eta - alpha[:, None], -35.0, 35.0)))  # (K - 1, n)
    cumulative[1:-1], cumulative[-1] = F, 1.0
    f = around[1:-1]
    np.multiply(F, 1.0 - F, out=f)
    P = np.maximum(cumulative[1:] - cumulative[:-1], LEAST)  # (K, n)
    fall = around[1:] - around[:-1]  # f_k - f_{k-1}, (K, n)
    inverse = 1.0 / P
    share = fall * inverse
    own = inverse[y, rows]
    above, below = around[y + 1, rows] * own, around[y, rows] * own
    return Rows(
        -float(np.log(own).sum()),
        np.asarray(np.bincount(y, above, K)[:-1] - np.bincount(y, below, K)[1:], dtype=np.float64),
        below - above,
        (f * f * (inverse[:-1] + inverse[1:])).sum(axis=1),
        -(f[:-1] * f[1:] * inverse[1:-1]).sum(axis=1),
        f * (share[1:] - share[:-1]),
        (fall * share).sum(axis=0),
        cumulative,
    )


def threshold_information(at: Rows) -> FloatArray:
    """Return Fisher's information of the thresholds (K - 1, K - 1)."""
    return np.diag(at.diagonal) + np.diag(at.beside, 1) + np.diag(at.beside, -1)
