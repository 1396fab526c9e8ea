"""One loop: proposers in turn, the cheapest first, back to the first after a gain; one deadline."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.methods.auto.objective import Change, Objective, item_of
from dagscale.methods.auto.proposers import Scene
from dagscale.runtime.clock import late
from dagscale.runtime.types import BoolArray

Proposer = Callable[[BoolArray, Scene, Objective], Iterator[Change]]
AT_ONCE = 50  # changes whose gains are asked for between two looks at the clock
WORTH = 0.1  # nats that a change must gain: below, rounding decides


def greedy(
    objective: Objective, scene: Scene, deadline: float = np.inf, graph: BoolArray | None = None
) -> BoolArray:
    """Put in the edge that adds most to S(G), one after another, until none adds anything."""
    known, d = scene.known, objective.d
    graph = known.required.copy() if graph is None else graph.copy()
    more = np.full((d, d), -np.inf)  # gain of each edge that may come next
    stale = np.ones(d, dtype=bool)
    while not late(deadline):
        reach = descendants(graph | known.before) | np.eye(d, dtype=bool)
        possible = scene.mask & ~graph & ~graph.T & ~reach.T & (graph.sum(axis=0) < scene.max_parents)
        items, edges = [], []
        for j in np.flatnonzero(stale).tolist():
            own = item_of(graph, j)[1]
            for i in np.flatnonzero(scene.mask[:, j] & ~graph[:, j] & ~graph[j]).tolist():
                items.append((j, tuple(sorted((*own, i)))))
                edges.append((i, j))
        if items:
            now = objective.gain([item_of(graph, j) for _, j in edges])
            more[tuple(np.array(edges).T)] = objective.gain(items) - now
        stale[:] = False
        offered = np.where(possible, more, -np.inf)
        i, j = (int(k) for k in np.unravel_index(int(offered.argmax()), offered.shape))
        if offered[i, j] <= objective.price(int(graph.sum())) + WORTH:
            break
        graph[i, j] = True
        more[:, j] = -np.inf
        stale[j] = True
    return graph


def climb(
    graph: BoolArray,
    objective: Objective,
    scene: Scene,
    proposers: Sequence[Proposer],
    deadline: float = np.inf,
    tell: Callable[[float], None] | None = None,
) -> BoolArray:
    """Make changes while they add to S(G), telling it; after a gain, begin again with the cheapest proposer."""
    turn = 0
    while turn < len(proposers):
        changes = proposers[turn](graph, scene, objective)
        tried: list[Change] = []
        gained: list[float] = []
        ended = False
        while some := [change for change in islice(changes, AT_ONCE) if change]:
            if ended := late(deadline):
                break
            tried += some
            gained += objective.improvements(graph, some)
        after = accepted(graph, tried, gained, scene, objective)
        if ended:
            return after
        turn = turn + 1 if np.array_equal(after, graph) else 0
        graph = after
        if tell is not None and not turn:
            tell(objective.score(graph))
    return graph


def accepted(
    graph: BoolArray, changes: Sequence[Change], gained: Sequence[float], scene: Scene, objective: Objective
) -> BoolArray:
    """Make the best changes that touch none of each other's nodes and close no cycle."""
    after = graph.copy()
    touched: set[int] = set()
    for k in np.argsort(-np.array(gained), kind="stable"):
        if gained[k] < WORTH:
            break
        changed = {
            v for j, parents in changes[k].items() for v in {j} | (set(parents) ^ set(item_of(graph, j)[1]))
        }
        if touched & changed:
            continue
        trial = after.copy()
        for j, parents in changes[k].items():
            trial[:, j] = False
            trial[list(parents), j] = True
        if _cyclic(trial | scene.known.before):
            continue
        after = trial
        touched |= changed
    return after


def _cyclic(graph: BoolArray) -> bool:
    left = graph.copy()
    alive = np.ones(len(graph), dtype=bool)
    while alive.any():
        sources = alive & ~left[alive].any(axis=0)
        if not sources.any():
            return True
        alive &= ~sources
    return False
