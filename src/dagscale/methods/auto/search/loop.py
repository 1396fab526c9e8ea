"""One loop: proposers in turn, the cheapest first, back to the first after a gain; one deadline."""

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop
from itertools import islice

import numpy as np

from dagscale.graphs.dag import descendants, reaches
from dagscale.methods.auto.search.objective import Change, Objective, item_of
from dagscale.methods.auto.search.proposers import Scene
from dagscale.runtime.clock import BudgetSpent, late
from dagscale.runtime.types import BoolArray

Proposer = Callable[[BoolArray, Scene, Objective], Iterator[Change]]
AT_ONCE = 50  # changes whose gains are asked for between two looks at the clock
MANY = 1000  # additions of single edges: they are cheap
WORTH = 0.1  # nats that a change must gain: below, rounding decides


def greedy(objective: Objective, scene: Scene, deadline: float = np.inf) -> BoolArray:
    """Put in the edge that adds most to S(G), one after another, until none adds anything.

    What an edge adds mostly falls as its child gets parents. So the numbers of a child that has got one are taken
    anew only when one of its old ones is the largest left, and then with those of all such children together.
    """
    known, d = scene.known, objective.d
    graph = known.required.copy()
    reach = descendants(graph | known.before) | np.eye(d, dtype=bool)
    queue: list[tuple[float, int, int, int]] = []  # minus what is gained, parent, child, parents it has
    had = graph.sum(axis=0)
    stale = np.ones(d, dtype=bool)
    objective = objective.within(deadline)
    while not late(deadline):
        least = objective.price(int(had.sum())) + WORTH
        if stale.any() and (not queue or stale[queue[0][2]] or -queue[0][0] <= least):
            try:
                queue += _additions(graph, stale, objective, scene)
            except BudgetSpent:
                break
            heapify(queue)
            stale[:] = False
        if not queue or -queue[0][0] <= least:
            break
        _, i, j, size = heappop(queue)
        if size == had[j] and not reach[j, i]:
            graph[i, j] = stale[j] = True
            had[j] += 1
            reach[np.ix_(reach[:, i], reach[j])] = True
    return graph


def _additions(
    graph: BoolArray, children: BoolArray, objective: Objective, scene: Scene
) -> list[tuple[float, int, int, int]]:
    """What every further parent would add to some children (d,), as the queue of `greedy` has it."""
    offered = scene.mask & ~graph & ~graph.T & (children & (graph.sum(axis=0) < scene.max_parents))
    edges = sorted(zip(*(ends.tolist() for ends in np.nonzero(offered)), strict=True), key=lambda e: e[::-1])
    found: list[tuple[float, int, int, int]] = []
    own_of = {j: item_of(graph, j) for j in np.flatnonzero(children).tolist()}
    for first in range(0, len(edges), MANY):
        some = edges[first : first + MANY]
        now = [own_of[j] for _, j in some]
        items = [(j, tuple(sorted((*own, i)))) for (i, _), (j, own) in zip(some, now, strict=True)]
        more = (objective.gain(items) - objective.gain(now)).tolist()
        found += [(-nats, i, j, len(own)) for nats, (i, j), (_, own) in zip(more, some, now, strict=True)]
    return found


def climb(
    graph: BoolArray,
    objective: Objective,
    scene: Scene,
    proposers: Sequence[Proposer],
    deadline: float = np.inf,
    tell: Callable[[float], None] | None = None,
) -> BoolArray:
    """Make changes while they add to S(G), telling it; after a gain, begin again with the cheapest proposer."""
    turn, watched = 0, objective.within(deadline)
    while turn < len(proposers):
        changes = proposers[turn](graph, scene, watched)
        tried: list[Change] = []
        gained: list[float] = []
        ended = False
        try:
            while some := [change for change in islice(changes, AT_ONCE) if change]:
                gained += watched.improvements(graph, some)
                tried += some
        except BudgetSpent:
            ended = True
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
        ties = trial | scene.known.before
        if any(reaches(ties, j, i) for j, parents in changes[k].items() for i in parents):
            continue
        after = trial
        touched |= changed
    return after
