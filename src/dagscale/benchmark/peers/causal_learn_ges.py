"""causal-learn's GES with its defaults: the linear Gaussian BIC; a partially directed graph."""

from dagscale.benchmark.peers._environment import peer_of
from dagscale.benchmark.peers._marks import edges_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "causal-learn"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph; GES draws no random numbers."""
    from causallearn.search.ScoreBased.GES import ges

    return edges_of(ges(X)["G"].graph)
