"""Directions that no shape may tell: links with an end of few values, as far as an equivalence class leaves them.

Between a column of two levels and any other, both directions describe the data as well (Markov equivalence), but for
what the shapes of the two models are: an asymmetry of the models, not of the world. So the direction of such a link
counts only where it follows from third columns: the graphs with the same adjacencies, the same v-structures
(a -> b <- c, a and c apart) and the same claimed directions between numbers all agree on it. That follows from the four
rules of Meek (1995).

A v-structure is one only if dependences say so, whatever shapes say: a and c are apart, yet once b is known they tell
of each other. If b were a cause of one of them, or stood between them, they would not.
"""

from itertools import combinations

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.graphs.partial import colliding, following
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.knowledge import Constraints
from dagscale.models.gain import Gain, Item
from dagscale.runtime.types import BoolArray, FloatArray

COARSE = 12.0  # values, each weighed by its frequency, up to which a number is of few values: months, marks of 0 to 10


def many_valued(X: FloatArray, kinds: tuple[str, ...]) -> BoolArray:
    """Columns (d,) of a table with `kinds` whose shape may tell directions: numbers of more than a few values.

    Columns of no `kinds` are all numbers of many values.
    """
    return np.array(
        [not kinds or (kinds[j] == CONTINUOUS and _values(x) > COARSE) for j, x in enumerate(X.T)], dtype=bool
    )


def told_by_shape_alone(
    graph: BoolArray, doubtful: BoolArray, numbers: BoolArray, gain: Gain, known: BoolArray | None = None
) -> BoolArray:
    """Edges (d, d) of a graph with an end that is not among the `numbers` (d,), whose direction no third column tells.

    `doubtful` edges (d, d), whose turning costs little, tell nothing of others and are not told by them. `known` ones
    (d, d) have their direction from elsewhere.
    """
    if numbers.all():
        return np.zeros_like(graph)
    between = np.outer(numbers, numbers)
    sure = graph & ~doubtful
    arms, unsure = colliders(graph, sure, numbers, gain)
    given = np.zeros_like(graph) if known is None else graph & known
    told = following(graph, (sure & between) | arms | given, unsure, doubtful | doubtful.T)[0]
    return np.asarray(graph & ~between & ~told & ~given)


def colliders(
    graph: BoolArray, sure: BoolArray, numbers: BoolArray, gain: Gain
) -> tuple[BoolArray, BoolArray]:
    """Return the arms (d, d) of the v-structures that are told, and the pairs (d, d) of arms of all others, symmetric.

    A v-structure of `sure` edges is told if dependences support it; one of numbers alone is told by shapes.
    """
    arms, unsure, asked = np.zeros_like(graph), np.zeros_like(graph), list[tuple[int, int, int]]()
    for b in np.flatnonzero(colliding(graph).any(axis=0)).tolist():
        for a, c in combinations(np.flatnonzero(graph[:, b]).tolist(), 2):
            if graph[a, c] or graph[c, a]:
                continue
            if not sure[[a, c], b].all():
                unsure[a, c] = True
            elif numbers[[a, b, c]].all():
                arms[[a, c], b] = True
            else:
                asked.append((a, b, c))
    if asked:
        for (a, b, c), nats in zip(asked, _told_of_each_other(graph, asked, gain), strict=True):
            arms[[a, c], b] |= nats > 0
            unsure[a, c] |= nats <= 0
    return arms, unsure | unsure.T


def _told_of_each_other(graph: BoolArray, triples: list[tuple[int, int, int]], gain: Gain) -> FloatArray:
    """Nats that a and c tell of each other where b is known, the larger of both ways (k,).

    So are the child's own parents and b's, which would block other paths and leave less noise in b. Those next to both
    a and c are left out: knowing a common effect makes its causes dependent.
    """
    linked = graph | graph.T
    less, more = list[Item](), list[Item]()
    for one, b, other in [*triples, *((c, b, a) for a, b, c in triples)]:
        known = (graph[:, one] | graph[:, b]) & ~(linked[one] & linked[other])
        known[b], known[[one, other]] = True, False
        less.append((one, tuple(np.flatnonzero(known).tolist())))
        known[other] = True
        more.append((one, tuple(np.flatnonzero(known).tolist())))
    nats = np.asarray(gain(more) - gain(less))
    return np.asarray(nats.reshape(2, -1).max(axis=0))


def _values(x: FloatArray) -> float:
    """Values of a column (n,), each weighed by its frequency: the exponential of their entropy."""
    share = np.unique(x, return_counts=True)[1] / len(x)
    return float(np.exp(-(share * np.log(share)).sum()))


def with_turned(graph: BoolArray, mute: BoolArray, known: Constraints) -> BoolArray | None:
    """Turn the `mute` edges of a graph (d, d) round; None where there are none, or they may not be turned."""
    other = (graph & ~mute) | (graph & mute).T
    if not mute.any() or (known.required & ~other).any() or (other & ~known.allowed).any():
        return None
    try:
        topological_order(other | known.before)
    except ValueError:
        return None
    return np.asarray(other)
