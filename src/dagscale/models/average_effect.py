"""The average effect of a cause on an outcome, other columns held fixed: by a straight line and by a curve.

Both are regressions of an outcome y on columns D of the cause and columns Z to adjust for:

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
    """Average effects of the columns of a cause on every outcome (k, m), and their standard errors (k, m).

    NaN where there is no telling.
    """

    effect: FloatArray
    error: FloatArray


class Curve(NamedTuple):
    """The outcome over the values of a cause, all else held: values (g,), effect (g,) of mean zero, errors (g,)."""

    x: FloatArray
    effect: FloatArray
    error: FloatArray


def by_line(Y: FloatArray, D: FloatArray, Z: FloatArray) -> Estimate:
    """Return the coefficients of D (n, m) in the regressions of the columns of Y (n, k) on D and Z (n, q)."""
    n, m = D.shape
    if not _left_over(D, Z):
        return _unknown(Y, D)
    A = np.column_stack([np.ones(n), D, Z])
    size = np.maximum(np.abs(A).max(axis=0), 1e-300)
    inverse = np.linalg.pinv(A / size) / size[:, None]  # (1 + m + q, n)
    b = inverse @ Y
    freedom = max(n - int(np.linalg.matrix_rank(A / size)), 1)
    spread = np.square(Y - A @ b) * n / freedom
    return Estimate(b[1 : m + 1].T, np.sqrt(np.square(inverse) @ spread)[1 : m + 1].T)


def by_curve(Y: FloatArray, D: FloatArray, Z: FloatArray, steps: int = 0) -> tuple[Estimate, Curve | None]:
    """Return the average slopes of D's curves; with steps, also that of its first column for the first outcome."""
    if not _left_over(D, Z):
        return _unknown(Y, D), None
    m, q = D.shape[1], D.shape[1] + Z.shape[1]
    X = np.column_stack([D, Z, Y])
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    found, curve = np.zeros((Y.shape[1], m, 2)), None
    with one_blas_thread():
        table = SplineTable.of(X / scale, n_jobs=1, only=np.arange(X.shape[1]) < q)
        slopes: dict[tuple[int, int], FloatArray] = {}  # by column and rank: alike for all outcomes
        for outcome, of in enumerate(found):
            fit = AdditiveFit.of(table, q + outcome, range(q), criterion="reml")
            V = _covariance(fit)
            for k in (k for k in range(m) if k in fit.parents):
                if (k, fit.rank) not in slopes:
                    slopes[k, fit.rank] = _slopes(fit, k)
                of[k] = _average(fit, V, k, slopes[k, fit.rank])
            if steps and outcome == 0 and 0 in fit.parents:
                curve = _curve(fit, V, steps, scale)
    found *= (scale[q:, None] / scale[:m])[..., None]
    return Estimate(found[..., 0], found[..., 1]), curve


def _unknown(Y: FloatArray, D: FloatArray) -> Estimate:
    nothing = np.full((Y.shape[1], D.shape[1]), np.nan)
    return Estimate(nothing, nothing)


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


def _slopes(fit: AdditiveFit, k: int) -> FloatArray:
    """Return the derivatives of column k's splines at its rows (n, w); columns have variance 1."""
    x = fit.table.column(k)
    return (_basis_at(fit, k, x + STEP / 2) - _basis_at(fit, k, x - STEP / 2)) / STEP


def _average(fit: AdditiveFit, V: FloatArray, k: int, slopes: FloatArray) -> tuple[float, float]:
    """Return the mean of f' over the rows and its standard error."""
    own = _block(fit, k)
    a, by_row = slopes.mean(axis=0), slopes @ fit.solution.beta[own]
    variance = float(a @ V[own, own] @ a) + float(by_row.var()) / len(by_row)
    return float(by_row.mean()), float(np.sqrt(max(variance, 0.0)))


def _curve(fit: AdditiveFit, V: FloatArray, steps: int, scale: FloatArray) -> Curve:
    """Evaluate the first column's curve between its 1st and 99th percentile."""
    x, own = fit.table.column(0), _block(fit, 0)
    low, high = np.quantile(x, [0.01, 0.99]).tolist()
    grid = np.linspace(low, high, steps)
    at = _basis_at(fit, 0, grid)
    variance = np.maximum(np.einsum("ga,ab,gb->g", at, V[own, own], at), 0.0)
    effect, unit = at @ fit.solution.beta[own], scale[fit.child]
    values = (grid + fit.table.means[0]) * scale[0]
    return Curve(values, effect * unit, np.sqrt(variance) * unit)
