"""The average effect of a cause on an outcome, other columns held fixed: by a straight line and by a curve.

Both are regressions of the outcome y on columns D of the cause and columns Z to adjust for:

    line   y = c + D b + Z g + e,                 errors of b from White's sandwich (HC1)
    curve  y = c + f(D) + sum_k g_k(Z_k) + e,     penalised splines, smoothness by REML.

The curve's average slope is the mean of f' over the rows; a linear function a'beta of the coefficients, with
variance a'Va, V = P (Z' diag(e^2) Z) P + s^2 (P - PGP). That is the posterior covariance s^2 P of `splines`, but
with its first part, s^2 PGP, as the residuals of each row have it, so that uneven noise is covered. The draw of the
rows adds var(f') / n.
"""

from typing import NamedTuple

import numpy as np

from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.curves import natural
from dagscale.runtime.types import FloatArray
from dagscale.runtime.workers import one_blas_thread

STEP = 1e-3  # of a standard deviation: the difference that stands for a derivative
LEFT = 1e-8  # share of a cause's variance that must be left once the other columns are held fixed


class Estimate(NamedTuple):
    """Average effects of the columns of a cause (m,), and their standard errors (m,); NaN where there is no telling."""

    effect: FloatArray
    error: FloatArray


class Curve(NamedTuple):
    """The outcome over the values of a cause, all else held: values (g,), effect (g,) of mean zero, errors (g,)."""

    x: FloatArray
    effect: FloatArray
    error: FloatArray


def by_line(y: FloatArray, D: FloatArray, Z: FloatArray) -> Estimate:
    """Return the coefficients of D (n, m) in the regression of y (n,) on D and Z (n, q)."""
    m = D.shape[1]
    if not _left_over(D, Z):
        return Estimate(np.full(m, np.nan), np.full(m, np.nan))
    A = np.column_stack([np.ones(len(y)), D, Z])
    size = np.maximum(np.abs(A).max(axis=0), 1e-300)
    inverse = np.linalg.pinv(A / size) / size[:, None]  # (1 + m + q, n)
    b = inverse @ y
    freedom = max(len(y) - int(np.linalg.matrix_rank(A / size)), 1)
    spread = np.square(y - A @ b) * len(y) / freedom
    return Estimate(b[1 : m + 1], np.sqrt(np.square(inverse) @ spread)[1 : m + 1])


def by_curve(y: FloatArray, D: FloatArray, Z: FloatArray, steps: int = 0) -> tuple[Estimate, Curve | None]:
    """Return the average slopes of D's curves; with steps, also the curve of its first column over its range."""
    m = D.shape[1]
    if not _left_over(D, Z):
        return Estimate(np.full(m, np.nan), np.full(m, np.nan)), None
    X = np.column_stack([D, Z, y])
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    with one_blas_thread():
        table = SplineTable.of(X / scale, n_jobs=1)
        fit = AdditiveFit.of(table, X.shape[1] - 1, range(X.shape[1] - 1), criterion="reml")
        V = _covariance(fit)
        found = [_slope(fit, V, k) if k in fit.parents else (0.0, 0.0) for k in range(m)]
        units = scale[-1] / scale[:m]
        effect, error = (np.array(values) * units for values in zip(*found, strict=True))
        curve = _curve(fit, V, steps, scale) if steps and 0 in fit.parents else None
    return Estimate(effect, error), curve


def _left_over(D: FloatArray, Z: FloatArray) -> bool:
    """Say whether every column of the cause still varies once the others are held fixed."""
    centred = D - D.mean(axis=0)
    total = np.square(centred).sum(axis=0)
    if Z.shape[1]:
        around = Z - Z.mean(axis=0)
        spread = around.std(axis=0)
        around = around[:, spread > 0] / spread[spread > 0]
        centred = centred - around @ np.linalg.lstsq(around, centred, rcond=None)[0]
    return bool((np.square(centred).sum(axis=0) > LEFT * total).all() and (total > 0).all())


def _covariance(fit: AdditiveFit) -> FloatArray:
    """Return V (q, q); see the module's head."""
    Z = np.hstack([fit.table.term(i, fit.rank)[0] for i in fit.parents])  # (n, q)
    P, n = fit.solution.P, len(Z)
    squares = np.square(fit.residuals) * n / max(n - fit.solution.trace, 1.0)
    V: FloatArray = P @ ((Z * squares[:, None]).T @ Z) @ P + fit.noise_variance * (P - fit.solution.M)
    return V


def _block(fit: AdditiveFit, k: int) -> slice:
    t = fit.parents.index(k)
    start = int(fit.equations.starts[t])
    return slice(start, start + int(fit.equations.widths[t]))


def _basis_at(fit: AdditiveFit, k: int, x: FloatArray) -> FloatArray:
    """Return the splines of column k at centred values (g, w)."""
    knots, first = np.unique(fit.table.column(k), return_index=True)
    return natural(knots, fit.table.term(k, fit.rank)[0][first])(x)


def _slope(fit: AdditiveFit, V: FloatArray, k: int) -> tuple[float, float]:
    """Return the mean of f' over the rows and its standard error; columns have variance 1."""
    x, own = fit.table.column(k), _block(fit, k)
    slopes = (_basis_at(fit, k, x + STEP / 2) - _basis_at(fit, k, x - STEP / 2)) / STEP  # (n, w)
    a, by_row = slopes.mean(axis=0), slopes @ fit.solution.beta[own]
    variance = float(a @ V[own, own] @ a) + float(by_row.var()) / len(x)
    return float(by_row.mean()), float(np.sqrt(max(variance, 0.0)))


def _curve(fit: AdditiveFit, V: FloatArray, steps: int, scale: FloatArray) -> Curve:
    """Evaluate the first column's curve between its 1st and 99th percentile."""
    x, own = fit.table.column(0), _block(fit, 0)
    low, high = np.quantile(x, [0.01, 0.99]).tolist()
    grid = np.linspace(low, high, steps)
    at = _basis_at(fit, 0, grid)
    variance = np.maximum(np.einsum("ga,ab,gb->g", at, V[own, own], at), 0.0)
    effect = at @ fit.solution.beta[own]
    values = (grid + fit.table.means[0]) * scale[0]
    return Curve(values, effect * scale[-1], np.sqrt(variance) * scale[-1])
