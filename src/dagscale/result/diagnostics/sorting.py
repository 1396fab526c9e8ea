"""Could the order have been read off the columns' scales? Sortability, and what a trivial sort finds.

Sortability (Reisach et al. 2021, 2023): the share of ancestor-descendant pairs of the graph in which the
descendant has the larger variance, or the larger R² on all other columns. 1 or 0 means that sorting the
columns, one way or the other, gives the order. Deviation: every pair counts once, not once per path length.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.inputs.knowledge import Constraints
from dagscale.models.splines import SplineTable
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.ordering.sorts import order_by_priority, r2_given_others
from dagscale.stages.pruning.additive import prune

CANDIDATES = 10  # the strongest so many predecessors of each column are tested, besides those the graph has
MEASURES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "variance": lambda X: _logarithms(X.var(axis=0)),
    "R²": r2_given_others,
}


def _logarithms(values: FloatArray) -> FloatArray:
    """Logarithms, rounded to a millionth: the variances of standardised columns count as equal."""
    logarithms: FloatArray = np.log(np.maximum(values, 1e-300)).round(6).astype(np.float64)
    return logarithms


@dataclass(frozen=True)
class TrivialSort:
    """What sorting the columns would have found.

    Attributes
    ----------
    measure : str
        "variance" or "R²".
    sortability : float
        Share of ancestor pairs along which the measure grows; NaN where there are none.
    pairs : int
        Ancestor pairs.
    descending : bool
        Whether the sort that agrees better with the graph puts the largest first.
    common : int
        Edges that this sort, with the same pruning, shares with the graph.
    found : int
        Edges it finds in all.
    """

    measure: str
    sortability: float
    pairs: int
    descending: bool
    common: int
    found: int


def sortability(values: FloatArray, adjacency: BoolArray) -> tuple[float, int]:
    """Return the share of ancestor pairs along which the values grow (ties half), and the number of pairs."""
    ancestors, descendant = np.nonzero(descendants(adjacency))
    if not len(ancestors):
        return float("nan"), 0
    rise = np.sign(values[descendant] - values[ancestors])
    return float(np.mean((1 + rise) / 2)), len(ancestors)


def trivial_sorts(
    X: FloatArray,
    adjacency: BoolArray,
    constraints: Constraints,
    alpha: float,
    splines: SplineTable,
    n_jobs: int | None = None,
) -> list[TrivialSort]:
    """Sort the rows X (n, d) by variance and by R², prune, and compare with the graph."""
    return [
        _trivial_sort(measure, function(X), adjacency, constraints, alpha, splines, n_jobs)
        for measure, function in MEASURES.items()
    ]


def _trivial_sort(
    measure: str,
    values: FloatArray,
    adjacency: BoolArray,
    constraints: Constraints,
    alpha: float,
    splines: SplineTable,
    n_jobs: int | None,
) -> TrivialSort:
    grows, pairs = sortability(values, adjacency)
    descending = grows < 0.5
    order = order_by_priority(-values if descending else values, constraints.before)
    position = np.argsort(order)
    mask = (position[:, None] < position) & constraints.allowed
    candidates = mask & (strongest(splines, mask) | adjacency)
    found, _ = prune(splines.X, candidates, alpha, constraints.required, n_jobs, splines=splines)
    return TrivialSort(measure, grows, pairs, descending, int((found & adjacency).sum()), int(found.sum()))


def strongest(splines: SplineTable, mask: BoolArray, count: int = CANDIDATES) -> BoolArray:
    """Keep each column's `count` candidates of largest |Q_i' x_j|^2, which explain most of it alone."""
    squares = np.vstack([splines.products**2, np.zeros((1, mask.shape[1]))])
    shares = np.add.reduceat(squares, splines.starts[:-1], axis=0)  # (d, d)
    shares[np.diff(splines.starts) == 0] = 0  # reduceat gives a constant column its neighbour's first row
    ranking = np.argsort(np.where(mask, -shares, np.inf), axis=0, kind="stable")[:count]
    kept = np.zeros_like(mask)
    np.put_along_axis(kept, ranking, True, axis=0)
    return kept & mask
