"""lingam's DirectLiNGAM with its defaults; made for linear mechanisms with noise that is not Gaussian."""

from dagscale.benchmark.peers._environment import peer_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "lingam"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph."""
    from lingam import DirectLiNGAM

    model = DirectLiNGAM(random_state=seed)
    model.fit(X)
    edges: BoolArray = model.adjacency_matrix_.T != 0  # theirs is [child, parent]
    return edges
