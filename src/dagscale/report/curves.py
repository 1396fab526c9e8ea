"""Effect curves for the page: each edge's fitted curve with its error, each node's data and residuals."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.effects import ChildFit, fit_children, row_sample
from dagscale.run import Progress
from dagscale.types import FloatArray, IntArray

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

    def summary(fit: ChildFit) -> tuple[FloatArray, list[dict[str, Any]]]:
        return fit.residual[rows], [_curve(fit, k, X[:, parent]) for k, parent in enumerate(fit.parents)]

    children = int(result.adjacency.any(axis=0).sum())
    fits = fit_children(X, result.adjacency, summary, done=lambda k: progress("effect curves", k, children))
    found = {**nothing, "data": [_short(X[rows, j]) for j in range(X.shape[1])]}
    for child, (residual, per_parent) in fits.items():
        centre, scale = float(X[:, child].mean()), float(X[:, child].std())
        found["residual"][child] = _short(scale * residual)
        for parent, curve in zip(
            np.flatnonzero(result.adjacency[:, child]).tolist(), per_parent, strict=True
        ):
            found["curve"][parent, child] = {
                "x": _short(curve["x"]),
                "fit": _short(centre + scale * curve["fit"]),
                "error": _short(ERRORS * scale * curve["error"]),
                "heaviest": round(curve["heaviest"], 2),
            }
    return found


def _shown_rows(X: FloatArray) -> IntArray:
    """Pick rows evenly; in tables of few columns also those of the extremes, since an outlier must show."""
    rows = row_sample(len(X), int(np.clip(POINTS // X.shape[1], FEWEST, MOST)))
    if 2 * X.shape[1] > FEWEST:
        return rows
    return np.unique(np.concatenate([rows, X.argmin(axis=0), X.argmax(axis=0)]))


def _curve(fit: ChildFit, k: int, x: FloatArray) -> dict[str, Any]:
    """Read the k-th effect at data points spread evenly over the parent's range, outermost ones included.

    `heaviest` is the share of the effect's variance that the one heaviest row carries: near 1, an outlier
    made the edge.
    """
    order = np.argsort(x, kind="stable")
    wanted = np.linspace(x[order[0]], x[order[-1]], GRID)
    nearest = order[np.unique(np.searchsorted(x[order], wanted).clip(0, len(x) - 1))]
    squares = fit.partial[:, k] ** 2
    return {
        "x": x[nearest],
        "fit": fit.partial[nearest, k],
        "error": fit.partial_error[nearest, k],
        "heaviest": float(squares.max() / max(squares.sum(), 1e-300)),
    }


def _short(values: FloatArray) -> list[float]:
    """Round to four significant digits, which is what a screen can show."""
    return [float(f"{value:.4g}") for value in values]
