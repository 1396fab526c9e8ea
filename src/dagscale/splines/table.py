"""A table's splines and cross products, computed once and shared by every node."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagscale.parallel import parallel_map
from dagscale.splines.basis import ColumnBasis, column_basis
from dagscale.splines.smoothing import NormalEquations
from dagscale.types import FloatArray, IntArray

Parents = Sequence[int] | IntArray
WHOLE_GRAM = 3000  # columns of Q up to which Q'Q is kept (72 MB); beyond, each node multiplies its own


def basis_rank(n: int, p: int, k: int = 10) -> int:
    """Return the rank of each spline when p of them share n rows.

    CAM's rule: k while n / p >= 3 k, else ceil(n / (3 p)); below 3 only the straight line is left (2).
    """
    return k if n >= 3 * k * p else max(2, -(-n // (3 * p)))


@dataclass(frozen=True)
class SplineTable:
    """The splines of all columns, side by side.

    Attributes
    ----------
    X : (n, d) float array
        The table, centred.
    means : (d,) float array
        What centring took away.
    Q : (n, D) float array
        All columns' orthonormal splines; column i owns Q[:, starts[i]:starts[i + 1]].
    starts : (d + 1,) int array
        Offsets into Q.
    columns : tuple of ColumnBasis
        Per column, its penalty and the rotations to smaller ranks.
    k : int
        Rank before the rule of `basis_rank`.
    """

    X: FloatArray
    means: FloatArray
    Q: FloatArray
    starts: IntArray
    columns: tuple[ColumnBasis, ...]
    k: int

    @classmethod
    def of(cls, X: FloatArray, k: int = 10, n_jobs: int | None = None) -> "SplineTable":
        """Build the splines of every column of X (n, d)."""
        X = np.asarray(X, dtype=np.float64)
        columns = parallel_map(lambda x: column_basis(x, k), np.ascontiguousarray(X.T), n_jobs, local=True)
        starts = np.cumsum([0, *(len(column.penalty) for column in columns)])
        Q = np.empty((len(X), starts[-1]))
        for column, start, end in zip(columns, starts[:-1], starts[1:], strict=True):
            Q[:, start:end] = column.Q
        views = (
            ColumnBasis(Q[:, start:end], c.penalty, c.wiggles, c.eigenvalues, c.moments)
            for c, start, end in zip(columns, starts[:-1], starts[1:], strict=True)
        )
        means = X.mean(axis=0)
        return cls(X - means, means, Q, starts, tuple(views), k)

    @property
    def widths(self) -> IntArray:
        """Columns of Q each column owns (d,); 0 for a constant."""
        return np.diff(self.starts)

    @cached_property
    def products(self) -> FloatArray:
        """Q'X (D, d): every column's splines against every column."""
        return self.Q.T @ self.X

    @cached_property
    def gram(self) -> FloatArray | None:
        """Q'Q (D, D), or None when it would be too large to keep."""
        return self.Q.T @ self.Q if self.Q.shape[1] <= WHOLE_GRAM else None

    def prepare(self) -> None:
        """Compute what the nodes share now, before several threads ask for it."""
        if self.gram is not None:
            _ = self.products

    def rank(self, terms: int) -> int:
        """Return the rank of each spline in a model of so many terms."""
        return basis_rank(len(self.X), max(terms, 1), self.k)

    def term(self, i: int, k: int) -> tuple[FloatArray, FloatArray]:
        """Return the rank-k splines of column i (n, w) and their penalty (w,)."""
        column = self.columns[i]
        if k >= self.k:
            return column.Q, column.penalty
        rotation, penalty = column.narrowed(k)
        return column.Q @ rotation, penalty

    def equations(self, child: int, parents: Parents, k: int) -> NormalEquations:
        """Set up the additive regression of a column on rank-k splines of others, none of them constant."""
        y = self.X[:, child]
        none = np.zeros(0)
        if k >= self.k and self.gram is not None:
            spans = [np.arange(self.starts[i], self.starts[i + 1]) for i in parents]
            members = np.concatenate([none.astype(np.intp), *spans])
            G, b = self.gram[np.ix_(members, members)], self.products[members, child]
            penalties = [self.columns[i].penalty for i in parents]
        else:
            terms = [self.term(i, k) for i in parents]
            penalties = [penalty for _, penalty in terms]
            Z = np.hstack([np.zeros((len(y), 0)), *(columns for columns, _ in terms)])
            G, b = Z.T @ Z, Z.T @ y
        starts = np.cumsum([0, *(len(penalty) for penalty in penalties)])[:-1]
        return NormalEquations(G, b, float(y @ y), len(y), np.concatenate([none, *penalties]), starts)
