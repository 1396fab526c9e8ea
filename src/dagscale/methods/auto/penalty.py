"""What an edge must earn besides its evidence: a penalty that learns the density of the graph.

The marginal likelihood already pays for the flexibility of a function of the parents. What it does
not pay for is the choice of parents among many columns and the length scale fitted to each. With
edges independent a priori at rate π, the first costs the log odds against an edge, log((1 - π) / π);
the second, as any fitted parameter, half the logarithm of the number of rows,
unless a prior integrates it out (`models.gp.prior`).
π is estimated from the graph found so far: m of the d (d - 1) / 2 pairs.
"""

import math

import numpy as np

from dagscale.methods.auto.settings import SETTINGS
from dagscale.runtime.types import BoolArray


def edge_penalty(adjacency: BoolArray, rows: int) -> float:
    """Return the penalty in nats per edge for a graph as dense as this one, judged by so many rows."""
    return max(SETTINGS.least, fitted_scale(rows) + log_odds(adjacency))


def fitted_scale(rows: int) -> float:
    """Return what a length scale costs that was fitted to so many rows, in nats."""
    return 0.5 * math.log(rows)


def choice_cost(adjacency: BoolArray) -> float:
    """Return log C(pairs, edges), the nats that it costs to choose these edges, every density being alike.

    It is the log odds summed over the edges of a graph that fills up: for comparing graphs of unlike density.
    """
    pairs, edges = len(adjacency) * (len(adjacency) - 1) // 2, int(np.count_nonzero(adjacency))
    return math.lgamma(pairs + 1) - math.lgamma(edges + 1) - math.lgamma(pairs - edges + 1)


def log_odds(adjacency: BoolArray) -> float:
    """Return the log odds against an edge in a graph as dense as this one."""
    d = len(adjacency)
    pairs = d * (d - 1) / 2
    rate = (float(np.count_nonzero(adjacency)) + 1.0) / (pairs + 2.0)
    return math.log((1.0 - rate) / rate)
