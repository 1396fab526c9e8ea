"""Forward additive regression: what one more parent would explain, for all candidates of a node at once.

With Q_i the orthonormal splines of column i, r the residual of node j and W an orthonormal basis of what its
parents explain, a further parent's penalised fit needs only

    c = Q_i' r,   A = Q_i'(I - WW')Q_i,   S = diag(penalty).

In the basis where A is the identity and S diag(s), c becomes c~ and the sum of squares falls by
sum_m c~_m^2 (1 - (1 - h_m)^2), h_m = 1 / (1 + lambda s_m), at a cost of sum_m h_m degrees of freedom. Before the first
parent A = I: then nothing needs solving, and all c of all pairs are one matrix product.
"""

from dataclasses import dataclass

import numpy as np

from dagscale.splines.table import SplineTable
from dagscale.types import FloatArray, IntArray

GRID = np.exp(np.linspace(-6.0, 16.0, 23))  # lambda; penalties have mean 1
PADDING = 1e6  # penalty of a column that is not there: it keeps nothing
KEPT = 0.5  # an accepted parent contributes the directions of which its smooth keeps at least this


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


def smooth_gains(c: FloatArray, s: FloatArray, rss: float, price: float) -> tuple[FloatArray, FloatArray]:
    """Best net gain of each candidate over the grid of lambda.

    Parameters
    ----------
    c : (k, w) float array
        Products with the residual, in the basis where A = I.
    s : (k, w) float array
        Penalty there.
    rss : float
        |r|^2.
    price : float
        Of a degree of freedom, in log likelihood a row.

    Returns
    -------
    gains : (k,) float array
        1/2 log(rss / rss') less the price.
    h : (k, w) float array
        The shrinkage at the best lambda.
    """
    h = 1 / (1 + GRID[:, None, None] * s)  # (grid, k, w)
    fall = np.einsum("kw,gkw->gk", c**2, 1 - (1 - h) ** 2) / rss
    net = -0.5 * np.log(np.maximum(1 - fall, 1e-12)) - price * h.sum(axis=2)
    best = net.argmax(axis=0)
    rows = np.arange(len(c))
    return net[best, rows], h[best, rows]


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
        Q_i' y of each.
    price : float
        Of a degree of freedom, in log likelihood a row.
    """

    def __init__(
        self, blocks: Blocks, y: FloatArray, candidates: IntArray, products: FloatArray, price: float
    ) -> None:
        k, w = products.shape
        self.candidates, self.price = candidates, price
        self._blocks, self._residual, self._rss = blocks, y, max(float(y @ y), 1e-300)
        self._total = self._rss
        self._c, self._A = products, np.broadcast_to(np.eye(w), (k, w, w))
        self._W = np.zeros((0, len(y)))  # orthonormal rows

    @property
    def explained(self) -> float:
        """Share of the node's variance its parents explain."""
        return 1 - self._rss / self._total

    def gains(self) -> FloatArray:
        """Net gain in log likelihood a row of each candidate (k,)."""
        if len(self._W) == 0:
            c, s = self._c, self._blocks.penalty[self.candidates]
        else:
            c, s, _ = _diagonalise(self._A, self._c, self._blocks.penalty[self.candidates])
        return smooth_gains(c, s, self._rss, self.price)[0]

    def add(self, parent: int) -> None:
        """Make a candidate a parent: project node and candidates off its smooth directions."""
        t = int(np.flatnonzero(self.candidates == parent)[0])
        Q, penalty = self._blocks.Q[parent], self._blocks.penalty[[parent]]
        c, s, basis = _diagonalise(self._A[[t]], self._c[[t]], penalty)
        _, h = smooth_gains(c, s, self._rss, self.price)
        fresh = basis[0][:, h[0] >= KEPT].T @ (Q - (Q @ self._W.T) @ self._W)  # (m, n)
        fresh = fresh[np.linalg.norm(fresh, axis=1) > KEPT]  # what W already holds leaves rounding noise only
        fresh = np.linalg.qr(fresh.T)[0].T
        self._W = np.concatenate([self._W, fresh])
        along = fresh @ self._residual
        self._residual = self._residual - along @ fresh
        self._rss = max(float(self._residual @ self._residual), 1e-300)
        shadow = self._blocks.Q[self.candidates] @ fresh.T  # (k, w, m)
        self._c = self._c - shadow @ along
        self._A = self._A - shadow @ shadow.transpose(0, 2, 1)


def _diagonalise(
    A: FloatArray, c: FloatArray, penalty: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Change to bases in which A (k, w, w) is the identity and diag(penalty) (k, w) diagonal.

    Returns c (k, w), the penalty (k, w) there, and the new basis vectors as columns (k, w, w).
    """
    root = np.linalg.inv(np.linalg.cholesky(A + 1e-8 * np.eye(A.shape[1])))  # root A root' = I
    s, V = np.linalg.eigh((root * penalty[:, None, :]) @ root.transpose(0, 2, 1))
    basis = root.transpose(0, 2, 1) @ V
    return np.einsum("kwm,kw->km", basis, c), np.maximum(s, 0), basis
