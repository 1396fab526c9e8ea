"""The mean of a child given its parents: a Gaussian linear model whose evidence is known in closed form.

    y = Z β + e,   e ~ N(0, σ² I),   β_k ~ N(0, σ² n τ_t / s_k),

Z (n, q) being the orthonormal functions of the parents in blocks (terms) t, s_k their roughness. The straight
line of a parent has the variance y'y: it alone may explain the child (it costs ½ log n, Schwarz's price, and half
the log of the ratio of the child's variance to the noise's; a variance of σ² n would shrink strong effects); the
τ_t of the curves are those that maximise the evidence. σ² is profiled. With G = Z'Z, b = Z'y, D the diagonal of
prior variances over σ² and A = G + D⁻¹,

    gain = -n/2 log(1 - b'A⁻¹b / y'y) - ½ log|A| - ½ log|D|      nats over y alone.

Everything is a function of (G, b, y'y), so that sets of parents share one Gram matrix, and many items are solved
as one stack of small matrices.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from dagscale.runtime.types import FloatArray, IntArray

ROUNDS = 8  # of MacKay's updates of τ
BOUNDS = (1e-7, 1e3)  # of τ
START = 0.002
RIDGE = 1e-9  # share of the trace that makes a matrix invertible which rounding left without an inverse
EXACT = 1e-7  # share of the variance below which what is left is rounding


class Fit(NamedTuple):
    """Fits of B items.

    Attributes
    ----------
    gain : (B,) float array
        Nats over the child alone, noise taken for normal.
    beta : (B, q) float array
        Posterior means of the coefficients.
    left : (B,) float array
        Share of the child's sum of squares that the fit leaves, prior's share included.
    tau : (B, terms) float array
    idle : (B, terms) float array
        Nats that each term is worth at most: lost without it if the others keep their τ.
    """

    gain: FloatArray
    beta: FloatArray
    left: FloatArray
    tau: FloatArray
    idle: FloatArray


def fit(
    G: FloatArray, b: FloatArray, yy: FloatArray, n: int, roughness: FloatArray, term: IntArray,
    tau: FloatArray | None = None, rounds: int = ROUNDS,
) -> Fit:  # fmt: skip
    """Fit stacks of items.

    Parameters
    ----------
    G, b, yy : (B, q, q), (B, q) and (B,) float arrays
        Products of the functions with each other and with the child.
    n : int
        Rows.
    roughness : (B, q) float array
        s; 0 marks straight lines.
    term : (q,) int array
        The term whose τ a function shares.
    tau : (B, terms) float array, optional
        Where to start.
    rounds : int
        Of updates.
    """
    B, q = b.shape
    line = roughness <= 0
    terms = int(term.max(initial=-1)) + 1
    members = np.eye(terms)[term]  # (q, terms)
    tau = np.full((B, terms), START) if tau is None else tau
    curved = 1.0 - line
    count = curved @ members
    rough = np.where(line, 1.0, roughness)
    diagonal, left = np.arange(q), yy
    for done in range(rounds + 1):
        inverse_D = np.where(
            line, (left / (yy * n))[:, None], rough / (n * np.maximum(tau @ members.T, BOUNDS[0]))
        )
        A = G.copy()
        A[:, diagonal, diagonal] += inverse_D
        W = _root(A)
        beta = np.matmul(W.mT, np.matmul(W, b[..., None]))[..., 0]
        left = np.maximum(yy - np.einsum("bi,bi->b", beta, b), EXACT * yy)
        if done == rounds:
            break
        free = count - (curved * np.einsum("bij,bij->bj", W, W) * inverse_D) @ members
        energy = (curved * rough * beta**2) @ members
        tau = np.clip(energy / np.maximum(left[:, None] * free, 1e-300), *BOUNDS)
    log_det = -np.log(W[:, diagonal, diagonal]).sum(axis=1)  # half of that of A
    gain = -0.5 * n * np.log(left / yy) - log_det + 0.5 * np.log(inverse_D).sum(axis=1)
    return Fit(gain, beta, left / yy, tau, _idle(W, beta, inverse_D, left, n, terms))


def _root(A: FloatArray) -> FloatArray:
    """Return W = L⁻¹ of a stack of positive definite matrices A = L L'; A⁻¹ = W'W."""
    W = A.copy()
    for k, one in enumerate(W if W.size else ()):
        # LAPACK's upper triangle of the transpose is the lower one here
        _, failed = lapack.dpotrf(one.T, lower=0, clean=1, overwrite_a=1)
        if failed:
            wider = A[k] + RIDGE * np.trace(A[k]) * np.eye(len(one))
            one[:] = np.linalg.inv(np.linalg.cholesky(wider)) if np.isfinite(wider).all() else np.nan
        else:
            lapack.dtrtri(one.T, lower=0, overwrite_c=1)
    return W


def _idle(
    W: FloatArray, beta: FloatArray, inverse_D: FloatArray, left: FloatArray, n: int, terms: int
) -> FloatArray:
    """Nats lost without each term at the same τ, (B, terms), from A⁻¹ = W'W alone; terms are of equal width."""
    B, q = beta.shape
    if not terms or q % terms:
        return np.full((B, terms), np.nan)
    w = q // terms
    own = W.reshape(B, q, terms, w).transpose(0, 2, 1, 3)  # (B, terms, q, w)
    S = np.matmul(own.mT, own)  # (B, terms, w, w): blocks of A⁻¹
    coefficients = beta.reshape(B, terms, w)
    more = np.einsum("btw,btw->bt", coefficients, np.linalg.solve(S, coefficients[..., None])[..., 0])
    return np.asarray(
        0.5 * n * np.log1p(more / left[:, None])
        + 0.5 * np.linalg.slogdet(S)[1]
        + 0.5 * np.log(inverse_D.reshape(B, terms, w)).sum(axis=2)
    )
