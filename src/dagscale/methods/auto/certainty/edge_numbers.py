"""What the objective says of every edge of a graph: what it adds, and what its direction does."""

from typing import NamedTuple

import numpy as np

from dagscale.methods.auto.certainty.alternatives import Alternatives
from dagscale.models.gain import Likelihood, edge_evidence, item_without, parents_item
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
    nats, share = edge_evidence(graph, gain), np.full(graph.shape, np.nan)
    for i, j in np.argwhere(graph).tolist():
        share[i, j] = gain.told[item_without(graph, i, j)].left - gain.told[parents_item(graph, j)].left
    return EdgeNumbers(nats, np.where(graph, -near.joined.T, np.nan), np.clip(share, 0.0, 1.0))
