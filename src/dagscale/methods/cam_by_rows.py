"""CAM's greedy search where columns were set in some rows: every child's splines on the rows that tell of it."""

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.graphs.pair_values import Numbers, pair_values
from dagscale.methods.auto.search.loop import greedy
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.proposers import Scene
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.gain import edge_evidence
from dagscale.models.likelihood.rows_gain import RowsGain, rows_scales
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

LARGEST = 100  # columns: each set of rows has splines of all of them


def greedy_by_rows(
    X: FloatArray, mask: BoolArray, context: Context, max_parents: int
) -> tuple[IntArray, BoolArray, Numbers]:
    """Put in the edge that gains most, again and again; returns as `greedy_order` does.

    Noise is taken for normal, as CAM does; an edge must earn what it costs in `auto`.
    """
    known, done = context.constraints, context.conditions
    assert done is not None
    scale = rows_scales(X, done.targets, context.kinds)[0]
    gain = RowsGain([SplineGain(part, shaped=False) for part in scale.parts], scale)
    objective = Objective(gain, X.shape[1], SETTINGS.likelihood.caution)
    graph = greedy(objective, Scene(known, mask | known.required, max_parents), context.deadline)
    nats = edge_evidence(graph, gain)
    parents, children = np.nonzero(graph)
    gains = pair_values(len(graph), parents, children, nats[graph] / len(X))
    return topological_order(graph | known.before), graph, gains
