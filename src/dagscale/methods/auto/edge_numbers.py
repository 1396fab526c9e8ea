"""What the objective says of every edge of a graph: what it adds, and what its direction does."""

from typing import NamedTuple

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.methods.auto.objective import Change, Objective, item_of
from dagscale.methods.auto.proposers import Scene, eliminated, hopes
from dagscale.runtime.types import BoolArray, FloatArray

CLEAR = 30.0  # nats for a direction from which on their number does not matter


class Numbers(NamedTuple):
    """Numbers of edges (d, d); NaN off the graph.

    Attributes
    ----------
    nats : float array
        What its child loses without it.
    direction : float array
        What the best graph with the edge turned has less: turned alone, with the parents of
        both ends chosen anew, or with all paths between them; inf where knowledge forbids it.
    share : float array
        Share of the child's variance, on the scale that decided, that is explained with the edge and not without.
    """

    nats: FloatArray
    direction: FloatArray
    share: FloatArray


def numbers(graph: BoolArray, objective: Objective, scene: Scene) -> Numbers:
    """Read off the numbers of every edge."""
    gain, known = objective.gain, scene.known
    edges = np.argwhere(graph).tolist()
    whole = [item_of(graph, j) for _, j in edges]
    less = [(j, tuple(k for k in S if k != i)) for (i, _), (j, S) in zip(edges, whole, strict=True)]
    values = {}
    values["nats"] = gain(whole) - gain(less)
    left = [gain.told[without].left - gain.told[full].left for without, full in zip(less, whole, strict=True)]
    above = [item_of(graph, i) for i, _ in edges]
    more = [(i, tuple(sorted({*S, j}))) for (i, S), (_, j) in zip(above, edges, strict=True)]
    turned = values["nats"] - (gain(more) - gain(above))
    ties = graph | known.before
    reach = descendants(ties)
    legal = [
        known.allowed[j, i] and not known.required[i, j] and not (ties[i] & reach[:, j]).any()
        for i, j in edges
    ]
    values["direction"] = np.where(legal, turned, np.inf)
    values["share"] = np.clip(left, 0.0, 1.0)
    spread = {name: np.full(graph.shape, np.nan) for name in values}
    for name, array in values.items():
        spread[name][graph] = array
    _by_blocks(graph, objective, scene, spread["direction"])
    return Numbers(spread["nats"], spread["direction"], spread["share"])


def _by_blocks(graph: BoolArray, objective: Objective, scene: Scene, direction: FloatArray) -> None:
    """Lower the nats for directions to what exchanges of parents, and whole paths turned round, leave of them."""
    blocks, hope = hopes(graph, scene, objective)
    close = [block for block, nats in zip(blocks, hope, strict=True) if nats > -CLEAR]
    chosen = iter(
        eliminated([item for block in close for item in block], objective, graph, scene.known.required)
    )
    for block in close:
        _lower(
            direction,
            graph,
            -objective.improvements(graph, [new := dict(next(chosen) for _ in block)])[0],
            new,
        )
    for block, nats in zip(blocks, hope, strict=True):
        if nats <= -CLEAR:  # it costs at least so much: no need to know how much more
            _lower(direction, graph, -float(nats), dict(block))
    known, reach = scene.known, descendants(graph) | np.eye(len(graph), dtype=bool)
    for i, j in np.argwhere(graph & np.isinf(direction)).tolist():
        between = np.flatnonzero(reach[i] & reach[:, j])
        inner = np.ix_(between, between)
        if not (graph[inner] & (known.required[inner] | known.before[inner] | ~known.allowed[inner].T)).any():
            after = graph.copy()
            after[inner] = graph[inner].T
            turned = dict(item_of(after, int(k)) for k in between)
            _lower(direction, graph, -objective.improvements(graph, [turned])[0], turned)


def _lower(direction: FloatArray, graph: BoolArray, lost: float, change: Change) -> None:
    """Note what a change costs that turns edges of the graph."""
    for j, parents in change.items():
        for i in parents:
            if graph[j, i]:  # j -> i in the graph, i -> j here
                direction[j, i] = min(direction[j, i], lost)
