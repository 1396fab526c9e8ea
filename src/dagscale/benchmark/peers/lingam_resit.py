"""lingam's RESIT with the regressor of its documentation: random forests of depth four."""

from dagscale.benchmark.peers._environment import peer_of
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE = "lingam"


@peer_of(PACKAGE)
def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Find the graph."""
    from lingam import RESIT
    from sklearn.ensemble import RandomForestRegressor

    model = RESIT(regressor=RandomForestRegressor(max_depth=4, random_state=seed), random_state=seed)
    model.fit(X)
    edges: BoolArray = model.adjacency_matrix_.T != 0  # theirs is [child, parent]
    return edges
