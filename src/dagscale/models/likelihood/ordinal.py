"""A child of few values: the cumulative logit of additive curves of its parents.

    P(y <= k | x) = F(α_k - Σ_i f_i(x_i)),   F the logistic function, α_1 < ... < α_{K-1} free.

Two values make it a logistic regression. Values have probabilities, not densities; a density over rounding cells has
the same factor with and without parents, so its nats compare with those of other columns. Evidence by Laplace's method
with normal priors on the coefficients of the first functions of every parent, and Fisher's information.
"""

from typing import NamedTuple

import numpy as np

from dagscale.runtime.types import FloatArray, IntArray

VARIANCES = np.array(
    [4.0, 1.0, 0.5, 0.25]
)  # of the coefficients of the line and of curves of mean square 1, in logits
ITERATIONS = 15
LEAST = 1e-10  # probability


class Ordinal(NamedTuple):
    """Nats over the child alone, the share of the deviance left, and the log probability of every row (n,)."""

    gain: float
    left: float
    rows: FloatArray


def fit(y: IntArray, Z: FloatArray, functions: int, straight: bool) -> Ordinal:
    """Fit levels y (n,), 0 .. K - 1, all present, on functions Z (n, p * functions) of mean square 1.

    The first of each parent is its straight line, which alone is used if `straight`. A parent of few values has
    columns of zeros behind; they cost nothing.
    """
    variances = np.tile(VARIANCES[:functions], Z.shape[1] // functions)
    used = (Z != 0.0).any(axis=0) & (~np.asarray(straight) | (np.arange(Z.shape[1]) % functions == 0))
    Z, variances = Z[:, used], variances[used]
    n, q = Z.shape
    K = int(y.max()) + 1
    share = np.bincount(y, minlength=K) / n
    own = float(n * (share * np.log(share)).sum())
    cumulative = np.cumsum(share)[:-1]
    alpha, beta = np.log(cumulative / (1.0 - cumulative)), np.zeros(q)
    precision = np.concatenate([np.zeros(K - 1), 1.0 / variances])
    null = _information(y, Z[:, :0], alpha, np.zeros(0))[2]
    at = np.concatenate([alpha, beta])
    log_likelihood, slope, H = _information(y, Z, alpha, beta)
    value = log_likelihood
    for _ in range(ITERATIONS):
        step = np.linalg.solve(H + np.diag(precision) + 1e-9 * np.eye(len(at)), slope - precision * at)
        promise = float((slope - precision * at) @ step)
        size, improved = 1.0, False
        while size > 1e-3:
            there = at + size * step
            if (np.diff(there[: K - 1]) > 0).all():
                trial = _information(y, Z, there[: K - 1], there[K - 1 :])
                penalised = trial[0] - 0.5 * float(precision @ there**2)
                if penalised >= value:
                    improved = True
                    break
            size *= 0.5
        if not improved:
            break
        at, value, (log_likelihood, slope, H) = there, penalised, trial
        if promise < 1e-3:
            break
    determinants = (
        np.linalg.slogdet(H + np.diag(precision))[1]
        - np.linalg.slogdet(null)[1]
        - np.log(precision[K - 1 :]).sum()
    )
    cumulative = by_row(y, at[: K - 1], Z @ at[K - 1 :]).cumulative
    rows = np.log(np.maximum(cumulative[y + 1, np.arange(n)] - cumulative[y, np.arange(n)], LEAST))
    return Ordinal(value - own - 0.5 * float(determinants), log_likelihood / own, rows)


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


def _information(
    y: IntArray, Z: FloatArray, alpha: FloatArray, beta: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Log likelihood, its gradient (K - 1 + q,) and Fisher's information at thresholds and coefficients."""
    at, K = by_row(y, alpha, Z @ beta), len(alpha) + 1
    slope = np.concatenate([at.thresholds, Z.T @ at.predictor])
    H = np.zeros((K - 1 + Z.shape[1],) * 2)
    H[: K - 1, : K - 1] = threshold_information(at)
    H[: K - 1, K - 1 :] = at.across @ Z
    H[K - 1 :, : K - 1] = H[: K - 1, K - 1 :].T
    H[K - 1 :, K - 1 :] = (Z * at.weight[:, None]).T @ Z
    return at.log_likelihood, slope, H
