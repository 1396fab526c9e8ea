"""DAGMA with one hidden layer of ten units per node (Bello et al. 2022), settings of its documentation."""

from dagscale.benchmark.peers._environment import peer_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "dagma"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph."""
    import torch
    from dagma.nonlinear import DagmaMLP, DagmaNonlinear

    before = torch.get_default_dtype()  # DAGMA changes it for the whole process
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            networks = DagmaMLP(dims=[X.shape[1], 10, 1], bias=True, dtype=torch.double)
            model = DagmaNonlinear(networks, dtype=torch.double)
            edges: BoolArray = model.fit(X, lambda1=0.02, lambda2=0.005) != 0
    finally:
        torch.set_default_dtype(before)
    return edges
