"""How parents make their child: one function per mechanism, from the parents (n, p) to the signal (n,).

Each call draws a new random function and evaluates it on the rows. `scale` is the length scale of the
Gaussian processes; the others ignore it.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.linalg

from dagscale.runtime.types import FloatArray

Mechanism = Callable[[FloatArray, np.random.Generator, float], FloatArray]

EXACT_GP_ROWS = (
    3000  # beyond, a Gaussian process is drawn from random features: n³/3 grows past a second a node
)
FEATURES = 2000
ROWS_PER_BLOCK = 4096
JITTER = 1e-6  # on the unit diagonal, so that the kernel of nearly equal rows keeps its Cholesky factor
HIDDEN_UNITS = 20


def gaussian_process(P: FloatArray, rng: np.random.Generator, scale: float) -> FloatArray:
    """Draw f ~ GP(0, exp(-‖x - x'‖² / 2 scale²)) over all parents jointly."""
    if len(P) > EXACT_GP_ROWS:
        return _fourier_features(P, rng, scale)
    return _drawn_from(_rbf(P, scale), rng)


def additive_gaussian_process(P: FloatArray, rng: np.random.Generator, scale: float) -> FloatArray:
    """Draw Σᵢ fᵢ(xᵢ) with fᵢ ~ GP(0, RBF): one draw from the sum of the kernels."""
    columns = [P[:, [i]] for i in range(P.shape[1])]
    if len(P) > EXACT_GP_ROWS:
        signals = np.stack([_fourier_features(x, rng, scale) for x in columns])  # (p, n)
        total: FloatArray = signals.sum(axis=0)
        return total
    kernel = _rbf(columns[0], scale)
    for x in columns[1:]:
        kernel += _rbf(x, scale)
    return _drawn_from(kernel, rng)


def additive_sigmoid(P: FloatArray, rng: np.random.Generator, scale: float) -> FloatArray:
    """Draw Σᵢ a b(xᵢ + c) / (1 + |b(xᵢ + c)|), as in CAM (Bühlmann, Peters and Ernest 2014).

    a ~ 1 + Exp(4), |b| ~ U(0.5, 2) with a random sign, c ~ U(-2, 2), apart for each parent.
    """
    p = P.shape[1]
    a = 1 + rng.exponential(1 / 4, p)
    u = _signed_uniform(0.5, 2, p, rng) * (P + rng.uniform(-2, 2, p))
    signal: FloatArray = (u / (1 + np.abs(u))) @ a
    return signal


def multilayer_perceptron(P: FloatArray, rng: np.random.Generator, scale: float) -> FloatArray:
    """Draw a network with one hidden layer of 20 tanh units; its variance is about 2."""
    inner = rng.normal(0, 1.5, (P.shape[1], HIDDEN_UNITS))
    bias = rng.standard_normal(HIDDEN_UNITS)
    outer = rng.normal(0, 2 / np.sqrt(HIDDEN_UNITS), HIDDEN_UNITS)
    signal: FloatArray = np.tanh(P @ inner + bias) @ outer
    return signal


def polynomial(P: FloatArray, rng: np.random.Generator, scale: float) -> FloatArray:
    """Draw Σᵢ a cubic in xᵢ, a random direction over the orthonormal Hermite polynomials of degree 1 to 3.

    Parents are standardised on the sample and clipped at three standard deviations first: cubes of
    cubes would otherwise leave one row to dominate its column after a few generations.
    """
    z = np.clip(standardized(P), -3, 3)  # (n, p)
    hermite = np.stack([z, (z**2 - 1) / np.sqrt(2), (z**3 - 3 * z) / np.sqrt(6)])  # (3, n, p)
    weights = rng.standard_normal((3, P.shape[1]))
    weights /= np.linalg.norm(weights, axis=0)
    signal: FloatArray = np.einsum("knp,kp->n", hermite, weights)
    return signal


def sine(P: FloatArray, rng: np.random.Generator, scale: float) -> FloatArray:
    """Draw Σᵢ a sin(b xᵢ + c) with a, b ~ ±U(1, 2) and any phase c."""
    p = P.shape[1]
    a, b = _signed_uniform(1, 2, p, rng), _signed_uniform(1, 2, p, rng)
    signal: FloatArray = np.sin(b * P + rng.uniform(0, 2 * np.pi, p)) @ a
    return signal


def linear(P: FloatArray, rng: np.random.Generator, scale: float) -> FloatArray:
    """Draw Σᵢ w xᵢ with |w| ~ U(0.5, 2) and a random sign (NOTEARS)."""
    return P @ _signed_uniform(0.5, 2, P.shape[1], rng)


MECHANISMS: dict[str, Mechanism] = {
    "gp": gaussian_process,
    "gp-additive": additive_gaussian_process,
    "sigmoid-additive": additive_sigmoid,
    "mlp": multilayer_perceptron,
    "polynomial": polynomial,
    "sine": sine,
    "linear": linear,
}


def standardized(X: FloatArray) -> FloatArray:
    """Give every column mean 0 and variance 1 on the sample; constant columns become 0."""
    spread = X.std(axis=0)
    scaled: FloatArray = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return scaled


def _signed_uniform(low: float, high: float, size: int, rng: np.random.Generator) -> FloatArray:
    signed: FloatArray = rng.uniform(low, high, size) * rng.choice([-1.0, 1.0], size)
    return signed


def _rbf(P: FloatArray, scale: float) -> FloatArray:
    """Return exp(-‖x - x'‖² / 2 scale²), its exponent x·x' - ‖x‖²/2 - ‖x'‖²/2 from one product."""
    P = (P - P.mean(axis=0)) / scale
    half = -0.5 * np.einsum("np,np->n", P, P)[:, None]
    ones = np.ones_like(half)
    kernel: FloatArray = np.hstack([P, half, ones]) @ np.hstack([P, ones, half]).T  # (n, n)
    np.minimum(kernel, 0, out=kernel)
    return np.exp(kernel, out=kernel)


def _drawn_from(kernel: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw from N(0, kernel); the kernel is overwritten."""
    n = len(kernel)
    kernel[np.diag_indices(n)] *= 1 + JITTER
    # the transpose of a symmetric C-ordered matrix is the Fortran order LAPACK works on in place
    factor = scipy.linalg.cholesky(kernel.T, lower=True, overwrite_a=True, check_finite=False)
    signal: FloatArray = factor @ rng.standard_normal(n)
    return signal


def _fourier_features(P: FloatArray, rng: np.random.Generator, scale: float) -> FloatArray:
    """Draw from the Gaussian process of m random frequencies (Rahimi and Recht 2007).

    f(x) = Σ_k (a_k cos(w_k x) + b_k sin(w_k x)) / √m has variance 1 everywhere, and a covariance within
    O(1/√m) of the RBF kernel; n m p operations instead of n³.
    """
    frequencies = rng.standard_normal((P.shape[1], FEATURES)) / scale
    weights = rng.standard_normal((2, FEATURES)) / np.sqrt(FEATURES)
    block = partial(_wave, frequencies=frequencies, weights=weights)
    return np.concatenate([block(P[i : i + ROWS_PER_BLOCK]) for i in range(0, len(P), ROWS_PER_BLOCK)])


def _wave(P: FloatArray, frequencies: FloatArray, weights: FloatArray) -> FloatArray:
    # float32 costs a fifth for the waves; its rounding, about 1e-6, is below the jitter of the exact draws
    angle = (P @ frequencies).astype(np.float32)  # (rows, m)
    weights = weights.astype(np.float32)
    waves = np.cos(angle) @ weights[0] + np.sin(angle, out=angle) @ weights[1]
    signal: FloatArray = waves.astype(np.float64)
    return signal
