"""Directions that no shape may tell: links with an end of levels or counts, as far as an equivalence class leaves them.

Between a column of two levels and any other, both directions describe the data as well (Markov equivalence), but for
what the shapes of the two models are: an asymmetry of the models, not of the world. So the direction of such a link
counts only where it follows from third columns: the graphs with the same adjacencies, the same v-structures
(a -> b <- c, a and c apart) and the same claimed directions between numbers all agree on it. That follows from the four
rules of Meek (1995).
"""

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.graphs.partial import colliding, following
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.knowledge import Constraints
from dagscale.runtime.types import BoolArray


def told_by_shape_alone(graph: BoolArray, doubtful: BoolArray, kinds: tuple[str, ...]) -> BoolArray:
    """Edges (d, d) of a graph with an end that is not continuous, whose direction no third column tells.

    `doubtful` edges (d, d) tell nothing of others. Columns of no `kinds` are continuous.
    """
    numbers = np.array([kind == CONTINUOUS for kind in kinds], dtype=bool)
    if not kinds or numbers.all():
        return np.zeros_like(graph)
    between = np.outer(numbers, numbers)
    certain = (colliding(graph) | (graph & between)) & ~doubtful
    return np.asarray(graph & ~between & ~following(graph, certain)[0])


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
