"""Forward additive regression: what one more parent would explain, for all candidates of a node at once.

With Q_i the orthonormal splines of column i, r the residual of a node and W an orthonormal basis of what its
parents explain, a further parent's penalised fit needs only

    c = Q_i' r,   A = Q_i'(I - WW')Q_i,   S = diag(penalty).

In the basis where A is the identity and S is diag(s), the residual sum of squares falls by
sum_m c_m^2 (1 - (1 - h_m)^2), h_m = 1 / (1 + lambda s_m), for sum_m h_m degrees of freedom. Before the first
parent A = I: nothing needs solving, and the c of all pairs of columns are one matrix product.
"""

from dataclasses import dataclass

import numpy as np

from dagscale.splines.table import SplineTable
from dagscale.types import FloatArray, IntArray

GRID = np.exp(np.linspace(-6.0, 16.0, 23))  # lambda; penalties have mean 1
PADDING = 1e6  # penalty of a spline that is not there: it keeps nothing
KEPT = 0.5  # an accepted parent explains the directions of which its smooth keeps at least this


@dataclass(frozen=True)
class Blocks:
    """Every column's splines, padded with zeros to a common width w.

    Attributes
    ----------
    Q : (d, w, n) float array
        Orthonormal rows, zeros behind.
    penalty : (d, w) float array
    """

    Q: FloatArray
    penalty: FloatArray

    @classmethod
    def of(cls, table: SplineTable) -> "Blocks":
        """Lay out a table's splines."""
        n, d = table.X.shape
        w = max(1, int(table.widths.max(initial=0)))
        Q, penalty = np.zeros((d, w, n)), np.full((d, w), PADDING)
        for i, (column, width) in enumerate(zip(table.columns, table.widths, strict=True)):
            Q[i, :width], penalty[i, :width] = column.Q.T, column.penalty
        return cls(Q, penalty)

    def products(self, X: FloatArray) -> FloatArray:
        """Q_i'x_j of all columns x_j of X (n, m), as (d, w, m)."""
        d, w, n = self.Q.shape
        return (self.Q.reshape(d * w, n) @ X).reshape(d, w, X.shape[1])


def smooth_gains(c: FloatArray, s: FloatArray, rss: float, free: float) -> tuple[FloatArray, FloatArray]:
    """Best gain of each candidate over the grid of lambda: half the fall of log GCV.

    Parameters
    ----------
    c, s : (k, w) float arrays
        Products with the residual and penalty, in the basis where A = I.
    rss : float
        |r|^2.
    free : float
        Residual degrees of freedom before the candidate.

    Returns
    -------
    gains : (k,) float array
        1/2 log(rss / rss') + log(free' / free).
    h : (k, w) float array
        What is kept of each direction at the best lambda.
    """
    h = 1 / (1 + GRID[:, None, None] * s)  # (grid, k, w)
    fall = np.einsum("kw,gkw->gk", c**2, 1 - (1 - h) ** 2) / rss
    cost = np.log(np.maximum(1 - h.sum(axis=2) / free, 1e-12))
    gains = cost - 0.5 * np.log(np.maximum(1 - fall, 1e-12))
    best, rows = gains.argmax(axis=0), np.arange(len(c))
    return gains[best, rows], h[best, rows]


class Forward:
    """The growing additive regression of one node.

    Parameters
    ----------
    blocks : Blocks
    y : (n,) float array
        The node, centred.
    candidates : (k,) int array
        Columns that may become parents.
    products : (k, w) float array
        Q_i'y of each.
    """

    def __init__(self, blocks: Blocks, y: FloatArray, candidates: IntArray, products: FloatArray) -> None:
        self.candidates = candidates
        self._blocks, self._residual = blocks, y
        self._c = products
        self._A = np.broadcast_to(np.eye(products.shape[1]), (*products.shape, products.shape[1]))
        self._W = np.zeros((0, len(y)))  # orthonormal rows

    @property
    def rss(self) -> float:
        """Residual sum of squares."""
        return max(float(self._residual @ self._residual), 1e-300)

    @property
    def free(self) -> float:
        """Residual degrees of freedom."""
        return max(len(self._residual) - 1.0 - len(self._W), 1e-8)

    def gains(self) -> FloatArray:
        """Gain of each candidate (k,), net of the degrees of freedom it spends; see `smooth_gains`."""
        c, s = self._c, self._blocks.penalty[self.candidates]
        if len(self._W):
            c, s, _ = _diagonalise(self._A, c, s)
        return smooth_gains(c, s, self.rss, self.free)[0]

    def add(self, parent: int) -> None:
        """Make a candidate a parent: project node and candidates off its smooth directions."""
        t = int(np.flatnonzero(self.candidates == parent)[0])
        Q = self._blocks.Q[parent]
        c, s, basis = _diagonalise(self._A[[t]], self._c[[t]], self._blocks.penalty[[parent]])
        h = smooth_gains(c, s, self.rss, self.free)[1][0]
        fresh = basis[0][:, h >= KEPT].T @ (Q - (Q @ self._W.T) @ self._W)  # (m, n)
        fresh = fresh[np.linalg.norm(fresh, axis=1) > KEPT]  # what W already holds leaves rounding noise only
        fresh = np.linalg.qr(fresh.T)[0].T
        along = fresh @ self._residual
        shadow = self._blocks.Q[self.candidates] @ fresh.T  # (k, w, m)
        self._W = np.concatenate([self._W, fresh])
        self._residual = self._residual - along @ fresh
        self._c = self._c - shadow @ along
        self._A = self._A - shadow @ shadow.transpose(0, 2, 1)

    def keep(self, some: IntArray) -> None:
        """Forget all candidates but some, given by their places."""
        self.candidates, self._c, self._A = self.candidates[some], self._c[some], self._A[some]


def _diagonalise(
    A: FloatArray, c: FloatArray, penalty: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Change to bases in which A (k, w, w) is the identity and diag(penalty), penalty (k, w), diagonal.

    Returns c (k, w) and the penalty (k, w) there, and the new basis vectors as columns (k, w, w).
    """
    root = np.linalg.inv(np.linalg.cholesky(A + 1e-8 * np.eye(A.shape[1])))  # root A root' = I
    s, V = np.linalg.eigh((root * penalty[:, None, :]) @ root.transpose(0, 2, 1))
    basis = root.transpose(0, 2, 1) @ V
    return np.einsum("kwm,kw->km", basis, c), np.maximum(s, 0), basis
