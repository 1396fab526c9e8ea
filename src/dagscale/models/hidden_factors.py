"""Straight lines between columns and hidden factors: the likelihood of a graph some of whose nodes nobody measured.

d observed nodes come first, hidden ones without parents and of variance 1 behind them:

    x_j = Σ_i b_ij x_i + e_j,   e_j ~ N(0, w_j),   Cov(x) = Σ = (I - B)⁻ᵀ W (I - B)⁻¹,

of which the observed block fits the correlations R of n rows. Without hidden nodes these are d regressions. With them
columns may depend on each other although no arrow joins them: a factor analysis with arrows (Bollen 1989).
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from dagscale.runtime.types import BoolArray, FloatArray

STEPS = 150  # of the optimiser
SWEEPS = 50  # of turning factors, at most
TURNED = 1e-6  # angle that is no turn
LEAST, MOST = -9.0, 3.0  # log variance of the noise of a node
FAILED = 1e10


class Fit(NamedTuple):
    """The likeliest lines of a graph.

    Attributes
    ----------
    nats : float
        Log likelihood of the rows over that of independent columns.
    lines : (D, D) float array
        B: [parent, child].
    noise : (D,) float array
        w: variances; 1 for hidden nodes.
    slopes : (D, D) float array
        Derivative of minus the log likelihood of a row in every line, those that are 0 included.
    cov : (D, D) float array
        Σ of all nodes.
    """

    nats: float
    lines: FloatArray
    noise: FloatArray
    slopes: FloatArray
    cov: FloatArray

    @property
    def missing(self) -> FloatArray:
        """About what a row would gain by each line that is not there, (D, D), times 2: a score test."""
        return np.asarray(self.slopes**2 * self.noise / np.diag(self.cov)[:, None])

    @property
    def worth(self) -> FloatArray:
        """About what a row would lose without each line, (D, D), times 2, if parents were independent."""
        return np.asarray(self.lines**2 * np.diag(self.cov)[:, None] / self.noise)


def fit(R: FloatArray, n: int, graph: BoolArray, lines: FloatArray, noise: FloatArray) -> Fit:
    """Fit a graph (D, D), [parent, child], to correlations (d, d) of n rows, from lines (D, D) and noise (D,)."""
    d, ends = len(R), np.nonzero(graph)
    k = len(ends[0])

    def unpacked(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        B, w = np.zeros(graph.shape), np.ones(len(graph))
        B[ends], w[:d] = x[:k], np.exp(x[k:])
        return B, w

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        value, slopes, by_noise, _ = _loss(R, *unpacked(x))
        return value, np.concatenate([slopes[ends], by_noise])

    x0 = np.concatenate([lines[ends], np.log(noise[:d])])
    bounds = [(None, None)] * k + [(LEAST, MOST)] * d
    best = minimize(
        loss, x0, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS, "ftol": 1e-9}
    )
    B, w = unpacked(best.x)
    value, slopes, _, cov = _loss(R, B, w)
    return Fit(-n * value, B, w, slopes, cov)


def _loss(R: FloatArray, B: FloatArray, w: FloatArray) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Return -log p of a row over independence, its derivatives in B and in log w of observed nodes, and Σ."""
    d = len(R)
    T = np.linalg.inv(np.eye(len(B)) - B)
    cov = np.asarray(T.T @ (w[:, None] * T), dtype=np.float64)
    sign, log_det = np.linalg.slogdet(cov[:d, :d])
    if sign <= 0 or not np.isfinite(log_det):
        return FAILED, 0.0 * B, 0.0 * w[:d], cov
    inverse = np.linalg.inv(cov[:d, :d])
    value = 0.5 * float(log_det + (inverse * R).sum() - d)
    slope = np.zeros_like(B)  # in Σ
    slope[:d, :d] = 0.5 * (inverse - inverse @ R @ inverse)
    by_noise: FloatArray = np.einsum("ij,jk,ik->i", T, slope, T)[:d] * w[:d]
    return value, 2.0 * cov @ slope @ T.T, by_noise, cov


def regressions(R: FloatArray, graph: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return lines (d, d) and noise (d,) of a graph without hidden nodes: one regression a column."""
    B, w = np.zeros_like(R), np.ones(len(R))
    for j in range(len(R)):
        p = np.flatnonzero(graph[:, j])
        B[p, j] = np.linalg.solve(R[np.ix_(p, p)], R[p, j])
        w[j] = max(1.0 - R[j, p] @ B[p, j], np.exp(LEAST))
    return B, w


def varimax(loadings: FloatArray) -> FloatArray:
    """Turn loadings (d, m) so that each is near 0 or large, two factors at a time (Kaiser 1958)."""
    L, d = loadings.copy(), len(loadings)
    for _ in range(SWEEPS):
        widest = 0.0
        for a, b in combinations(range(L.shape[1]), 2):
            x, y = L[:, a].copy(), L[:, b].copy()
            u, v = x**2 - y**2, 2.0 * x * y
            more = 2.0 * (u @ v - u.sum() * v.sum() / d)
            angle = 0.25 * np.arctan2(more, u @ u - v @ v - (u.sum() ** 2 - v.sum() ** 2) / d)
            L[:, a], L[:, b] = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
            widest = max(widest, abs(angle))
        if widest < TURNED:
            break
    return L
