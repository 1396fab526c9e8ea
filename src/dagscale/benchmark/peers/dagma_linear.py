"""DAGMA with linear mechanisms (Bello et al. 2022), settings of its documentation."""

from dagscale.benchmark.peers._environment import peer_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "dagma"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph; it starts from zero weights, so there is nothing to seed."""
    from dagma.linear import DagmaLinear

    edges: BoolArray = DagmaLinear(loss_type="l2").fit(X.copy(), lambda1=0.02) != 0  # fit centres in place
    return edges
