"""What a method returns to `discover`: the graph, its evidence and the trail of decisions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dagscale.pairs import Numbers
from dagscale.types import BoolArray, IntArray

if TYPE_CHECKING:
    from dagscale.splines import SplineTable


@dataclass(frozen=True)
class Stage:
    """One stage's decision over all pairs, kept so that `Result.why` can tell who removed an edge.

    Attributes
    ----------
    name : str
        What the stage does, in a few words ("Jacobian test", "additive pruning").
    kept : (d, d) bool array
        Pairs [parent, child] still possible after this stage.
    statistic : (d, d) float array, or `PairValues` where d is large, or None
        The number the decision was made on; NaN where the stage looked at nothing.
    label : str
        What `statistic` is ("p-value", "gain in evidence").
    threshold : float or None
        The value `statistic` was compared with.
    """

    name: str
    kept: BoolArray
    statistic: Numbers | None = None
    label: str = ""
    threshold: float | None = None


@dataclass(frozen=True)
class Found:
    """A method's answer.

    Attributes
    ----------
    order : (d,) int array
        Column indices, sources first.
    adjacency : (d, d) bool array
        [parent, child].
    evidence : dict of str to (d, d) float array or `PairValues`
        One column of `Result.edges` each, read at the edges.
    trail : tuple of Stage
        In the order in which they decided.
    notes : tuple of str
        What the method wants the user to know (choices it made, limits it met).
    splines : SplineTable or None
        The splines of X, where the method has built them: the strengths of edges need them again.
    """

    order: IntArray
    adjacency: BoolArray
    evidence: Mapping[str, Numbers] = field(default_factory=dict)
    trail: tuple[Stage, ...] = ()
    notes: tuple[str, ...] = ()
    splines: "SplineTable | None" = None


def topological_order(adjacency: BoolArray) -> IntArray:
    """Order the nodes sources first, ties by index; raise if the graph has a cycle."""
    remaining = adjacency.sum(axis=0)
    ready = [int(v) for v in np.flatnonzero(remaining == 0)]
    order: list[int] = []
    while ready:
        v = ready.pop(0)
        order.append(v)
        for child in np.flatnonzero(adjacency[v]):
            remaining[child] -= 1
            if remaining[child] == 0:
                ready.append(int(child))
    if len(order) < len(adjacency):
        raise ValueError("the graph has a cycle")
    return np.array(order, dtype=np.intp)


def descendants(adjacency: BoolArray) -> BoolArray:
    """Return [i, j]: a directed path leads from i to j (d, d)."""
    reach = np.zeros_like(adjacency)
    for node in topological_order(adjacency)[::-1]:
        children = adjacency[node]
        reach[node] = children | reach[children].any(axis=0)
    return reach


def parents_by_child(graph: BoolArray) -> dict[int, IntArray]:
    """List the parents of every column that has some: a large matrix is slow to read column by column."""
    parents, children = np.nonzero(graph)
    sorting = np.argsort(children, kind="stable")
    ends, starts = np.unique(children[sorting], return_index=True)
    parts = np.split(parents[sorting], starts)[1:]
    return dict(zip(ends.tolist(), parts, strict=True))
