"""Which columns would a fitted node gain from? The derivative of its evidence, for all columns at once.

Given node j's fitted process (K, M as in `exact.py`), a new parent i enters through products with the
kernel it joins. Two forms of the derivative of the evidence in that direction:

- `slopes`: the derivative with respect to the new w_i at w_i = 0,
  -d loss / d w_i = 1/2 (sum_a x_ia^2 r_a - x_i' T x_i) - 1/2 (v x_i' M x_i + a sum_b s_b' M s_b),
  with T = l (M o E), r = T 1. Blind to even effects of x_i in the product.
- `surprise`: the same with x_i replaced by orthonormal curves q_1 .. q_b of the column,
  -sum_b q_b' (M o E) q_b for what modulates the parents' effect, -sum_b q_b' M q_b for what adds to it,
  each against its distribution over random permutations of the column's rows (mean, variance and
  skewness in closed form, a shifted gamma), the better of the two counting (and paid for, log 2). E is
  that of the fit with no weight below `FLOOR`: a parent with a weak or straight effect may still
  modulate another's. Without parents both are the spline R^2 of the pair.

One product with all columns' curves serves all candidates.
"""

from typing import NamedTuple

import numpy as np

from dagscale.models.gp.exact import Exact, Trial, kernel
from dagscale.models.gp.linalg import inverse
from dagscale.runtime.arrays import array_namespace, to_numpy
from dagscale.runtime.types import Array, FloatArray

CLIP = 3.0  # robust standard deviations
CURVES = 6  # per column: up to about the sixth degree
FLOOR = 1.0  # of w in the kernel of the screen, less with more than three parents


class State(NamedTuple):
    """A fitted process on n rows: M = P - alpha alpha', and the parts of its kernel."""

    P: Array  # (n, n), H K^-1 H
    alpha: Array  # (n,), K^-1 y in units of the noise, as large as y would be without parents
    E: Array  # (n, n)
    near: Array  # (n, n), E with weights of at least `FLOOR`; None without parents
    l: float
    v: float
    a: float


def fitted_state(Z: Array, y: Array, F: Array, theta: FloatArray) -> State:
    """Evaluate one process at theta: Z (n, p), y (n,), F (n, p * b); p may be 0."""
    xp = array_namespace(y)
    n = y.shape[0]
    if Z.shape[1] == 0:
        P = xp.eye(n, dtype=y.dtype, device=y.device) - 1.0 / n
        return State(P, y * (n / (y @ y)) ** 0.5, xp.ones_like(P), None, 1.0, 0.0, 0.0)
    mask = xp.ones((1, Z.shape[1]), dtype=y.dtype, device=y.device)
    exact = Exact(Z[None], y[None], F[None], mask)
    exact.value(theta[None], np.arange(1))
    trial: Trial = exact.trial
    lower = xp.tril(inverse(trial.L)[0])
    P = lower + xp.tril(lower, k=-1).mT - 1.0 / n
    floor = min(FLOOR, 3.0 * FLOOR / Z.shape[1])
    near = kernel(Z[None], xp.where(trial.w > floor, trial.w, floor * mask))[0]
    l, v, a = np.exp(theta[-3:])
    alpha = trial.alpha[0, :, 0] * (n / trial.q[0, 0, 0]) ** 0.5
    return State(P, alpha, trial.E[0], near, float(l), float(v), float(a))


def slopes(state: State, X: Array, S: Array) -> FloatArray:
    """Evidence gained per unit of each column's w at 0, (d,); X (n, d) columns, S (n, d, b) their curves."""
    xp = array_namespace(X)
    M = state.P - state.alpha[:, None] * state.alpha
    T = state.l * M * state.E
    r = xp.sum(T, axis=0)
    joint = 0.5 * (xp.sum(X * X * r[:, None], axis=0) - xp.sum(X * (T @ X), axis=0))
    flat = xp.reshape(S, (len(S), -1))
    curves = xp.sum(xp.reshape(flat * (M @ flat), S.shape), axis=(0, 2))
    line = xp.sum(X * (M @ X), axis=0)
    slope: FloatArray = to_numpy(joint - 0.5 * (state.v * line + state.a * curves))
    return slope


def surprise(state: State, Q: Array) -> FloatArray:
    """-log p of each column's gain under random permutations of its rows, (d,).

    Q (n, d, b), float32: orthonormal centred curves of each column, zeros where it has fewer. Large
    residuals are cut at `CLIP` robust deviations and the diagonal of M is left out: it knows
    nothing of pairs of rows, but a few rows in the tails of node and candidate can make it anything.
    """
    xp = array_namespace(Q)
    ranks = to_numpy(xp.sum(Q * Q, axis=(0, 2)))  # (d,): unit columns, so the sum counts them
    most = CLIP * 1.4826 * float(np.median(np.abs(to_numpy(state.alpha))))
    alpha = xp.clip(state.alpha, -most, most)
    gain = alpha[:, None] * alpha - state.P  # -M
    rows = xp.arange(len(gain))
    gain[rows, rows] = 0.0
    adding = _surprise(_centred(gain), Q, ranks)
    if state.near is None:
        return adding
    modulating = _surprise(_centred(gain * state.near), Q, ranks)
    better: FloatArray = np.maximum(adding, modulating) - np.log(2.0)
    return np.maximum(better, 0.0)


def _surprise(A: Array, Q: Array, ranks: FloatArray) -> FloatArray:
    """-log P(tr(Q_i' A Q_i) at least as large) for random orthonormal Q_i; A is centred and symmetric."""
    n, d, b = Q.shape
    xp = array_namespace(Q)
    # Single precision halves the time of the products, and is seven digits of a statistic that needs three.
    A = xp.astype(A, xp.float32)
    flat = xp.reshape(Q, (n, d * b))
    statistic = to_numpy(xp.sum(xp.reshape(flat * (A @ flat), Q.shape), axis=(0, 2), dtype=xp.float64))
    rows = xp.arange(n)
    level = float(xp.sum(A[rows, rows], dtype=xp.float64)) / (n - 1)
    # Traces of the powers of A - level H, H = I - 11'/n, from those of A: A H = A.
    squares = A @ A
    two = float(xp.sum(squares[rows, rows], dtype=xp.float64))
    three = float(xp.sum(squares * A, dtype=xp.float64))
    second = two - (n - 1) * level**2
    third = three - 3 * level * two + 2 * (n - 1) * level**3
    count = np.maximum(ranks, 1.0)
    deviation = np.sqrt(np.maximum(2.0 * count * second, 1e-300)) / n
    skewness = 8.0 * count * third / n**3 / deviation**3
    z = (statistic - count * level) / deviation
    # Almost no skewness is a normal distribution; the gamma's formulas need some.
    from scipy.stats import pearson3  # slow to import

    surprise = -pearson3.logsf(z, np.maximum(skewness, 0.01))
    return np.where(ranks > 0.5, np.nan_to_num(surprise, posinf=1e3), 0.0)


def _centred(A: Array) -> Array:
    xp = array_namespace(A)
    means = xp.mean(A, axis=0)
    return A - means[:, None] - (means - xp.mean(means))[None, :]


def orthonormal_curves(effects: FloatArray) -> Array:
    """Unit curves Q (n, d, b), float32, from main effects (d, n, 1 + c): those a column really has."""
    S = effects[:, :, 1 : 1 + CURVES] - effects[:, :, 1 : 1 + CURVES].mean(axis=1, keepdims=True)
    Q = np.zeros_like(S)
    for i in range(len(S)):
        U, size, _ = np.linalg.svd(S[i], full_matrices=False)
        kept = size > 1e-4 * max(float(size[0]), 1.0)  # curves have a mean square of 1, constants none
        Q[i, :, : int(kept.sum())] = U[:, kept]
    return np.ascontiguousarray(Q.transpose(1, 0, 2), dtype=np.float32)
