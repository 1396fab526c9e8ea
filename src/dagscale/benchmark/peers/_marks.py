"""causal-learn's graphs: a matrix G of edge marks, G[i, j] the mark at i of the edge between i and j."""

from typing import Any

import numpy as np

from dagscale.runtime.types import BoolArray

NO_EDGE, ARROW = 0, 1  # a tail is -1, a circle ("unknown", in FCI's graphs) 2


def edges_of(G: Any) -> BoolArray:
    """Turn marks into [parent, child]; an edge of unknown direction is given in both.

    i -> j is ruled out when the edge has an arrowhead at i and none at j. So `i o-> j` counts as i -> j,
    while `i - j`, `i o-o j` and `i <-> j` count as undirected.
    """
    G = np.asarray(G)
    against = (G == ARROW) & (G.T != ARROW)
    edges: BoolArray = (G != NO_EDGE) & ~against
    return edges
