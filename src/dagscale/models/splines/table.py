"""A table's splines and cross products, computed once and shared by every node."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg

from dagscale.inputs.kinds import CATEGORICAL, CONTINUOUS
from dagscale.inputs.subsample import drawn_rows
from dagscale.models.splines.basis import ColumnBasis, column_bases, level_basis
from dagscale.models.splines.curves import Curves
from dagscale.models.splines.smoothing import NormalEquations
from dagscale.models.splines.streaming import stream
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.runtime.workers import worth_processes

Parents = Sequence[int] | IntArray
WHOLE_GRAM = 3000  # columns of Q up to which Q'Q is kept (72 MB); beyond, each node multiplies its own
LONG = 10_000  # rows up to which Q is kept; beyond, Q'Q alone, however wide
CHUNK = 2048  # columns whose splines are built before they are moved to their place
TOGETHER = 16  # of them in one task; fixed, so that n_jobs changes no rounding


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
    data : (n, d) float array
        The table.
    means : (d,) float array
        Of its columns.
    Q : (n, D) float array or None
        All columns' orthonormal splines; column i owns Q[:, starts[i]:starts[i + 1]], a contiguous piece of
        memory. None in a long table, where `curves` give a column's rows and `streamed` is Q'Q.
    starts : (d + 1,) int array
        Offsets into Q.
    columns : tuple of ColumnBasis
        Per column, its penalty and the rotations to smaller ranks.
    k : int
        Rank before the rule of `basis_rank`.
    kinds : tuple of d str
        As in `inputs.table.Table`: a category has effects of its levels instead of splines.
    """

    data: FloatArray
    means: FloatArray
    Q: FloatArray | None
    starts: IntArray
    columns: tuple[ColumnBasis, ...]
    k: int
    curves: tuple[Curves, ...] = ()
    streamed: FloatArray | None = None
    kinds: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        X: FloatArray,
        k: int = 10,
        n_jobs: int | None = None,
        *,
        only: BoolArray | None = None,
        kinds: tuple[str, ...] = (),
    ) -> "SplineTable":
        """Build the splines of every column of X (n, d); beyond `LONG` rows as `streaming` does.

        Columns outside `only` (d,), if given, are not worth the time: they get none, as if constant (a long
        table builds all).
        """
        X = np.asarray(X, dtype=np.float64)
        n, d = X.shape
        means = X.mean(axis=0)
        if n > LONG:
            found = stream(X, k, n_jobs, kinds)
            starts = np.cumsum([0, *(len(column.penalty) for column in found.columns)])
            return cls(
                X, means, None, starts, tuple(found.columns), k, tuple(found.curves), found.gram, kinds
            )
        columns: list[ColumnBasis] = []
        elsewhere = worth_processes(d, n_jobs)
        Q = np.empty((d * (k - 1), n))
        end = 0
        for first in range(0, d, CHUNK):
            some = np.array(X[:, first : first + CHUNK].T, order="C")
            if only is not None:
                some[~only[first : first + CHUNK]] = 0.0
            tasks = [some[start : start + TOGETHER] for start in range(0, len(some), TOGETHER)]
            built = parallel_map(
                lambda part: column_bases(part, k), tasks, n_jobs, local=not elsewhere, processes=elsewhere
            )
            for task in built:
                for column in task:
                    start, end = end, end + len(column.penalty)
                    Q[start:end] = column.Q.T
                    columns.append(replace(column, Q=Q[start:end].T))
        starts = np.cumsum([0, *(len(column.penalty) for column in columns)])
        table = cls(X, means, Q[:end].T, starts, tuple(columns), k)
        return table._with_levels(kinds) if kinds else table

    def _with_levels(self, kinds: tuple[str, ...]) -> "SplineTable":
        """Return the table with effects of levels in place of the splines of categories."""
        columns = [
            level_basis(self.data[:, j]) if kind == CATEGORICAL and len(column.penalty) else column
            for j, (column, kind) in enumerate(zip(self.columns, kinds, strict=True))
        ]
        starts = np.cumsum([0, *(len(column.penalty) for column in columns)])
        Q = np.ascontiguousarray(np.hstack([column.Q for column in columns]).T)
        columns = [
            replace(column, Q=Q[start:end].T)
            for column, start, end in zip(columns, starts[:-1], starts[1:], strict=True)
        ]
        return replace(self, Q=Q.T, starts=starts, columns=tuple(columns), kinds=kinds)

    def kind(self, j: int) -> str:
        """Return the kind of column j."""
        return self.kinds[j] if self.kinds else CONTINUOUS

    def on_some_rows(self, most: int, n_jobs: int | None = None) -> "SplineTable":
        """Return the splines of at most so many rows, drawn at random; this table where it has no more."""
        if len(self.data) <= most:
            return self
        return SplineTable.of(self.data[drawn_rows(len(self.data), most)], n_jobs=n_jobs, kinds=self.kinds)

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.data)

    @cached_property
    def X(self) -> FloatArray:
        """The table, centred (n, d); a copy, which a long table makes only if it is asked for."""
        return self.data - self.means

    @property
    def widths(self) -> IntArray:
        """Columns of Q each column owns (d,); 0 for a constant."""
        return np.diff(self.starts)

    @cached_property
    def norms(self) -> FloatArray:
        """Length of every centred column (d,)."""
        norms: FloatArray = np.sqrt(self.n * self.data.var(axis=0))
        return norms

    @cached_property
    def products(self) -> FloatArray:
        """Q'X (D, d): every column's splines against every column."""
        return self.against(np.arange(len(self.means)))

    @cached_property
    def gram(self) -> FloatArray | None:
        """Q'Q (D, D), or None when it would be too large to keep."""
        if self.Q is None:
            return self.streamed
        return self.Q.T @ self.Q if self.Q.shape[1] <= WHOLE_GRAM else None

    def prepare(self) -> None:
        """Compute what the nodes share now, before several threads ask for it."""
        _ = self.norms
        if self.gram is not None:
            _ = self.products

    def column(self, j: int) -> FloatArray:
        """Return column j, centred (n,)."""
        column: FloatArray = self.data[:, j] - self.means[j]
        return column

    def rank(self, terms: int) -> int:
        """Return the rank of each spline in a model of so many terms."""
        return basis_rank(self.n, max(terms, 1), self.k)

    def splines(self, i: int) -> FloatArray:
        """Return the splines of column i at the table's rows (n, w)."""
        return self.columns[i].Q if self.Q is not None else self.curves[i](self.data[:, i])

    def term(self, i: int, k: int) -> tuple[FloatArray, FloatArray]:
        """Return the rank-k splines of column i (n, w) and their penalty (w,)."""
        if k >= self.k:
            return self.splines(i), self.columns[i].penalty
        rotation, penalty = self.columns[i].narrowed(k)
        return self.splines(i) @ rotation, penalty

    def against(self, children: IntArray) -> FloatArray:
        """Q'x of some columns x (D, m)."""
        if self.Q is not None:
            return self.Q.T @ self.X[:, children]
        assert self.streamed is not None
        # a column is a multiple of its own first spline, the straight line
        varying = self.widths[children] > 0
        lines = self.streamed[:, np.where(varying, self.starts[children], 0)]
        return lines * np.where(varying, self.norms[children], 0.0)

    def equations(self, child: int, parents: Parents, k: int, *, afresh: bool = False) -> NormalEquations:
        """Set up the additive regression of a column on rank-k splines of others, none of them constant.

        `afresh` multiplies the splines anew where there are any, rather than read the shared products.
        """
        none = np.zeros(0)
        shared = k >= self.k and not afresh
        if self.gram is not None and (shared or self.Q is None):
            spans = [np.arange(self.starts[i], self.starts[i + 1]) for i in parents]
            members = np.concatenate([none.astype(np.intp), *spans])
            G, b = self.gram[np.ix_(members, members)], self.products[members, child]
            penalties = [self.columns[i].penalty for i in parents]
            if k < self.k:
                narrowed = [self.columns[i].narrowed(k) for i in parents]
                rotation = scipy.linalg.block_diag(*(part for part, _ in narrowed))
                G, b = rotation.T @ G @ rotation, rotation.T @ b
                penalties = [penalty for _, penalty in narrowed]
        else:
            y = self.column(child)
            terms = [self.term(i, k) for i in parents]
            penalties = [penalty for _, penalty in terms]
            Z = np.hstack([np.zeros((len(y), 0)), *(columns for columns, _ in terms)])
            G, b = Z.T @ Z, Z.T @ y
        starts = np.cumsum([0, *(len(penalty) for penalty in penalties)])[:-1]
        yy = float(self.norms[child] ** 2)
        return NormalEquations(G, b, yy, self.n, np.concatenate([none, *penalties]), starts)
