"""Prune by strength: an edge stays if it explains a share of its child's variance.

Where the model of the noise is wrong, any test finds edges that explain next to nothing. Noise that grows
with the level of a gene, for one, makes the gene's other targets tell of it what its own measurement does
not, and thousandths of a variance become certain. Such edges are many, and true ones are seldom so faint.
"""

from collections.abc import Container

import numpy as np

from dagscale.graphs.pair_values import Numbers, pair_values
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.strength import strengths
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray


def drop_faint(
    table: SplineTable,
    graph: BoolArray,
    least: float,
    required: BoolArray | None = None,
    n_jobs: int | None = None,
) -> tuple[BoolArray, Numbers]:
    """Take out the weakest parent of a node and fit again, until every one left is strong enough.

    Parameters
    ----------
    table : SplineTable
    graph : (d, d) bool array
        [parent, child].
    least : float
        Share of the child's variance that an additive fit must lose without the parent.
    required : (d, d) bool array, optional
        Edges kept however faint.
    n_jobs : int or None

    Returns
    -------
    kept : (d, d) bool array
    strength : Numbers
        Of the kept edges, and of the others when they were taken out; NaN off the graph.
    """
    table.prepare()

    def one(child: int) -> list[tuple[int, float, bool]]:
        fixed = set() if required is None else set(np.flatnonzero(required[:, child]).tolist())
        return _eliminated(table, child, np.flatnonzero(graph[:, child]).tolist(), least, fixed)

    children = [int(j) for j in np.flatnonzero(graph.any(axis=0))]
    kept = np.zeros_like(graph)
    ends, shares = [], []
    for child, decisions in zip(children, parallel_map(one, children, n_jobs, local=True), strict=True):
        for parent, share, stays in decisions:
            kept[parent, child] = stays
            ends.append((parent, child))
            shares.append(share)
    parents, targets = np.array(ends, dtype=np.intp).reshape(-1, 2).T
    return kept, pair_values(len(graph), parents, targets, np.array(shares))


def _eliminated(
    table: SplineTable, child: int, left: list[int], least: float, fixed: Container[int]
) -> list[tuple[int, float, bool]]:
    """List (parent, strength, stays) of a node's parents, those taken out first; constant ones explain 0."""
    decisions: list[tuple[int, float, bool]] = []
    while left:
        fit = AdditiveFit.of(table, child, np.array(left), criterion="reml")
        explained = dict(zip(fit.parents, strengths(fit).tolist(), strict=True))
        shares = [explained.get(parent, 0.0) for parent in left]
        weakest = min(range(len(left)), key=lambda k: np.inf if left[k] in fixed else shares[k])
        if left[weakest] in fixed or shares[weakest] >= least:
            return decisions + [(parent, share, True) for parent, share in zip(left, shares, strict=True)]
        decisions.append((left.pop(weakest), shares[weakest], False))
    return decisions
