"""The currency of every search: nats that parents are worth to a child, and what they say of edges.

An `Item` is a child with a set of parents; a `Gain` is a model of p(child | parents) that returns, for many
items at once, its log likelihood (or log marginal likelihood) less that of the child alone. Every model in
this room can be asked as a `Gain`, and every search asks nothing else.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from dagscale.runtime.types import BoolArray, FloatArray

Item = tuple[int, tuple[int, ...]]  # a child and its parents, in increasing order
Gain = Callable[[Sequence[Item]], FloatArray]  # of items over their children alone, in nats (items,)


class Likelihood(Protocol):
    """A gain that also tells what it found of an item."""

    told: dict[Item, Any]  # by item: `nats`, `spread`, `left` (share of the variance), `joint`
    scale: Any

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item over its child alone."""

    def noise(self, item: Item) -> FloatArray:
        """Return the noise of an item over its spread (n,)."""


def parents_item(adjacency: BoolArray, j: int) -> Item:
    """Return node j with its parents."""
    return j, tuple(int(i) for i in np.flatnonzero(adjacency[:, j]))


def item_without(adjacency: BoolArray, i: int, j: int) -> Item:
    """Return node j with its parents but i."""
    return j, tuple(k for k in parents_item(adjacency, j)[1] if k != i)


def edge_evidence(graph: BoolArray, gain: Gain) -> FloatArray:
    """Nats that each edge's child would lose without it; NaN off the graph."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(graph)]
    whole = gain([parents_item(graph, j) for _, j in edges])
    less = gain([item_without(graph, i, j) for i, j in edges])
    return _at(graph, whole - less)


def direction_evidence(graph: BoolArray, gain: Gain) -> FloatArray:
    """Nats by which each edge beats its reversal, all else unchanged; NaN off the graph."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(graph)]
    now = gain([parents_item(graph, j) for _, j in edges]) + gain([parents_item(graph, i) for i, _ in edges])
    child = gain([item_without(graph, i, j) for i, j in edges])
    parent = gain([(i, (*parents_item(graph, i)[1], j)) for i, j in edges])
    return _at(graph, now - child - parent)


def _at(graph: BoolArray, values: FloatArray) -> FloatArray:
    spread = np.full(graph.shape, np.nan)
    spread[graph] = values  # row by row, as argwhere lists the edges
    return spread
