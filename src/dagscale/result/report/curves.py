"""Effect curves for the page: each edge's fitted curve with its error, each node's data and residuals.

A parent of levels has one value a level instead of a curve. A child of levels has the probability of each of its
levels, a count its mean, with 95% intervals.
Wide tables have curves for their strongest edges only, and rows of those columns. Rows in which a child was set, or had
another mechanism, tell nothing of its curves: they are left out, and have no residual.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.inputs.kinds import CATEGORICAL, CODED, CONTINUOUS, of_kinds
from dagscale.inputs.subsample import evenly_spaced_rows
from dagscale.models.levels import LevelEffect, LevelFit
from dagscale.models.splines import PartialEffect
from dagscale.result.edges import ChildFit, by_rows, fit_children
from dagscale.result.report.reasons import strongest_edges
from dagscale.runtime.progress import Progress
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from dagscale.result import Result

POINTS = 40_000  # numbers of data on the page in all ...
FEWEST, MOST = 100, 250  # ... and rows per column within these
GRID = 32  # points of a curve
ERRORS = 2.0  # half-width of the band in standard errors
WIDE = 2000  # columns
CURVED, CURVED_OF_WIDE = 1000, 300  # edges with a curve: the strongest
ALL_DATA_UP_TO = 500  # columns; wider tables show rows of columns with a curve only
BACK = 0.1  # share of its range by which a curve must come back to count as turning


def curves(result: "Result", progress: Progress) -> dict[str, Any]:
    """Return `data` by column, `residual` by child and `curve` by (parent, child), rounded.

    All empty where the result holds no sample of the data.
    """
    found: dict[str, Any] = {"data": {}, "residual": {}, "curve": {}}
    if result.sample is None or len(result.sample) < 3 or not np.isfinite(result.sample).all():
        return found
    own, adjacency = _with_curves(result)
    small = len(result.names) <= ALL_DATA_UP_TO
    columns, rows = np.arange(len(result.names)) if small else own, _shown_rows(result.sample)
    shown = result.sample[np.ix_(rows, columns)].astype(np.float64)
    found["data"] = {j: _short(values) for j, values in zip(columns.tolist(), shown.T, strict=True)}
    everything = result.sample[:, own].astype(np.float64)
    kinds = tuple(result.table_kinds[j] for j in own) if result.table_kinds else ()
    children, done = int(adjacency.any(axis=0).sum()), 0
    for seen, into in by_rows(adjacency, _left_out(result, own)):
        X = everything if seen is None else everything[seen]
        fitted = _Fitted(result, own, X, kinds)
        at = rows if seen is None else _places(rows, seen)
        tell = partial(_tell, progress, done, children)
        fits = fit_children(X, into, partial(fitted.summary, at), done=tell, kinds=kinds)
        done += len(fits)
        for c, told in fits.items():
            fitted.add(found, c, *told)
    return found


def _tell(progress: Progress, before: int, children: int, k: int) -> None:
    progress("effect curves", before + k, children)


def _left_out(result: "Result", own: IntArray) -> BoolArray | None:
    """Cells of some columns that tell nothing of their column's mechanism; None without conditions."""
    if result.conditions is None:
        return None
    return result.conditions.left_out(result.changed, result.names)[:, own]


def _places(rows: IntArray, seen: IntArray) -> IntArray:
    """Return the places of rows among those seen, -1 for those that are not."""
    at = np.searchsorted(seen, rows).clip(max=len(seen) - 1)
    return np.where(seen[at] == rows, at, -1)


class _Fitted:
    """Fits of some rows X of the columns `own`, in the columns' own units."""

    def __init__(self, result: "Result", own: IntArray, X: FloatArray, kinds: tuple[str, ...]) -> None:
        self.result, self.own = result, own
        self.centre, self.scale = X.mean(axis=0), X.std(axis=0)
        if kinds:  # codes and counts are fitted as they are
            numbers = of_kinds(kinds, (CONTINUOUS,), len(kinds))
            self.centre, self.scale = np.where(numbers, self.centre, 0), np.where(numbers, self.scale, 1)

    @staticmethod
    def summary(at: IntArray, fit: ChildFit) -> tuple[FloatArray, dict[int, Any]]:
        """Return the residuals at some rows, NaN where a row was not seen, and the curve of every parent."""
        residuals = np.where(at < 0, np.nan, fit.residuals[at])
        return residuals, {parent: _curve(fit, t) for t, parent in enumerate(fit.parents)}

    def add(self, found: dict[str, Any], c: int, residual: FloatArray, effects: dict[int, Any]) -> None:
        """Add what the fit of a child tells."""
        own, centre, scale, result = self.own, self.centre, self.scale, self.result
        child = int(own[c])
        found["residual"][child] = _short(scale[c] * residual)
        for p, (effect, heaviest) in effects.items():
            parent = int(own[p])
            curve = {
                "x": _short(centre[p] + scale[p] * effect.x),
                **_outcome(result, effect, child, float(centre[c]), float(scale[c])),
                **_levels(result, parent, effect.x),
                "heaviest": round(heaviest, 2),
            }
            curve["turns"] = "levels" not in curve and turns(*(np.array(curve[k]) for k in ("fit", "error")))
            found["curve"][parent, child] = curve


def turns(curve: FloatArray, error: FloatArray) -> bool:
    """Say whether a curve rises and falls, each by more than its error and a share of its range.

    Some inner point lies above (or below) a point on either side of it, by more than both points' errors.
    """
    least = BACK * np.ptp(curve)
    for values in (curve, -curve):
        lower, upper = values + np.maximum(error, least / 2), values - np.maximum(error, least / 2)
        before = np.minimum.accumulate(lower)[:-2]
        after = np.minimum.accumulate(lower[::-1])[::-1][2:]
        if ((upper[1:-1] > before) & (upper[1:-1] > after)).any():
            return True
    return False


def _with_curves(result: "Result") -> tuple[IntArray, BoolArray]:
    """Return the columns (k,) of the strongest edges, and the graph (k, k) into their children.

    A curve needs all parents of its child.
    """
    strongest = strongest_edges(result, CURVED if len(result.names) <= WIDE else CURVED_OF_WIDE)
    children = np.unique(np.array([j for _, j in strongest], dtype=np.intp))
    into = result.adjacency[:, children]
    ends = np.array(into.any(axis=1))
    ends[children] = True
    columns = np.flatnonzero(ends)
    adjacency = np.zeros((len(columns), len(columns)), dtype=bool)
    adjacency[:, np.searchsorted(columns, children)] = into[columns]
    return columns, adjacency


def _outcome(
    result: "Result", effect: PartialEffect | LevelEffect, child: int, centre: float, scale: float
) -> dict[str, Any]:
    """Return the child's fitted values with twice their error, or the probabilities of its levels with intervals.

    `fit` and `error` are there in any case: of levels with an order the mean code, of a category the share of its
    likeliest level.
    """
    if isinstance(effect, PartialEffect):
        fit, error = centre + scale * effect.effect, ERRORS * scale * effect.standard_error
        return {"fit": _short(fit), "error": _short(error)}
    K = effect.outcome.shape[1]
    if K == 1:
        half = (effect.high - effect.low)[:, 0] / 2
        limits = {"low": _short(effect.low[:, 0]), "high": _short(effect.high[:, 0])}
        return {"fit": _short(effect.outcome[:, 0]), "error": _short(half), **limits}
    name = result.names[child]
    code = (
        np.arange(K)
        if result.kinds[name] != CATEGORICAL
        else np.eye(K)[int(effect.outcome.mean(axis=0).argmax())]
    )
    return {
        "fit": _short(effect.outcome @ code),
        "error": _short(np.abs((effect.high - effect.low) @ code) / 2),
        "classes": [
            {"level": str(level), "fit": _short(p), "low": _short(low), "high": _short(high)}
            for level, p, low, high in zip(
                result.levels.get(name, range(K)), effect.outcome.T, effect.low.T, effect.high.T, strict=False
            )
        ],
    }


def _levels(result: "Result", parent: int, codes: FloatArray) -> dict[str, Any]:
    """Return the names of a parent's levels at its codes; nothing for numbers."""
    name = result.names[parent]
    levels = result.levels.get(name)
    if result.kinds[name] not in CODED or levels is None:
        return {}
    return {"levels": [str(levels[int(code)]) for code in codes]}


def _shown_rows(X: Any) -> IntArray:
    """Pick rows evenly; in tables of few columns also those of the extremes, since an outlier must show."""
    rows = evenly_spaced_rows(len(X), int(np.clip(POINTS // X.shape[1], FEWEST, MOST)))
    if 2 * X.shape[1] > FEWEST:
        return rows
    return np.unique(np.concatenate([rows, X.argmin(axis=0), X.argmax(axis=0)]))


def _curve(fit: ChildFit, t: int) -> tuple[PartialEffect | LevelEffect, float]:
    """Return the t-th effect on an even grid or at its levels, and the share of its variance of the heaviest row.

    Near 1, a single outlier made the edge.
    """
    parent = fit.parents[t]
    coded = fit.table.kind(parent) in CODED
    grid = np.unique(fit.table.data[:, parent]) if coded else GRID
    if isinstance(fit, LevelFit):
        own = slice(fit.starts[t], fit.starts[t] + fit.widths[t])
        squares = ((fit.Z[:, own] @ fit.fit.beta[:, own].T) ** 2).sum(axis=1)
    else:
        squares = fit.effects[:, t] ** 2
    return fit.partial(parent, grid), float(squares.max() / max(squares.sum(), 1e-300))


def _short(values: FloatArray) -> list[float | None]:
    """Round to four significant digits, which is what a screen can show; None for what is not known."""
    return [None if np.isnan(value) else float(f"{value:.4g}") for value in values]
