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

from dagscale.runtime.types import BoolArray, FloatArray, IntArray

DENSE = 60  # up to so many distinct values a dense eigendecomposition is the faster one
RESOLVED = 1e-16  # times the distinct values (100 at least) and the largest: what is less of E is rounding


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
        if k > w or not len(self.eigenvalues):  # levels are all or nothing
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
    return _bases(values[None], where[None], k)[0]


def level_basis(x: FloatArray) -> ColumnBasis:
    """Build the functions of the levels of a category (n,): any effect of a level, none of them penalised.

    The first is the straight line over the codes, so that the column itself is one of them, as with splines.
    """
    levels, where = np.unique(x, return_inverse=True)
    w = len(levels) - 1
    none = np.zeros((w, 0)), np.zeros(0), np.zeros((2, 0))
    if w < 1:
        return ColumnBasis(np.zeros((len(x), 0)), np.zeros(0), *none)
    made = np.column_stack([levels, np.eye(w + 1)[:, 1:w]])[where]
    Q, R = np.linalg.qr(made - made.mean(axis=0))
    return ColumnBasis(Q * np.where(R.diagonal() < 0, -1.0, 1.0), np.zeros(w), *none)


def column_bases(X: FloatArray, k: int = 10) -> list[ColumnBasis]:
    """Build the splines of several columns (c, n), those without ties together.

    The work is a few hundred short operations: on the arrays of a single column, threads would mostly wait
    for the interpreter's lock.
    """
    where = np.argsort(np.argsort(X, axis=1), axis=1)
    values = np.sort(X, axis=1)
    distinct: BoolArray = np.all(np.diff(values, axis=1) > 0, axis=1)
    if not 1 < k <= X.shape[1]:
        distinct[:] = False
    together = iter(_bases(values[distinct], where[distinct], k) if distinct.any() else ())
    return [next(together) if alone else column_basis(x, k) for alone, x in zip(distinct, X, strict=True)]


def _bases(values: FloatArray, where: IntArray, k: int) -> list[ColumnBasis]:
    """Build the rank-k splines of columns with distinct values (c, m), of which row a holds `where[:, a]`."""
    lowest, highest = values[:, :1], values[:, -1:]
    u = 2 * (values - lowest) / (highest - lowest) - 1  # the units of x are immaterial
    line = np.take_along_axis(u, where, axis=1)
    line -= line.mean(axis=1, keepdims=True)
    U, D = _leading_eigenpairs(u, k)
    rounding = RESOLVED * max(100, u.shape[1]) * np.abs(D[:, :1])
    resolved = np.maximum(2, (np.abs(D) > rounding).sum(axis=1))
    if (resolved < k).any():  # one value far from all others, or clusters far apart: fewer curves tell apart
        alone = [(slice(c, c + 1), int(rank)) for c, rank in enumerate(resolved)]
        parts = (_assembled(line[c], where[c], u[c], U[c, :, :r], D[c, :r]) for c, r in alone)
        return [basis for part in parts for basis in part]
    return _assembled(line, where, u, U, D)


def _assembled(
    line: FloatArray, where: IntArray, u: FloatArray, U: FloatArray, D: FloatArray
) -> list[ColumnBasis]:
    """Put together the splines of columns of the same rank from the eigenpairs (c, m, k), (c, k) of E."""
    wiggles = np.take_along_axis(U * D[:, None], where[..., None], axis=1)  # (c, n, k)
    wiggles -= wiggles.mean(axis=1, keepdims=True)
    moments = np.stack([np.ones_like(u), u], axis=1) @ U  # (c, 2, k)
    Q, penalty = demmler_reinsch(line, wiggles, D, moments)
    coordinates = Q.mT @ wiggles
    return [ColumnBasis(*parts) for parts in zip(Q, penalty, coordinates, D, moments, strict=True)]


def _leading_eigenpairs(u: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors (c, m, k) and eigenvalues of E = |u_a - u_b|^3, u sorted, largest magnitude first."""
    if u.shape[1] <= DENSE:
        values, vectors = np.linalg.eigh(np.abs(u[:, :, None] - u[:, None]) ** 3)
    else:
        tridiagonal, V = _lanczos(u, max(2 * k + 2, 16))
        values, vectors = np.linalg.eigh(tridiagonal)
        vectors = V.mT @ vectors
    first = np.argsort(-np.abs(values), axis=1)[:, :k]
    return np.take_along_axis(vectors, first[:, None], axis=2), np.take_along_axis(values, first, axis=1)


def _lanczos(u: FloatArray, steps: int) -> tuple[FloatArray, FloatArray]:
    """Lanczos' tridiagonal form of E, with full reorthogonalisation: (c, steps, steps), (c, steps, m).

    The i-th eigenvalue falls as i^-4: 2k + 2 steps give the k = 10 leading pairs to 1e-9.
    """
    c, m = u.shape
    powers = np.stack([np.ones_like(u), u, u * u, u * u * u])  # (4, c, m)
    binomials = np.array([1.0, -3.0, 3.0, -1.0])[:, None, None] * powers[::-1]
    tridiagonal, V = np.zeros((c, steps, steps)), np.empty((c, steps, m))
    # any fixed start without symmetry will do: an even one would never meet the odd eigenvectors
    start = np.random.default_rng(0).standard_normal(m)
    w = np.tile(start / np.linalg.norm(start), (c, 1))
    terms, sums = np.empty_like(powers), np.empty_like(powers)
    for j in range(steps):
        V[:, j] = w
        # E w = sum_b |u_a - u_b|^3 w_b = 2 sum_{b <= a} (u_a - u_b)^3 w_b - sum_b (u_a - u_b)^3 w_b
        np.multiply(powers, w, out=terms).cumsum(axis=2, out=sums)
        np.multiply(sums, 2, out=terms)
        terms -= sums[:, :, -1:]
        w = np.multiply(binomials, terms, out=terms).sum(axis=0)
        tridiagonal[:, j, j] = np.vecdot(w, V[:, j])
        known = V[:, : j + 1]
        for _ in range(2):  # twice is enough
            w -= ((w[:, None] @ known.mT) @ known)[:, 0]
        length = np.linalg.norm(w, axis=1)
        w /= np.where(length > 0, length, 1.0)[:, None]
        if j + 1 < steps:
            tridiagonal[:, j + 1, j] = length  # the lower triangle is all that is read
    return tridiagonal, V


def demmler_reinsch(
    line: FloatArray, wiggles: FloatArray, eigenvalues: FloatArray, moments: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Orthonormalise [line, wiggles @ null(moments)] so that the wiggliness becomes diagonal.

    Returns the basis (rows of `line`, w) and its penalty (w,); or (c, rows, w) and (c, w) for c columns.
    """
    straight = np.zeros((*eigenvalues.shape[:-1], 1))
    if eigenvalues.shape[-1] < 3:
        return (line / np.linalg.norm(line, axis=-1, keepdims=True))[..., None], straight
    free = np.linalg.qr(moments.mT, mode="complete")[0][..., 2:]  # (k, k - 2), moments @ free = 0
    wiggliness = (free.mT * eigenvalues[..., None, :]) @ free
    # the line comes first in the QR: then the trailing triangle alone maps wiggles to coordinates
    Q, R = np.linalg.qr(np.concatenate([line[..., None], wiggles @ free], axis=-1))
    back = np.linalg.inv(R[..., 1:, 1:])
    rough = back.mT @ wiggliness @ back
    penalty, rotation = np.linalg.eigh((rough + rough.mT) / 2)
    Q[..., 0] *= np.sign(R[..., :1, 0])  # the line itself, not its mirror image
    Q[..., 1:] = Q[..., 1:] @ rotation
    mean = penalty.mean(axis=-1, keepdims=True)
    return Q, np.concatenate([straight, np.maximum(penalty, 0) / mean], axis=-1)
