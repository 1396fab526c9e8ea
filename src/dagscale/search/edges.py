"""What the evidence says of every edge of a graph, and of its direction."""

import numpy as np

from dagscale.search.climb import parents_item
from dagscale.search.sift import Gain, Item
from dagscale.types import BoolArray, FloatArray


def edge_evidence(graph: BoolArray, gain: Gain) -> FloatArray:
    """Nats that each edge's child would lose without it; NaN off the graph."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(graph)]
    whole = gain([parents_item(graph, j) for _, j in edges])
    less = gain([_without(graph, i, j) for i, j in edges])
    return _at(graph, whole - less)


def direction_evidence(graph: BoolArray, gain: Gain) -> FloatArray:
    """Nats by which each edge beats its reversal, all else unchanged; NaN off the graph."""
    edges = [(int(i), int(j)) for i, j in np.argwhere(graph)]
    now = gain([parents_item(graph, j) for _, j in edges]) + gain([parents_item(graph, i) for i, _ in edges])
    child = gain([_without(graph, i, j) for i, j in edges])
    parent = gain([(i, (*parents_item(graph, i)[1], j)) for i, j in edges])
    return _at(graph, now - child - parent)


def _without(graph: BoolArray, i: int, j: int) -> Item:
    return j, tuple(k for k in parents_item(graph, j)[1] if k != i)


def _at(graph: BoolArray, values: FloatArray) -> FloatArray:
    spread = np.full(graph.shape, np.nan)
    spread[graph] = values  # row by row, as argwhere lists the edges
    return spread
