"""The exact marginal likelihood of standardised nodes given their parents, with derivatives, batched.

A node's values y (n,), standardised, given its p parents Z (n, p), follow

    y ~ N(0, s2 K),   K = I + l H E H + sum_i w_i / (1 + w_i) (v z_i z_i' + a S_i S_i'),
    E_ab = exp(-1/2 sum_i w_i (z_ai - z_bi)^2),   H = I - 11'/n,

S_i (n, b) fixed, centred curves of parent i (`features.py`). The first part, with one inverse squared
length scale per parent, holds interactions of any order. The second holds lines and the third
additive curves, which a product of length scales expresses only by wasting evidence. All fade as
w_i -> 0, so that a parent that explains nothing costs nothing. y has no mean left to explain, so
neither has the kernel: H takes it out. The noise variance s2 has its maximum in closed form
(s2 = q / n, q = y' K^-1 y), which leaves theta = (log w, log l, log v, log a) and, relative to the
node without parents (K = I, q = n),

    loss(theta) = n/2 log(q / n) + 1/2 log |K| = -(evidence gained, in nats).

With alpha = K^-1 y and M = H (K^-1 - n/q alpha alpha') H, d loss = 1/2 tr(M dK). The curvature is
the average of observed and expected information, as in REML: with v_i = (dK/dtheta_i) alpha,

    A_ij = n/(2q) (v_i' K^-1 v_j - (v_i' alpha)(v_j' alpha) / q),

which costs a few solves where the expected one alone costs p products of n x n matrices.
"""

from typing import NamedTuple

import numpy as np

from dagscale.models.gp.linalg import factor, inverse, solve_factored, solve_lower, symmetric_product
from dagscale.models.gp.optimise import Values
from dagscale.runtime.arrays import array_namespace, to_numpy
from dagscale.runtime.types import Array, FloatArray, IntArray


class Trial(NamedTuple):
    """What one evaluation leaves for its derivatives; B problems stacked."""

    w: Array  # (B, p)
    l: Array  # (B, 1, 1)
    c: Array  # (B, p, b), variances of the features
    Z: Array  # (B, n, p)
    F: Array  # (B, n, p * b)
    E: Array  # (B, n, n)
    L: Array  # (B, n, n), Cholesky factor of K
    alpha: Array  # (B, n, 1)
    q: Array  # (B, 1, 1)

    def rows(self, kept: IntArray) -> "Trial":
        """Return the problems `kept`, without a copy when that is all of them."""
        return self if len(kept) == len(self.w) else Trial(*(part[kept] for part in self))


class Exact:
    """The loss of B problems of equal shape; absent parents have a `mask` of 0.

    Parameters
    ----------
    Z : (B, n, p) array
        Standardised parents, numpy or torch.
    y : (B, n) array
        Standardised children.
    F : (B, n, p * b) array
        Main effects [z_i, S_i] of the parents, b columns each.
    mask : (B, p) array of 0 and 1
        Which parents are there.
    """

    def __init__(self, Z: Array, y: Array, F: Array, mask: Array) -> None:
        self.Z, self.y, self.F, self.mask = Z, y[..., None], F, mask
        self.trial: Trial

    @classmethod
    def of_one(cls, Z: Array, y: Array, F: Array) -> "Exact":
        """Return the loss of one problem: parents Z (n, p), all there, y and F (n, p * b)."""
        return cls(Z[None], y[None], F[None], array_namespace(Z).ones_like(Z[:1]))

    def value(self, theta: FloatArray, which: IntArray) -> Values:
        """Losses of the problems `which` at theta (len(which), p + 3); inf where K breaks down."""
        xp = array_namespace(self.Z)
        everything = len(which) == len(self.Z)
        parts = (self.Z, self.y, self.F, self.mask)  # (B, n, p), (B, n, 1), (B, n, p * b), (B, p)
        Z, y, F, mask = parts if everything else (part[which] for part in parts)
        n, p = Z.shape[-2:]
        exps = xp.asarray(np.exp(theta), dtype=Z.dtype, device=Z.device)
        w, l = exps[:, :p] * mask, exps[:, p, None, None]
        c = feature_variances(w, exps[:, p + 1], exps[:, p + 2], F.shape[-1] // p)
        E = kernel(Z, w)
        K = l * E
        centre(K)
        K += (F * xp.reshape(c, (len(c), 1, -1))) @ F.mT
        diagonal = xp.arange(n)
        K[:, diagonal, diagonal] += 1.0
        L = factor(K)
        alpha = solve_factored(L, y)
        q = y.mT @ alpha
        self.trial = Trial(w, l, c, Z, F, E, L, alpha, q)
        noise = q[:, 0, 0] / n
        loss = to_numpy(0.5 * n * xp.log(noise) + xp.sum(xp.log(L[:, diagonal, diagonal]), axis=-1))
        return Values(np.nan_to_num(loss, nan=np.inf), to_numpy(noise))

    def derivatives(self, kept: IntArray) -> tuple[FloatArray, FloatArray]:
        """Gradients (len(kept), p + 3) and curvatures at the positions `kept` of the last `value`."""
        trial = self.trial.rows(kept)
        return to_numpy(gradient(trial)), to_numpy(information(trial))


def kernel(Z: Array, w: Array) -> Array:
    """E_ab = exp(-1/2 sum_i w_i (z_ai - z_bi)^2) for stacks: Z (B, n, p), w (B, p)."""
    xp = array_namespace(Z)
    U = Z * xp.sqrt(w)[:, None, :]
    half = 0.5 * xp.sum(U * U, axis=-1)
    E = U @ U.mT
    E -= half[:, :, None]
    E -= half[:, None, :]
    return xp.exp(E, out=E)


def centre(K: Array) -> None:
    """K <- H K H, in place, for symmetric K."""
    xp = array_namespace(K)
    means = xp.mean(K, axis=-1)
    K -= means[:, :, None]
    K -= (means - xp.mean(means, axis=-1)[:, None])[:, None, :]


def feature_variances(w: Array, v: Array, a: Array, b: int) -> Array:
    """w_i / (1 + w_i) times v for the line and a for the curves, (B, p, b)."""
    xp = array_namespace(w)
    amplitude = xp.concat([v[:, None], xp.broadcast_to(a[:, None], (len(a), b - 1))], axis=-1)
    return (w / (1.0 + w))[:, :, None] * amplitude[:, None, :]


def middle(t: Trial) -> Array:
    """M = H (K^-1 - n/q alpha alpha') H, the weight of every dK in d loss (lower triangle on numpy)."""
    n = t.E.shape[-1]
    M = inverse(t.L)
    M -= (n / t.q * t.alpha) @ t.alpha.mT
    M -= 1.0 / n  # H K^-1 H = K^-1 - 11'/n, because K 1 = 1
    return M


def gradient(t: Trial) -> Array:
    """1/2 tr(M dK/dtheta), (B, p + 3)."""
    xp = array_namespace(t.E)
    M = middle(t)
    main = 0.5 * t.c * xp.reshape(xp.sum(t.F * symmetric_product(M, t.F), axis=-2), t.c.shape)  # (B, p, b)
    M *= t.E.mT  # E is symmetric; its transpose lies in memory as numpy's M does
    M *= t.l
    ones = xp.ones_like(t.Z[..., :1])
    products = symmetric_product(M, xp.concat([ones, t.Z], axis=-1))  # (B, n, 1 + p)
    r, MZ = products[..., :1], products[..., 1:]
    scales = -0.5 * t.w * xp.sum(t.Z * (t.Z * r - MZ), axis=-2) + xp.sum(main, axis=-1) / (1.0 + t.w)
    signal = 0.5 * xp.sum(r, axis=-2)
    line, curves = xp.sum(main[:, :, 0], axis=-1), xp.sum(main[:, :, 1:], axis=(-2, -1))
    return xp.concat([scales, signal, line[:, None], curves[:, None]], axis=-1)


def information(t: Trial) -> Array:
    """Average information with the noise variance profiled out, (B, p + 3, p + 3)."""
    xp = array_namespace(t.E)
    n, p = t.Z.shape[-2:]
    R = xp.concat([t.alpha, t.Z * t.alpha, t.Z**2 * t.alpha], axis=-1)
    ER = t.l * (t.E @ R)
    E0, E1, E2 = ER[..., :1], ER[..., 1 : p + 1], ER[..., p + 1 :]
    main = xp.reshape(t.F * (t.alpha.mT @ t.F), (*t.Z.shape, -1)) * t.c[:, None]  # (B, n, p, b)
    scales = -0.5 * t.w[:, None, :] * (t.Z**2 * E0 - 2.0 * t.Z * E1 + E2)
    scales += xp.sum(main, axis=-1) / (1.0 + t.w)[:, None, :]
    line, curves = xp.sum(main[..., 0], axis=-1), xp.sum(main[..., 1:], axis=(-2, -1))
    V = xp.concat([scales, E0, line[..., None], curves[..., None]], axis=-1)  # (B, n, p + 3)
    V = V - xp.mean(V, axis=-2)[:, None, :]
    W = solve_lower(t.L, V)
    along = V.mT @ t.alpha  # (B, p + 3, 1)
    return 0.5 * n / t.q * (W.mT @ W - along @ along.mT / t.q)


def process_residuals(Z: Array, y: Array, F: Array, theta: FloatArray) -> FloatArray:
    """Return what the process fitted at theta (p + 3,) leaves of y (n,): K^-1 y, K holding noise of 1.

    Z (n, p), y and F (n, p * b) are those of one problem, as in `Exact`, theta in the order of Z.
    """
    objective = Exact.of_one(Z, y, F)
    objective.value(theta[None], np.arange(1))
    left: FloatArray = to_numpy(objective.trial.alpha)[0, :, 0]
    return left
