"""The splines of a long table: their Gram matrix alone, summed up over blocks of rows.

All the engine needs of the rows is the Gram matrix of the splines, (9 d)^2 numbers whatever n: the rows
themselves would be 9 n d. Each column's thin-plate splines are built on at most `KNOTS` knots, quantiles of
a sample of rows (mgcv draws as many at random), evaluated at all rows one block at a time, and rotated at
the end so that they are orthonormal over the whole table, as `basis` has them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg

from dagscale.inputs.kinds import CATEGORICAL, of_kinds
from dagscale.models.splines.basis import ColumnBasis, column_basis, demmler_reinsch, level_basis
from dagscale.models.splines.curves import Curves, natural
from dagscale.runtime.parallel import parallel_map, run_in_threads
from dagscale.runtime.types import FloatArray, IntArray

KNOTS = 2000
SAMPLE = 20_000  # rows the knots are taken from
BLOCK = 4_000_000  # numbers of splines held at once: 32 MB
PANEL = 512  # columns of the Gram matrix a worker adds to at a time


@dataclass(frozen=True)
class Streamed:
    """A long table's splines.

    Attributes
    ----------
    columns : list of ColumnBasis
        Without rows.
    curves : list of callables
        Values (g,) of a column -> its splines there (g, w), centred and orthonormal over the table's rows.
    gram : (D, D) float array
        Of all splines over all rows.
    """

    columns: list[ColumnBasis]
    curves: list[Curves]
    gram: FloatArray


def stream(X: FloatArray, k: int = 10, n_jobs: int | None = None, kinds: Sequence[str] = ()) -> Streamed:
    """Build the rank-k splines of every column of X (n, d), looking at a block of rows at a time."""
    n, d = X.shape
    rows = np.sort(np.random.default_rng(0).choice(n, min(n, SAMPLE), replace=False))
    levels = of_kinds(kinds, (CATEGORICAL,), d)
    starts = parallel_map(
        lambda j: _start_of_levels(X[:, j]) if levels[j] else _start(X[:, j], rows, k), range(d), n_jobs
    )
    columns, curves = [column for column, _ in starts], [curve for _, curve in starts]
    widths = [len(column.penalty) for column in columns]
    gram, means = _gram(X, curves, widths, n_jobs)
    ends = np.cumsum(widths)
    for j, (column, end) in enumerate(zip(columns, ends, strict=True)):
        if not len(column.penalty):
            continue
        own = slice(end - len(column.penalty), end)
        T, columns[j] = _orthonormal(column, scipy.linalg.cholesky(_positive(gram[own, own])))
        curves[j] = _rotated(curves[j], means[own], T)
        gram[own] = T.T @ gram[own]
        gram[:, own] = gram[:, own] @ T
    return Streamed(columns, curves, gram)


def _start(x: FloatArray, rows: IntArray, k: int) -> tuple[ColumnBasis, Curves]:
    """Splines of one column on its knots, orthonormal over the sample."""
    knots = _knots(x, rows)
    column = column_basis(knots, k)
    if not len(column.penalty):
        return column, lambda at: np.zeros((len(at), 0))
    curves = natural(knots, column.Q)
    sampled = curves(x[rows])
    T, column = _orthonormal(column, np.linalg.qr(sampled - sampled.mean(axis=0))[1])
    return column, natural(knots, curves(knots) @ T)


def _start_of_levels(x: FloatArray) -> tuple[ColumnBasis, Curves]:
    """Functions of the levels of one column, the straight line first."""
    levels = np.unique(x)
    column = level_basis(levels)
    return column, lambda at: column.Q[np.searchsorted(levels, at)]


def _knots(x: FloatArray, rows: IntArray) -> FloatArray:
    """All values of the sample and the extremes of the column, or as many quantiles as there may be knots."""
    values = np.sort(np.append(x[rows], [x.min(), x.max()]))
    distinct = np.unique(values)
    if len(distinct) <= KNOTS:
        return distinct
    return np.unique(values[np.linspace(0, len(values) - 1, KNOTS).round().astype(np.intp)])


def _orthonormal(column: ColumnBasis, R: FloatArray) -> tuple[FloatArray, ColumnBasis]:
    """Turn curves F with F = (orthonormal columns) R into the Demmler-Reinsch basis F T.

    Returns T (w, w) and the basis it makes, without rows.
    """
    diagonal = np.where(R.diagonal() < 0, -1.0, 1.0)
    R = diagonal[:, None] * R
    # a curve that no row tells from the others stays small instead of becoming noise
    floor = 1e-7 * np.abs(R.diagonal()).max()
    R[np.diag_indices_from(R)] = np.maximum(R.diagonal(), floor)
    if not len(column.eigenvalues):  # levels
        rows = np.zeros((0, len(R)))
        return np.asarray(scipy.linalg.solve_triangular(R, np.eye(len(R)))), replace(column, Q=rows)
    wiggles = R @ column.wiggles
    rotation, penalty = demmler_reinsch(R[:, 0], wiggles, column.eigenvalues, column.moments)
    T: FloatArray = scipy.linalg.solve_triangular(R, rotation, check_finite=False)
    rotated = rotation.T @ wiggles
    empty = np.zeros((0, len(penalty)))
    return T, ColumnBasis(empty, penalty, rotated, column.eigenvalues, column.moments)


def _positive(block: FloatArray) -> FloatArray:
    positive: FloatArray = block + 1e-12 * np.trace(block) * np.eye(len(block))
    return positive


def _rotated(curves: Curves, mean: FloatArray, T: FloatArray) -> Curves:
    return lambda x: (curves(x) - mean) @ T


def _gram(
    X: FloatArray, curves: Sequence[Curves], widths: Sequence[int], n_jobs: int | None
) -> tuple[FloatArray, FloatArray]:
    """Sum the curves (D,) and their products (D, D) over blocks of rows; return products and means, centred.

    Workers share out columns, not rows: their number changes no rounding.
    """
    n = len(X)
    starts = np.cumsum([0, *widths])
    D = int(starts[-1])
    gram, sums = np.zeros((D, D)), np.zeros(D)
    panels = [slice(start, min(start + PANEL, D)) for start in range(0, D, PANEL)]
    for rows in _blocks(n, D):
        x = X[rows]
        F = np.empty((D, len(x)))

        def evaluate(j: int, x: FloatArray = x, F: FloatArray = F) -> None:
            F[starts[j] : starts[j + 1]] = curves[j](x[:, j]).T

        def add(panel: slice, F: FloatArray = F) -> None:
            gram[panel, : panel.stop] += F[panel] @ F[: panel.stop].T

        run_in_threads(evaluate, range(len(curves)), n_jobs)
        run_in_threads(add, panels[::-1], n_jobs)
        sums += F.sum(axis=1)
    for panel in panels:
        gram[: panel.start, panel] = gram[panel, : panel.start].T
    gram -= np.outer(sums / n, sums)
    return gram, sums / n


def _blocks(n: int, width: int) -> Iterator[slice]:
    rows = max(256, BLOCK // max(1, width))
    return (slice(start, start + rows) for start in range(0, n, rows))
