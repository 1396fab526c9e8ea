"""causal-learn's CAM-UV at the settings of its example: level 0.01, at most three parents at a time.

Pairs it believes to share a hidden cause are no edges here.
"""

import numpy as np

from dagscale.benchmark.peers._environment import peer_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "causal-learn"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph; CAM-UV draws no random numbers."""
    from causallearn.search.FCMBased.lingam import CAMUV

    parents, _ = CAMUV.execute(X, 0.01, 3)
    adjacency = np.zeros((X.shape[1], X.shape[1]), dtype=bool)
    for child, found in enumerate(parents):
        adjacency[list(found), child] = True
    return adjacency
