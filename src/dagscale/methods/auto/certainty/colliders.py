"""Colliders turned round: edges that join two columns which are independent on their own.

Two causes i and j of one column k are independent, and become dependent once k is known. A graph in which k is taken
for a cause of j therefore needs an edge between i and j to explain the rest: i -> j <- k. Given away by i and j being
independent while each of them depends on k; for if i did cause j, the two would be dependent, but for a rare
cancellation. So neither i -> j nor k -> j is believed to point that way.
"""

import numpy as np

from dagscale.models.dependence import dependence, waves
from dagscale.runtime.types import BoolArray, FloatArray

INDEPENDENT = 0.05  # p-value from which on two columns pass for independent
DEPENDENT = 1e-6  # ... and up to which they depend on each other


def turned_colliders(X: FloatArray, graph: BoolArray) -> BoolArray:
    """Mark the edges i -> j and k -> j (d, d) of a graph of the columns of X (n, d) that look like i -> k <- j."""
    of_columns = waves(X)
    p_values = dependence(of_columns, of_columns).p_values
    apart, together = p_values > INDEPENDENT, p_values < DEPENDENT
    found = np.zeros_like(graph)
    for j in np.flatnonzero(graph.sum(axis=0) > 1):
        parents = graph[:, j]
        pairs = together & np.outer(parents & apart[:, j], parents & together[:, j])  # [i, k]
        found[:, j] = pairs.any(axis=1) | pairs.any(axis=0)
    return found
