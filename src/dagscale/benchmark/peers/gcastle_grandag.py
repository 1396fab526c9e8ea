"""gCastle's port of GraN-DAG with its defaults: 10,000 steps, no pruning of its own."""

import numpy as np

from dagscale.benchmark.peers._environment import peer_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "gcastle"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph."""
    from castle.algorithms import GraNDAG

    model = GraNDAG(input_dim=X.shape[1], random_seed=seed)
    model.learn(X)
    edges: BoolArray = np.asarray(model.causal_matrix) != 0
    return edges
