"""The density of noise, of any shape: its evidence over the normal density, in nats.

A sample z (n,), standardised, has the density

    p(z) ∝ φ(z) exp(η(z)),   η a Gaussian process over t = 2 asinh(z / 2),

a logistic Gaussian process (Leonard 1978) around the normal density. t is z in the middle and log z far out, so
that one process serves bodies and tails. With η = Φ a, a ~ N(0, I), on a grid of bins, the log posterior of a is
concave; Newton's method finds its maximum and Laplace's method the evidence

    log p(sample) - log φ(sample) = n (mean η - log Σ_b φ_b exp(η_b)) - |a|²/2 - log |H| / 2,

H the Hessian with the prior's identity. A density may have a (soft) edge at either end, for half of log n each: a
smooth process has none, exponential and uniform noise have. Several processes (smooth and rough ones) are
averaged, the normal density itself being one of them, so that normal samples gain nothing and lose little, and a
sharp edge is seen. Evidence is smooth in the data (bins are shared linearly between neighbours), so that two
nearly equal fits get nearly equal numbers: estimates from gaps between ordered values differ by several nats.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import log_ndtr

from dagscale.runtime.types import FloatArray

REACH = 7.0  # largest |t| of the grid: |z| = 33, which a standardised sample of 1000 does not pass
BINS = 161
SMOOTH = (1.0, 1.2)  # amplitude of η in the middle, length scale over t: Laplace, Gumbel, Student ...
ROUGH = (1.8, 0.4)  # ... and the edges of exponential and uniform noise, or many modes
SQUARE = 0.3  # prior deviation of the coefficient of z²: the tails' weight
VISIBLE = 5.0  # nats that the smooth process may lose where the rough one is still asked
# nats behind another density from which on one is not fitted to the end: it counts for e⁻¹⁵ of it
BEHIND = 15.0
KEPT = 1e-4  # share of a process's variance in the middle that its features may leave out
MOST = 36  # features of a process
KINDS = 6.0  # of densities that are averaged: the normal one, a smooth one with no, either or both edges, a rough one
SOFT = 0.05  # deviations: width of an edge
OUTERMOST = 0.02  # share of the sample whose mean is its place
ITERATIONS = 25
HALVINGS = 11  # of a Newton step
SOLVED = 1e-2  # nats that a Newton step promises


@dataclass(frozen=True)
class _Features:
    """A process on the grid.

    Attributes
    ----------
    values : (BINS, k) float array
        Φ: features whose coefficients are standard normal a priori.
    products : (BINS, k * k) float array
        All products of two features, for Hessians by one multiplication.
    """

    values: FloatArray
    products: FloatArray


@cache
def _grid() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return t and z of the bins, and the log mass that the normal density has in each (BINS,)."""
    t = np.linspace(-REACH, REACH, BINS)
    z = 2.0 * np.sinh(t / 2.0)
    log_mass = -0.5 * z * z + np.log(np.cosh(t / 2.0))  # dz = cosh(t / 2) dt
    log_mass -= np.log(np.exp(log_mass).sum())
    return t, z, log_mass


@cache
def _features(amplitude: float, scale: float) -> _Features:
    """Return the leading features of a process, as seen by samples around the middle."""
    t, z, _ = _grid()
    growth = 1.0 + (t / 2.0) ** 2  # the further out, the more a log density may differ from the normal one
    kernel = np.exp(-0.5 * ((t[:, None] - t) / scale) ** 2) * np.outer(growth, growth) * amplitude**2
    kernel += SQUARE**2 * np.outer(z * z - 1.0, z * z - 1.0) + np.outer(z, z)
    # Student's density with 3 degrees of freedom
    weight = np.sqrt(np.cosh(t / 2.0) / (1.0 + z * z / 3.0) ** 2)
    values, vectors = np.linalg.eigh(weight[:, None] * kernel * weight)
    values, vectors = values[::-1][:MOST], vectors[:, ::-1][:, :MOST]
    kept = values > KEPT * values[0]
    features = vectors[:, kept] * np.sqrt(values[kept]) / weight[:, None]
    products = (features[:, :, None] * features[:, None, :]).reshape(len(t), -1)
    return _Features(features, products.astype(np.float32))


def shape_evidence(Z: FloatArray) -> FloatArray:
    """Nats by which densities of free shape beat the normal one, (B,).

    Parameters
    ----------
    Z : (B, n) float array
        Samples, one a row; standardised here. A constant one gains 0.
    """
    T = _places(Z)
    counts, n = binned(T), Z.shape[1]
    none, smooth, rough = np.zeros((len(Z), BINS)), _features(*SMOOTH), _features(*ROUGH)
    nats = np.full((6, len(Z)), -np.inf)
    nats[0] = 0.0
    nats[1], a, height = _laplace(counts, n, smooth, none)
    some = np.flatnonzero(nats[1] > -VISIBLE)
    if len(some):
        edge = np.stack([np.zeros((len(some), BINS)), *_edges(T[some])])  # (4, B, BINS)
        price = np.array([0.0, 0.5, 0.5, 1.0]) * np.log(n)
        three = np.tile(some, 3)
        least = height[some] + price[1:, None] - BEHIND
        value, ends, _ = _laplace(
            counts[three], n, smooth, edge[1:].reshape(-1, BINS), a[three], least.ravel()
        )
        nats[2:5, some] = value.reshape(3, -1) - price[1:, None]
        ahead, at = nats[1:5, some].argmax(axis=0), np.arange(len(some))
        start = np.concatenate([a[some], ends])[ahead * len(some) + at] @ _across().T
        nats[5, some] = _laplace(counts[some], n, rough, edge[ahead, at], start)[0] - price[ahead]
    top = nats.max(axis=0)
    mean: FloatArray = top + np.log(np.exp(nats - top).sum(axis=0) / KINDS)
    return mean


def log_density(Z: FloatArray) -> FloatArray:
    """Log densities (B, n) of samples (B, n), one a row, at their own values, by the smooth process alone."""
    T, (t, _, log_mass) = _places(Z), _grid()
    smooth = _features(*SMOOTH)
    _, a, _ = _laplace(binned(T), Z.shape[1], smooth, np.zeros((len(Z), BINS)))
    power = a @ smooth.values.T + log_mass
    power -= np.logaddexp.reduce(power, axis=1, keepdims=True)
    power -= np.log(np.cosh(t / 2.0) * (t[1] - t[0]))  # of the bins' masses, densities in z
    deviation = np.maximum(Z.std(axis=1, keepdims=True), 1e-300)
    at = np.stack([np.interp(own, t, row) for own, row in zip(T, power, strict=True)])
    return np.asarray(at - np.log(deviation))


def _edges(T: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log weights of the bins for densities that end below, above, or on both sides, (B, BINS) each.

    An edge is a normal distribution function of deviation `SOFT`: what a mean fitted to the same rows leaves of it. Its
    place is the mean of the outermost values: it must not hang on one of them.
    """
    t, few = _grid()[0], max(2, round(OUTERMOST * T.shape[1]))
    ordered = np.partition(T, (few - 1, T.shape[1] - few), axis=1)
    low = ordered[:, :few].mean(axis=1, keepdims=True)
    high = ordered[:, -few:].mean(axis=1, keepdims=True)
    below, above = log_ndtr((t - low) / SOFT + 1.0), log_ndtr((high - t) / SOFT + 1.0)
    return below, above, below + above


@cache
def _across() -> FloatArray:
    """Coefficients of the rough process nearest to those of the smooth one on normal samples, (rough, smooth)."""
    rough, smooth = _features(*ROUGH).values, _features(*SMOOTH).values
    weight = np.exp(_grid()[2])[:, None] + 1e-4
    ridge = 1e-2 * np.eye(rough.shape[1])
    gram, cross = 1e3 * rough.T @ (weight * rough), 1e3 * rough.T @ (weight * smooth)
    return np.asarray(np.linalg.solve(gram + ridge, cross), dtype=np.float64)


def _places(Z: FloatArray) -> FloatArray:
    """Standardised samples (B, n) as t, within the grid."""
    deviation = Z.std(axis=1, keepdims=True)
    Z = (Z - Z.mean(axis=1, keepdims=True)) / np.where(deviation > 0, deviation, 1.0)
    return np.clip(2.0 * np.arcsinh(Z / 2.0), -REACH, REACH)


def binned(T: FloatArray) -> FloatArray:
    """Share samples t (B, n) between the bins of the grid, linearly, (B, BINS)."""
    place = np.clip((T + REACH) * ((BINS - 1) / (2.0 * REACH)), 0.0, BINS - 1.001)
    low = place.astype(np.intp)
    up = place - low
    low += (BINS * np.arange(len(T)))[:, None]
    size = BINS * len(T)
    flat = (
        np.bincount(low.ravel(), (1.0 - up).ravel(), size)
        + np.bincount(low.ravel() + 1, up.ravel(), size)[:size]
    )
    return np.asarray(flat, dtype=np.float64).reshape(len(T), BINS)


def _laplace(
    counts: FloatArray, n: int, features: _Features, inside: FloatArray, start: FloatArray | None = None,
    least: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Evidence of one process over the normal density by Laplace's method, (B,), and its coefficients (B, k).

    `inside` (B, BINS) is added to the normal log density: edges. The third is the evidence before the price of the
    coefficients, -½ log|H|. Where twice what Newton's step promises does not raise that to `least` (B,), the evidence
    is called -inf, and nothing is fitted any more.
    """
    log_mass = _grid()[2] + inside
    Phi = features.values
    mean = counts @ Phi  # (B, k)
    a = np.zeros_like(mean)
    loss, p = _loss(a, mean, n, Phi, log_mass)
    if start is not None:
        there, q = _loss(start, mean, n, Phi, log_mass)
        better = there < loss
        a[better], loss[better], p[better] = start[better], there[better], q[better]
    gained, half_log_det = np.einsum("bk,bk->b", counts, inside), np.zeros(len(a))
    active = np.arange(len(a))
    for _ in range(ITERATIONS):
        slope, H = _curvature(a[active], mean[active], n, p[active], features)
        step: FloatArray = -np.asarray(np.linalg.solve(H, slope[..., None])[..., 0], dtype=np.float64)
        promise = -np.einsum("bk,bk->b", slope, step)
        if least is not None:
            able = gained[active] - loss[active] + promise >= least[active]
            half_log_det[active[~able]] = np.inf
            active, H, step, promise = active[able], H[able], step[able], promise[able]
        done = promise <= SOLVED
        if done.any():
            half_log_det[active[done]] = 0.5 * np.linalg.slogdet(H[done])[1]
        a[active], loss[active], p[active] = _halved(
            a[active], step, loss[active], promise, mean[active], n, Phi, log_mass[active]
        )
        active = active[~done]
        if not len(active):
            break
    if len(active):
        half_log_det[active] = (
            0.5 * np.linalg.slogdet(_curvature(a[active], mean[active], n, p[active], features)[1])[1]
        )
    return gained - loss - half_log_det, a, gained - loss


def _loss(
    a: FloatArray, mean: FloatArray, n: int, Phi: FloatArray, log_mass: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Negative log posterior of coefficients (B, k), the prior's constant left out, and the bins' masses (B, BINS)."""
    power = a @ Phi.T + log_mass
    top = power.max(axis=1, keepdims=True)
    raw = np.exp(power - top)
    total = raw.sum(axis=1, keepdims=True)
    loss = (
        n * (top + np.log(total))[:, 0] - np.einsum("bk,bk->b", a, mean) + 0.5 * np.einsum("bk,bk->b", a, a)
    )
    return loss, raw / total


def _curvature(
    a: FloatArray, mean: FloatArray, n: int, p: FloatArray, features: _Features
) -> tuple[FloatArray, FloatArray]:
    """Gradient (B, k) and Hessian (B, k, k) of the loss."""
    expected = p @ features.values
    k = expected.shape[1]
    # single precision: it only leads the way
    H = (p.astype(np.float32) @ features.products).reshape(-1, k, k)
    H = n * (H - expected[:, :, None] * expected[:, None, :])
    H[:, np.arange(k), np.arange(k)] += 1.0
    return n * expected - mean + a, H


def _halved(
    a: FloatArray, step: FloatArray, loss: FloatArray, promise: FloatArray,
    mean: FloatArray, n: int, Phi: FloatArray, log_mass: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Make Newton steps (B, k), each halved until it gains."""
    size, there = np.ones(len(a)), a + step
    trial, p = _loss(there, mean, n, Phi, log_mass)
    enough = loss + 1e-9 * np.abs(loss)
    bad = np.flatnonzero(trial > enough - 0.1 * promise)
    for _ in range(HALVINGS):
        if not len(bad):
            break
        size[bad] *= 0.5
        there[bad] = a[bad] + size[bad, None] * step[bad]
        trial[bad], p[bad] = _loss(there[bad], mean[bad], n, Phi, log_mass[bad])
        bad = bad[trial[bad] > enough[bad] - 0.1 * size[bad] * promise[bad]]
    return there, trial, p
