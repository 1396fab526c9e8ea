"""Effect curves for the page: each edge's fitted curve with its error, each node's data and residuals."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.inputs.subsample import evenly_spaced_rows
from dagscale.models.splines import AdditiveFit, PartialEffect
from dagscale.result.edges import fit_children
from dagscale.runtime.progress import Progress
from dagscale.runtime.types import FloatArray, IntArray

if TYPE_CHECKING:
    from dagscale.result import Result

POINTS = 40_000  # numbers of data on the page in all ...
FEWEST, MOST = 100, 250  # ... and rows per column within these
GRID = 32  # points of a curve
ERRORS = 2.0  # half-width of the band in standard errors


def curves(result: "Result", progress: Progress) -> dict[str, Any]:
    """Return `data` by column, `residual` by child and `curve` by (parent, child), rounded.

    All empty where the result holds no sample of the data.
    """
    nothing: dict[str, Any] = {"data": [], "residual": {}, "curve": {}}
    if result.sample is None or len(result.sample) < 3 or not np.isfinite(result.sample).all():
        return nothing
    X = result.sample.astype(np.float64)
    rows = _shown_rows(X)

    centre, scale = X.mean(axis=0), X.std(axis=0)

    def summary(fit: AdditiveFit) -> tuple[FloatArray, dict[int, Any]]:
        return fit.residuals[rows], {parent: _curve(fit, t) for t, parent in enumerate(fit.parents)}

    children = int(result.adjacency.any(axis=0).sum())
    fits = fit_children(X, result.adjacency, summary, done=lambda k: progress("effect curves", k, children))
    found = {**nothing, "data": [_short(X[rows, j]) for j in range(X.shape[1])]}
    for child, (residual, effects) in fits.items():
        found["residual"][child] = _short(scale[child] * residual)
        for parent, (effect, heaviest) in effects.items():
            found["curve"][parent, child] = {
                "x": _short(centre[parent] + scale[parent] * effect.x),
                "fit": _short(centre[child] + scale[child] * effect.effect),
                "error": _short(ERRORS * scale[child] * effect.standard_error),
                "heaviest": round(heaviest, 2),
            }
    return found


def _shown_rows(X: FloatArray) -> IntArray:
    """Pick rows evenly; in tables of few columns also those of the extremes, since an outlier must show."""
    rows = evenly_spaced_rows(len(X), int(np.clip(POINTS // X.shape[1], FEWEST, MOST)))
    if 2 * X.shape[1] > FEWEST:
        return rows
    return np.unique(np.concatenate([rows, X.argmin(axis=0), X.argmax(axis=0)]))


def _curve(fit: AdditiveFit, t: int) -> tuple[PartialEffect, float]:
    """Return the t-th effect on an even grid, and the share of its variance that the heaviest row carries.

    Near 1, a single outlier made the edge.
    """
    squares = fit.effects[:, t] ** 2
    return fit.partial(fit.parents[t], GRID), float(squares.max() / max(squares.sum(), 1e-300))


def _short(values: FloatArray) -> list[float]:
    """Round to four significant digits, which is what a screen can show."""
    return [float(f"{value:.4g}") for value in values]
