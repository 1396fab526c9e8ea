"""From weighted connections to a DAG: cut the weakest until no cycle is left."""

import numpy as np

from dagscale.runtime.types import BoolArray, FloatArray


def strongest_dag(
    connected: BoolArray, strength: FloatArray, required: BoolArray, before: BoolArray
) -> tuple[BoolArray, float]:
    """Keep the connections stronger than the smallest threshold that leaves a DAG.

    Parameters
    ----------
    connected : (d, d) bool array
        [parent, child].
    strength : (d, d) float array
    required : (d, d) bool array
        Kept whatever their strength; they have no cycle among themselves or with `before`.
    before : (d, d) bool array
        [i, j]: i precedes j; the DAG must agree with it along whole paths.

    Returns
    -------
    dag : (d, d) bool array
    threshold : float
        Connections this weak or weaker were cut; 0 when none was.
    """
    levels = np.concatenate([[0.0], np.unique(strength[connected & ~required])])

    def kept(level: float) -> BoolArray:
        return (connected & (strength > level)) | required

    low, high = 0, len(levels) - 1  # a subset of a DAG is a DAG, so the threshold can be bisected
    if is_acyclic(connected | required | before):
        return connected | required, 0.0
    while low < high:
        middle = (low + high) // 2
        if is_acyclic(kept(levels[middle]) | before):
            high = middle
        else:
            low = middle + 1
    return kept(levels[low]), float(levels[low])


def is_acyclic(graph: BoolArray) -> bool:
    """Say whether the graph [parent, child] has no cycle, by removing sources until none is left."""
    graph = graph.copy()
    while graph.any():
        sources = ~graph.any(axis=0)
        if not graph[sources].any():
            return False
        graph[sources] = False
    return True
