"""What the objective says of every edge of a graph: what it adds, and what its direction does."""

from typing import NamedTuple

import numpy as np

from dagscale.methods.auto.alternatives import Alternatives
from dagscale.methods.auto.objective import item_of
from dagscale.models.gain import Likelihood
from dagscale.runtime.types import BoolArray, FloatArray


class EdgeNumbers(NamedTuple):
    """Numbers of edges (d, d); NaN off the graph.

    Attributes
    ----------
    nats : float array
        What its child loses without it.
    direction : float array
        What the best graph with the edge turned has less: turned alone, with the parents of
        both ends chosen anew, or with all paths between them; inf where knowledge forbids it.
    share : float array
        Share of the child's variance, on the scale that decided, that is explained with the edge and not without.
    """

    nats: FloatArray
    direction: FloatArray
    share: FloatArray


def numbers(graph: BoolArray, gain: Likelihood, near: Alternatives) -> EdgeNumbers:
    """Read off the numbers of every edge."""
    edges = np.argwhere(graph).tolist()
    whole = [item_of(graph, j) for _, j in edges]
    less = [(j, tuple(k for k in S if k != i)) for (i, _), (j, S) in zip(edges, whole, strict=True)]
    nats = gain(whole) - gain(less)
    left = [gain.told[without].left - gain.told[full].left for without, full in zip(less, whole, strict=True)]
    return EdgeNumbers(
        _spread(graph, nats),
        np.where(graph, -near.joined.T, np.nan),
        _spread(graph, np.clip(left, 0.0, 1.0)),
    )


def _spread(graph: BoolArray, values: FloatArray) -> FloatArray:
    found = np.full(graph.shape, np.nan)
    found[graph] = values  # row by row, as argwhere lists the edges
    return found
