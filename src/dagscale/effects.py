"""How strong each edge is, whether it raises or lowers its child, and its curve: one additive fit per child.

With y the child, standardised, and Q = [Q_1 .. Q_k] the spline bases of its parents, the fit is beta = P Q'y,
P = (Q'Q + W)^-1, M = P Q'Q P (`splines.smoothing`). Dropping parent p raises the penalised sum of squares by
T_p = beta_p' (P_pp)^-1 beta_p, of which chance alone explains sigma^2 c_p, c_p = tr((P_pp)^-1 M_pp). The
strength is (T_p - sigma^2 c_p) / y'y, smoothing held fixed: the share of the child's variance that the graph
cannot explain without this parent. For straight lines it is the omega-squared of a regression. It sees
additive effects only: a parent that acts through a pure interaction has strength near 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from dagscale.found import Found
from dagscale.parallel import parallel_map
from dagscale.splines.basis import ColumnBasis, column_basis
from dagscale.splines.smoothing import NormalEquations, smooth
from dagscale.types import BoolArray, FloatArray, IntArray

T = TypeVar("T")
ROWS = 2000  # strengths and curves need no more rows than this; evenly spaced ones are taken
RANK = 10  # splines per parent, fewer when there are few rows per parent
SIGNIFICANT = 2.0  # standard errors by which an average slope must differ from zero to have a sign


@dataclass(frozen=True)
class ChildFit:
    """The additive fit of one child on its k parents, in units of the child's standard deviation.

    Attributes
    ----------
    parents : (k,) int array
    strength : (k,) float array
        Share of the child's variance lost without the parent, in [0, 1].
    slope, slope_error : (k,) float arrays
        Average slope (per standard deviation of the parent) and its standard error.
    partial, partial_error : (n, k) float arrays
        Fitted effect of each parent at each row, centred, and its standard error.
    residual : (n,) float array
    """

    parents: IntArray
    strength: FloatArray
    slope: FloatArray
    slope_error: FloatArray
    partial: FloatArray
    partial_error: FloatArray
    residual: FloatArray

    @property
    def sign(self) -> IntArray:
        """+1, -1, or 0 where the average slope does not differ from zero."""
        clear = np.abs(self.slope) > SIGNIFICANT * self.slope_error
        return (np.sign(self.slope) * clear).astype(np.intp)


def edge_table(X: FloatArray, names: list[Any], found: Found, n_jobs: int | None = None) -> pd.DataFrame:
    """Lay out the edges, strongest first: source, target, strength, sign, then the method's evidence."""
    strength, sign = edge_effects(X, found.adjacency, n_jobs)
    parents, children = np.nonzero(found.adjacency)
    place = np.argsort(found.order)
    # Ties by place in the order, which knows nothing of the table's column order.
    sorting = np.lexsort((place[parents], place[children], -strength[parents, children]))
    ends = np.stack([parents, children], axis=1)[sorting]  # (edges, 2)
    at = (ends[:, 0], ends[:, 1])
    evidence = {name: np.asarray(values)[at] for name, values in found.evidence.items()}
    return edge_frame(names, ends, {"strength": strength[at], "sign": sign[at], **evidence})


def edge_frame(names: list[Any], ends: IntArray, values: dict[str, Any]) -> pd.DataFrame:
    """Make a frame with one row per edge: source, target (by name), then the columns of `values`."""
    kind: Any = "str" if all(isinstance(name, str) and _is_utf8(name) for name in names) else object
    sides = {
        side: pd.Series([names[i] for i in ends[:, k]], dtype=kind)
        for k, side in enumerate(("source", "target"))
    }
    return pd.DataFrame({**sides, **values})


def _is_utf8(text: str) -> bool:
    """Say whether pandas' string column can hold the text: half a surrogate pair breaks it."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def edge_effects(
    X: FloatArray, adjacency: BoolArray, n_jobs: int | None = None
) -> tuple[FloatArray, IntArray]:
    """Return strength and sign of every edge, (d, d) both, 0 where there is none."""
    strength = np.zeros(adjacency.shape)
    sign = np.zeros(adjacency.shape, dtype=np.intp)
    for child, fit in fit_children(X, adjacency, _without_curves, n_jobs).items():
        parents, strength[parents, child], sign[parents, child] = fit[0], fit[1], fit[2]
    return strength, sign


def _without_curves(fit: ChildFit) -> tuple[IntArray, FloatArray, IntArray]:
    return fit.parents, fit.strength, fit.sign


def fit_children(
    X: FloatArray,
    adjacency: BoolArray,
    summary: Callable[[ChildFit], T],
    n_jobs: int | None = None,
    done: Callable[[int], None] | None = None,
) -> dict[int, T]:
    """Return `summary(fit)` for every node that has parents, by its index; `done(k)` is told of the k-th."""
    X = X[row_sample(len(X), ROWS)]
    used = np.flatnonzero(adjacency.any(axis=1))
    bases = dict(zip(used, parallel_map(lambda p: column_basis(X[:, p], RANK), used, n_jobs), strict=True))
    children = np.flatnonzero(adjacency.any(axis=0))

    def one(child: int) -> T:
        parents = np.flatnonzero(adjacency[:, child])
        return summary(fit_child(X[:, child], X[:, parents], [bases[p] for p in parents], parents))

    return dict(zip(children.tolist(), parallel_map(one, children, n_jobs, done), strict=True))


def row_sample(n: int, rows: int) -> IntArray:
    """Pick at most `rows` evenly spaced rows: the same table gives the same ones."""
    return np.unique(np.linspace(0, n - 1, min(n, rows)).round().astype(np.intp))


def fit_child(y: FloatArray, P: FloatArray, bases: list[ColumnBasis], parents: IntArray) -> ChildFit:
    """Fit one child (n,) on the bases of its parents, whose columns are P (n, k)."""
    n, k = P.shape
    y = standardized(y)
    blocks, penalties = _design(bases, rank=int(np.clip(n // (3 * k), 2, RANK)))
    Q = np.hstack(blocks)  # (n, q)
    ends = np.cumsum([0, *(block.shape[1] for block in blocks)])
    starts = ends[:-1][np.diff(ends) > 0]  # a constant parent has no columns
    if not len(starts) or not y.any():
        return _no_fit(y, parents)
    equations = NormalEquations(Q.T @ Q, Q.T @ y, float(y @ y), n, np.concatenate(penalties), starts)
    solution = smooth(equations, "reml")
    beta, residual = solution.beta, y - Q @ solution.beta
    variance = solution.deviance / max(1.0, n - solution.trace)
    fit = _no_fit(residual, parents)
    for i in range(k):
        own = slice(ends[i], ends[i + 1])
        spread = variance * solution.M[own, own]
        fit.partial[:, i] = Q[:, own] @ beta[own]
        fit.partial_error[:, i] = np.sqrt(np.einsum("na,ab,nb->n", Q[:, own], spread, Q[:, own]).clip(min=0))
        fit.strength[i] = _strength(beta[own], solution.P[own, own], spread, equations.yy)
        fit.slope[i], fit.slope_error[i] = _slope(standardized(P[:, i]), Q[:, own], fit.partial[:, i], spread)
    return fit


def _no_fit(residual: FloatArray, parents: IntArray) -> ChildFit:
    n, k = len(residual), len(parents)
    zeros = [np.zeros(k) for _ in range(3)]
    return ChildFit(parents, *zeros, np.zeros((n, k)), np.zeros((n, k)), residual)


def standardized(y: FloatArray) -> FloatArray:
    """Centre to mean 0 and scale to variance 1; a constant becomes 0."""
    y = y - y.mean()
    scale = float(np.sqrt(np.mean(y**2)))
    return y / scale if scale > 0 else y


def _design(bases: list[ColumnBasis], rank: int) -> tuple[list[FloatArray], list[FloatArray]]:
    blocks, penalties = [], []
    for basis in bases:
        rotation, penalty = basis.narrowed(rank)
        blocks.append(basis.Q @ rotation)
        penalties.append(penalty)
    return blocks, penalties


def _strength(beta: FloatArray, P: FloatArray, spread: FloatArray, total: float) -> float:
    if not len(beta):
        return 0.0
    weights = np.linalg.inv(P)
    return float(np.clip((beta @ weights @ beta - np.trace(weights @ spread)) / total, 0, 1))


def _slope(x: FloatArray, Q: FloatArray, f: FloatArray, covariance: FloatArray) -> tuple[float, float]:
    """Return the average slope of f over the data and its standard error.

    cov(f, x) / var(x), the mean of f' with weights that favour the middle of the data (for Gaussian x
    exactly E f'). The error counts both the fit and the draw of the rows.
    """
    if not x.any():
        return 0.0, 0.0
    n = len(x)
    slope = float(x @ f) / n
    weights = Q.T @ x / n
    drawn = x * (f - slope * x)
    fitted = max(0.0, float(weights @ covariance @ weights))
    return slope, float(np.sqrt(fitted + drawn.var() / n))
