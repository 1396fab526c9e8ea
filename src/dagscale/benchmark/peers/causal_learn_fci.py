"""causal-learn's FCI with its defaults: Fisher's z test at 0.05; a graph that allows hidden causes."""

from dagscale.benchmark.peers._environment import peer_of
from dagscale.benchmark.peers._marks import edges_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "causal-learn"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph; FCI draws no random numbers."""
    from causallearn.search.ConstraintBased.FCI import fci

    graph, _ = fci(X, show_progress=False)
    return edges_of(graph.graph)
