"""Directions that no shape may tell: links with an end of levels or counts, as far as an equivalence class leaves them.

Between a column of two levels and any other, both directions describe the data as well (Markov equivalence), but for
what the shapes of the two models are: an asymmetry of the models, not of the world. So the direction of such a link
counts only where it follows from third columns: the graphs with the same adjacencies, the same v-structures
(a -> b <- c, a and c apart) and the same claimed directions between numbers all agree on it. That follows from the four
rules of Meek (1995).
"""

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.runtime.types import BoolArray


def told_by_shape_alone(graph: BoolArray, doubtful: BoolArray, kinds: tuple[str, ...]) -> BoolArray:
    """Edges (d, d) of a graph with an end that is not continuous, whose direction no third column tells.

    `doubtful` edges (d, d) tell nothing of others. Columns of no `kinds` are continuous.
    """
    numbers = np.array([kind == CONTINUOUS for kind in kinds], dtype=bool)
    if not kinds or numbers.all():
        return np.zeros_like(graph)
    between = np.outer(numbers, numbers)
    certain = (v_structures(graph) | (graph & between)) & ~doubtful
    return np.asarray(graph & ~between & ~implied(graph, certain))


def v_structures(graph: BoolArray) -> BoolArray:
    """Edges (d, d) of a DAG that meet another one head to head, the two parents not being adjacent."""
    joined = graph | graph.T | np.eye(len(graph), dtype=bool)
    found = np.zeros_like(graph)
    for j in range(len(graph)):
        parents = np.flatnonzero(graph[:, j])
        apart = ~joined[np.ix_(parents, parents)]
        found[parents[apart.any(axis=1)], j] = True
    return found


def implied(graph: BoolArray, certain: BoolArray) -> BoolArray:
    """Edges (d, d) of a DAG that follow from certain ones (d, d), these included, by Meek's four rules.

    No other v-structure than the graph's may arise, and no cycle.
    """
    arrows = certain & graph
    joined = graph | graph.T
    while True:
        lines = joined & ~(arrows | arrows.T)
        more = graph & lines & _followed(arrows, lines, joined)
        if not more.any():
            return np.asarray(arrows)
        arrows = arrows | more


def _followed(arrows: BoolArray, lines: BoolArray, joined: BoolArray) -> BoolArray:
    """Directions (d, d) of lines that one of the rules gives."""
    d = len(arrows)
    A, apart = arrows.astype(np.intp), ~joined & ~np.eye(d, dtype=bool)
    found = np.zeros_like(arrows)
    for b, c in np.argwhere(lines):
        into_b, into_c = arrows[:, b], arrows[:, c]
        one = (into_b & apart[:, c]).any()  # a -> b - c, a and c apart
        two = A[b] @ A[:, c] > 0  # b -> a -> c
        mid = np.flatnonzero(lines[b] & into_c)  # b - a -> c and b - e -> c, a and e apart
        three = apart[np.ix_(mid, mid)].any()
        # b - e -> a -> c, b joined to a, e and c apart
        four = any((arrows[:, a] & lines[b] & apart[:, c]).any() for a in np.flatnonzero(into_c & joined[b]))
        found[b, c] = one or two or three or four
    return found
