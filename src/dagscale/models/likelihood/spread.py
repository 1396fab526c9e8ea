"""The spread of the noise as a function of the parents: location-scale models.

    y = m(x) + σ e^{s(x)} e,   s = F c,   c_k ~ N(0, v_k),

F (n, k) being a few smooth features of every parent. Mean and spread are fitted in turn: s by Fisher scoring on squared
residuals, whose information 2 F'F does not change; m by weighted least squares with the smoothness found before.
Evidence by Laplace's method.
"""

from typing import NamedTuple

import numpy as np

from dagscale.models.likelihood import mean
from dagscale.runtime.types import FloatArray, IntArray

FUNCTIONS = 3  # of each parent: the straight line and two curves
# prior deviations of their coefficients: log spread over standard scores
DEVIATIONS = np.array([0.7, 0.35, 0.35])
ROUNDS = 2  # of spread and mean in turn
STEPS = 4  # of Fisher scoring in each
LARGEST = 3.0  # |s|: spread differs by a factor of 20 from its middle at most
PRICE = 1.5  # nats that a coefficient costs at least: a spread that promises less is not fitted


class Spreads(NamedTuple):
    """Fitted location-scale models of B items.

    Attributes
    ----------
    gain : (B,) float array
        Nats over the child alone, noise over its spread taken for normal.
    z : (B, n) float array
        Residuals over their spread.
    log_spread : (B, n) float array
        s.
    """

    gain: FloatArray
    z: FloatArray
    log_spread: FloatArray


class Features(NamedTuple):
    """Features of the spread of B items, and what their scoring needs, whatever the residuals.

    Attributes
    ----------
    values : (B, k, n) float array
        Centred, of mean square 1.
    variance : (k,) float array
        Of their coefficients a priori.
    inverse : (B, k, k) float array
        Of their information with the prior's.
    log_det : (B,) float array
        Nats that the number of coefficients costs.
    """

    values: FloatArray
    variance: FloatArray
    inverse: FloatArray
    log_det: FloatArray

    @classmethod
    def of(cls, F: FloatArray, gram: FloatArray) -> "Features":
        """Prepare features F (B, k, n) with their products."""
        v = np.tile(DEVIATIONS, F.shape[1] // FUNCTIONS) ** 2
        log_det = 0.5 * np.linalg.slogdet(np.eye(len(v)) + 2.0 * gram * v)[1]
        inverse = np.asarray(np.linalg.inv(2.0 * gram + np.diag(1.0 / v)), dtype=np.float64)
        return cls(F, v, inverse, np.asarray(log_det, dtype=np.float64))


def promised(R: FloatArray, F: FloatArray, gram: FloatArray) -> FloatArray:
    """Nats (B,) that spreads by centred features F (B, k, n) would gain to second order, less `PRICE` a coefficient.

    R (B, n) are residuals with a constant spread, `gram` the features' products.
    """
    squares = R * R
    squares /= np.maximum(squares.mean(axis=1, keepdims=True), 1e-300)
    k, n = F.shape[1:]
    g = np.matmul(F, (squares - 1.0)[..., None])
    H = gram + 1e-6 * n * np.eye(k)
    nats: FloatArray = 0.25 * np.sum(g * np.linalg.solve(H, g), axis=(1, 2)) - PRICE * k
    return nats


def fit(
    Y: FloatArray, Z: FloatArray, fitted: FloatArray, roughness: FloatArray, term: IntArray, tau: FloatArray,
    F: Features,
) -> Spreads:  # fmt: skip
    """Fit a stack of items.

    Parameters
    ----------
    Y : (B, n) float array
        The children, centred.
    Z : (B, q, n) float array
        Functions of the parents, orthonormal by parent.
    fitted : (B, n) float array
        Means with a constant spread.
    roughness, term, tau : (B, q), (q,) and (B, terms) arrays
        As in `mean.fit`.
    F : Features
    """
    B, n = Y.shape
    Z1 = np.concatenate([Z, np.full((B, 1, n), n**-0.5)], axis=1)  # weights uncentre the columns
    Zw = np.empty_like(Z1)
    # a constant, with the information of one row
    rough = np.concatenate([roughness, np.zeros((B, 1))], axis=1)
    terms = np.append(term, term.max(initial=0))
    c = None
    for _ in range(ROUNDS):
        c, s, occam = scored(Y - fitted, F, c)
        w = np.exp(-s)
        Zw, Yw = np.multiply(Z1, w[:, None], out=Zw), Y * w
        yy = np.einsum("bn,bn->b", Yw, Yw)
        found = mean.fit(
            np.matmul(Zw, Zw.mT), np.matmul(Zw, Yw[..., None])[..., 0], yy, n, rough, terms, tau, rounds=3
        )
        tau, fitted = found.tau, np.matmul(found.beta[:, None], Z1)[:, 0]
    own = np.einsum("bn,bn->b", Y, Y)
    gain = found.gain + 0.5 * np.log(n) - 0.5 * n * np.log(yy / own) - s.sum(axis=1) - occam
    return Spreads(gain, (Y - fitted) * w, s)


def scored(R: FloatArray, F: Features, c: FloatArray | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log spreads of residuals R (B, n) by features F and Fisher scoring.

    Returns coefficients (B, k), log spreads (B, n), and what their prior and their number cost in nats (B,).
    """
    v, n = F.variance, R.shape[1]
    squares = R * R
    squares += 1e-12 * squares.mean(axis=1, keepdims=True)
    c = np.zeros((len(R), len(v))) if c is None else c
    s = log_spread(F, c)
    for _ in range(STEPS):
        w = squares * np.exp(-2.0 * s)
        w *= n / w.sum(axis=1, keepdims=True)
        w -= 1.0
        slope = np.matmul(F.values, w[..., None])[..., 0] - c / v
        step = np.matmul(F.inverse, slope[..., None])[..., 0]
        c = c + step * np.minimum(1.0, 1.0 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        s = log_spread(F, c)
    return c, s, F.log_det + 0.5 * (c * c / v).sum(axis=1)


def log_spread(F: Features, c: FloatArray) -> FloatArray:
    """Log spreads (B, n) with coefficients c (B, k)."""
    return np.asarray(np.clip(np.matmul(c[:, None], F.values)[:, 0], -LARGEST, LARGEST))
