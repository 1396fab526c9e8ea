"""Thin-plate regression splines of every column, in a basis where the penalty is diagonal.

A column's smooth functions are Wood's (2003, JRSS-B 65) rank-k thin-plate regression splines, mgcv's
default `s(x)`: with E_ab = |x_a - x_b|^3 over the distinct values, keep the k eigenvectors U_k of E with
the largest |eigenvalue| D_k and fit

    f = U_k D_k delta + T alpha,   T = [1, x],   T'U_k delta = 0,   penalty delta' D_k delta.

The constant goes into the sum-to-zero constraint. What remains is rotated to the Demmler-Reinsch basis:
Q'Q = I and penalty diag(s), with s = 0 for the straight line. Two consequences carry the whole engine: every
Gram matrix of several columns has identity blocks on its diagonal, and |Q_i' y|^2 / |y|^2 is an R^2.

Deviation from mgcv: E is never formed. Its product with a vector is four cumulative sums, so that all
distinct values serve as knots, where mgcv draws 2000 of them at random beyond that number.
"""

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from dagscale.types import FloatArray

DENSE = 60  # up to so many distinct values a dense eigendecomposition is the faster one


@dataclass(frozen=True)
class ColumnBasis:
    """The splines of one column.

    Attributes
    ----------
    Q : (n, w) float array
        Orthonormal, centred columns, the straight line first, then rougher and rougher;
        w = k - 1, less when values repeat, 0 for a constant column.
    penalty : (w,) float array
        Wiggliness of each column of Q, 0 for the line, of mean 1 over the others.
    wiggles : (w, k) float array
        Coordinates in Q of the k functions U_k D_k.
    eigenvalues : (k,) float array
        D_k, the largest magnitude first.
    moments : (2, k) float array
        T'U_k, which delta must be orthogonal to.
    """

    Q: FloatArray
    penalty: FloatArray
    wiggles: FloatArray
    eigenvalues: FloatArray
    moments: FloatArray

    def narrowed(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Return the rank-k splines as a rotation (w, k - 1) of Q, and their penalty (k - 1,).

        The spaces are nested, so that a smaller basis costs no second look at the data.
        """
        w = len(self.penalty)
        if k > w:
            return np.eye(w), self.penalty
        line = np.eye(w)[:, 0]
        return demmler_reinsch(line, self.wiggles[:, :k], self.eigenvalues[:k], self.moments[:, :k])


def column_basis(x: FloatArray, k: int = 10) -> ColumnBasis:
    """Build the rank-k splines of one column (n,); of lower rank when it has few distinct values."""
    values, where = np.unique(x, return_inverse=True)
    k = min(k, len(values))
    if k < 2:
        return ColumnBasis(
            np.zeros((len(x), 0)), np.zeros(0), np.zeros((0, 0)), np.zeros(0), np.zeros((2, 0))
        )
    u = 2 * (values - values[0]) / (values[-1] - values[0]) - 1  # the units of x are immaterial
    line = u[where] - u[where].mean()
    U, D = _leading_eigenpairs(u, k)
    wiggles = (U * D)[where]
    wiggles -= wiggles.mean(axis=0)
    moments = np.stack([np.ones_like(u), u]) @ U  # (2, k)
    Q, penalty = demmler_reinsch(line, wiggles, D, moments)
    return ColumnBasis(Q, penalty, Q.T @ wiggles, D, moments)


def _leading_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors (m, k) and eigenvalues of E = |u_a - u_b|^3, u sorted, largest magnitude first."""
    if len(u) <= DENSE:
        values, vectors = np.linalg.eigh(np.abs(u[:, None] - u) ** 3)
    else:
        alpha, beta, V = _lanczos(u, max(2 * k + 2, 16))
        values, vectors = scipy.linalg.eigh_tridiagonal(alpha, beta[:-1], check_finite=False)
        vectors = V.T @ vectors
    first = np.argsort(-np.abs(values))[:k]
    return vectors[:, first], values[first]


def _lanczos(u: FloatArray, steps: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lanczos' tridiagonal form of E, with full reorthogonalisation: (steps,), (steps,), (steps, m).

    The i-th eigenvalue falls as i^-4: 2k + 2 steps give the k = 10 leading pairs to 1e-9.
    """
    powers = np.stack([np.ones_like(u), u, u * u, u * u * u])  # (4, m)
    binomials = np.array([[1.0], [-3.0], [3.0], [-1.0]]) * powers[::-1]
    alpha, beta, V = np.empty(steps), np.empty(steps), np.empty((steps, len(u)))
    # any fixed start without symmetry will do: an even one would never meet the odd eigenvectors
    w = np.random.default_rng(0).standard_normal(len(u))
    w /= np.linalg.norm(w)
    terms = np.empty_like(powers)
    for j in range(steps):
        V[j] = w
        # E w = sum_b |u_a - u_b|^3 w_b = 2 sum_{b <= a} (u_a - u_b)^3 w_b - sum_b (u_a - u_b)^3 w_b
        sums = np.multiply(powers, w, out=terms).cumsum(axis=1)
        w = 2 * np.multiply(binomials, sums, out=terms).sum(axis=0) - sums[:, -1] @ binomials
        alpha[j] = w @ V[j]
        for _ in range(2):  # twice is enough
            w -= (V[: j + 1] @ w) @ V[: j + 1]
        beta[j] = np.linalg.norm(w)
        w /= beta[j]
    return alpha, beta, V


def demmler_reinsch(
    line: FloatArray, wiggles: FloatArray, eigenvalues: FloatArray, moments: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Orthonormalise [line, wiggles @ null(moments)] so that the wiggliness becomes diagonal.

    Returns the basis (rows of `line`, w) and its penalty (w,).
    """
    k = len(eigenvalues)
    if k < 3:
        return line[:, None] / np.linalg.norm(line), np.zeros(1)
    free = np.linalg.qr(moments.T, mode="complete")[0][:, 2:]  # (k, k - 2), moments @ free = 0
    wiggliness = (free.T * eigenvalues) @ free
    # the line comes first in the QR: then the trailing triangle alone maps wiggles to coordinates
    Q, R = np.linalg.qr(np.column_stack([line, wiggles @ free]))
    half = scipy.linalg.solve_triangular(R[1:, 1:].T, wiggliness, lower=True, check_finite=False)
    rough = scipy.linalg.solve_triangular(R[1:, 1:].T, half.T, lower=True, check_finite=False)
    penalty, rotation = np.linalg.eigh((rough + rough.T) / 2)
    Q[:, 0] *= np.sign(R[0, 0])  # the line itself, not its mirror image
    Q[:, 1:] = Q[:, 1:] @ rotation
    return Q, np.concatenate([[0.0], np.maximum(penalty, 0) / penalty.mean()])
