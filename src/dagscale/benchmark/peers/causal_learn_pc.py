"""causal-learn's PC with its defaults: Fisher's z test at 0.05; a partially directed graph."""

from dagscale.benchmark.peers._environment import peer_of
from dagscale.benchmark.peers._marks import edges_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "causal-learn"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph; PC draws no random numbers."""
    from causallearn.search.ConstraintBased.PC import pc

    return edges_of(pc(X, show_progress=False).G.graph)
