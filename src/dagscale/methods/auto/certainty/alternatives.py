"""The graphs next to a graph, and what each pair of columns is worth in them: joined one way, the other way, or not.

One edge is added, deleted or reversed, a path is turned round, or the parents of a turned block are chosen anew. Of
every pair and each of its three states the best graph is kept: S of it less S of the graph itself, in nats.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.methods.auto.search.objective import Change, Objective, item_of
from dagscale.methods.auto.search.proposers import (
    Scene,
    eliminated,
    hopes,
    path,
    single,
    turned,
    turned_blocks,
)
from dagscale.runtime.clock import BudgetSpent
from dagscale.runtime.types import BoolArray, FloatArray

AT_ONCE = 50  # changes looked at between two looks at the clock
CLEAR = 30.0  # nats that an alternative costs from which on their number does not matter


class Alternatives(NamedTuple):
    """Nats of the best graph in which a pair has a state, less those of the graph, (d, d) each; -inf where none has.

    Attributes
    ----------
    joined : float array
        [parent, child]: the edge is there; 0 on the graph.
    apart : float array
        Symmetric: no edge joins the two; 0 off the graph.
    turned : dict of (parent, child) to change
        Of every edge of the graph that was turned, the change that made the best graph with it turned.
    """

    joined: FloatArray
    apart: FloatArray
    turned: dict[tuple[int, int], Change]

    def look_at(self, changes: list[Change], graph: BoolArray, objective: Objective) -> None:
        """Keep what changes of the graph are worth for the pairs that they change."""
        for change, nats in zip(changes, objective.improvements(graph, changes), strict=True):
            for j, parents in change.items():
                _, had = item_of(graph, j)
                for i in set(parents) - set(had):
                    self._join(graph, i, j, change, nats)
                for i in set(had) - set(parents):
                    if j not in change.get(i, item_of(graph, i)[1]):
                        self.apart[i, j] = self.apart[j, i] = max(self.apart[i, j], nats)

    def note_turned(self, graph: BoolArray, change: Change, nats: float) -> None:
        """Keep what a change is worth at most for the edges that it turns, and say nothing of the others."""
        for j, parents in change.items():
            for i in parents:
                if graph[j, i]:
                    self._join(graph, i, j, change, nats)

    def _join(self, graph: BoolArray, i: int, j: int, change: Change, nats: float) -> None:
        if nats > self.joined[i, j]:
            self.joined[i, j] = nats
            if graph[j, i]:
                self.turned[j, i] = change


def alternatives(
    graph: BoolArray,
    objective: Objective,
    scene: Scene,
    deadline: float = np.inf,
    asked: BoolArray | None = None,
) -> Alternatives:
    """Look at the graphs next to this one, at the first of them, which turn its edges, even after the deadline.

    If `asked` (d, d) marks edges, only at those in which one of them is turned.
    """
    found = Alternatives(
        np.where(graph, 0.0, -np.inf),
        np.where(graph | graph.T | np.eye(len(graph), dtype=bool), -np.inf, 0.0),
        {},
    )
    near = [*single(graph, scene, objective), *path(graph, scene, objective)]
    if asked is None:
        asked = graph
    else:
        near = [change for change in near if _turns(change, asked)]
    found.look_at(near[:AT_ONCE], graph, objective)
    watched = objective.within(deadline)
    with suppress(BudgetSpent):
        for first in range(AT_ONCE, len(near), AT_ONCE):
            found.look_at(near[first : first + AT_ONCE], graph, watched)
        _turned_blocks(graph, watched, scene, found, asked)
        _turned_paths(graph, watched, scene, found, asked)
    return found._replace(turned={edge: change for edge, change in found.turned.items() if asked[edge]})


def _turns(change: Change, asked: BoolArray) -> bool:
    """Say whether a change turns an edge that is asked for."""
    return any(asked[j, list(parents)].any() for j, parents in change.items())


def _turned_blocks(
    graph: BoolArray, objective: Objective, scene: Scene, found: Alternatives, asked: BoolArray
) -> None:
    """Exchange the parents of turned blocks, where that is not plainly worse; the likeliest before the deadline."""
    blocks = [block for block in turned_blocks(graph, scene) if _turns(dict(block), asked)]
    hope = hopes(graph, blocks, objective)
    for block, nats in zip(blocks, hope, strict=True):
        if nats <= -CLEAR:  # it costs at least so much: no need to know how much more
            found.note_turned(graph, dict(block), float(nats))
    close = [blocks[k] for k in np.argsort(-hope, kind="stable") if hope[k] > -CLEAR]
    for first in range(0, len(close), AT_ONCE):
        some = close[first : first + AT_ONCE]
        items = [item for block in some for item in block]
        chosen = iter(eliminated(items, objective, graph, scene.known.required))
        changes: list[Change] = [dict(next(chosen) for _ in block) for block in some]
        found.look_at(changes, graph, objective)


def _turned_paths(
    graph: BoolArray, objective: Objective, scene: Scene, found: Alternatives, asked: BoolArray
) -> None:
    """Turn all that lies between the ends of edges that nothing else has turned: ways round longer than a block."""
    known, reach = scene.known, descendants(graph) | np.eye(len(graph), dtype=bool)
    ends = np.argwhere(asked & np.isneginf(found.joined.T)).tolist()
    ways = (turned(graph, np.flatnonzero(reach[i] & reach[:, j]), known, known.allowed) for i, j in ends)
    found.look_at([change for change in ways if change], graph, objective)
