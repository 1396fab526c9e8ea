"""Links that a hidden cause explains better than an arrow does.

An arrow i -> j says that whatever moves i moves j, i's own parents included. If a hidden cause joins the two, only the
noise of i tells of j (`shared_noise.py`): parents of i are independent of j, and dependent on it given i. So of every
edge the graph is compared with the one in which the two share noise instead, parents that this makes idle left out. The
noise of either end may tell of the other, and it has to beat the arrow in both directions.

If all parents of i were parents of j, too, then i -> j and the hidden cause would allow the same distributions, but for
their shapes, and no data could tell them apart. Each end must have a parent that the other has not.

Parents of i that j does not need beside the noise of i may also be true parents of j whose two paths cancel, and where
columns have many parents some do by chance. Shapes tell: if neither noise is normal, that of j is independent of that
of i given an arrow, and not given a hidden cause (Darmois-Skitovich). An arrow that leaves independent noise stands.

A search that draws an arrow i -> j for a hidden cause has to join the parents a of i with j, too, and then i -> a may
fit as well as a -> i, so that i seems to have no parent. Such arrows are turned round where that lets a hidden cause
explain more.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dagscale.graphs.dag import reaches
from dagscale.methods.auto.certainty.residual_checks import LEVEL
from dagscale.methods.auto.search.found import Found
from dagscale.methods.auto.search.objective import item_of
from dagscale.methods.auto.search.proposers import eliminated
from dagscale.models.dependence import dependence, waves
from dagscale.models.gain import Item
from dagscale.models.likelihood.density import shape_evidence
from dagscale.models.likelihood.one_step import one_step
from dagscale.models.likelihood.rows_gain import whole
from dagscale.models.likelihood.shared_noise import beside_noises, giving, noises_beside
from dagscale.runtime.clock import late
from dagscale.runtime.types import BoolArray

ROUNDS = 4  # times that what is left is looked at again


class Shared(NamedTuple):
    """A pair that shares noise: by how many nats, the ends, one of them with its parents, and the other's noise."""

    nats: float
    i: int
    j: int
    item: Item
    noise: int


def with_hidden_causes(found: Found, until: float = math.inf) -> Found:
    """Return what was found with the links taken out, and marked, that a hidden cause explains better.

    What is not compared by the time `until` stays as it was.
    """
    found = _as_drawn(found, until)
    while (turned := _turned(found, until)) is not None:
        found = _as_drawn(turned, until)
    return found


def _as_drawn(found: Found, until: float) -> Found:
    """Look at all links at once, as the graph draws them, and again at those beside a link that was taken out."""
    left = found.graph & _askable(found)
    for _ in range(ROUNDS):
        gain, pairs = _likelier(found, left, until)
        taken, touched = list[Shared](), set[int]()
        left[:] = False
        for pair in sorted(pairs, key=lambda pair: -pair.nats):
            if touched & {pair.i, pair.j}:
                left[pair.i, pair.j] = True  # to be seen again, once the others are in
            else:
                taken.append(pair)
                touched |= {pair.i, pair.j}
        if not taken:
            break
        found = _without(found, taken, gain)
    return found


def _turned(found: Found, until: float) -> Found | None:
    """Turn the arrow round with which a hidden cause explains the most, and take out that link; None without one."""
    best, most = None, 0.0
    for i, j, graph in _triangles(found):
        changed = np.flatnonzero((graph != found.graph).any(axis=0)).tolist()
        lost = -found.objective.improvements(found.graph, [dict(item_of(graph, k) for k in changed)])[0]
        if lost > found.settings.hidden or late(until):
            continue
        link, turned = np.zeros_like(graph), found.at(graph)
        link[i, j] = True
        gain, pairs = _likelier(turned, link, until)
        for pair in pairs:
            if pair.nats - lost > most:
                best, most = _without(turned, [pair], gain), pair.nats - lost
    return best


def _triangles(found: Found) -> Iterator[tuple[int, int, BoolArray]]:
    """Yield links i -> j with the graph in which another column a, joined with both, is a parent of both."""
    graph, known, askable = found.graph, found.scene.known, _askable(found)
    for i, j in np.argwhere(graph & askable).tolist():
        for a in np.flatnonzero(graph[i] & (graph[:, j] | graph[j])).tolist():
            after = graph.copy()
            after[[i, j], a], after[a, [i, j]] = False, True
            new, ties = after & ~graph, after | known.before
            allowed = not (new & ~found.scene.mask).any() and not (graph & ~after & known.required).any()
            if allowed and not reaches(ties, i, a) and not reaches(ties, j, a):
                yield i, j, after


def _askable(found: Found) -> BoolArray:
    """Pairs (d, d) of numbers of many values between which knowledge does not ask for an edge."""
    numbers = np.array([level is None for level in found.scale.levels], dtype=bool)
    return np.asarray(np.outer(numbers, numbers) & ~found.scene.known.required)


def _without(found: Found, pairs: list[Shared], gain: Any) -> Found:
    """Take the edges of pairs out, with the parents that have become idle; the likelihood knows what they share."""
    graph, marked = found.graph.copy(), found.shared.copy()
    for pair in pairs:
        graph[pair.i, pair.j] = False
        child, parents = pair.item
        graph[:, child] = False
        graph[list(parents), child] = True
        marked[pair.i, pair.j] = marked[pair.j, pair.i] = True
    gain = giving(gain, {pair.item[0]: (pair.noise,) for pair in pairs})
    objective = replace(found.objective, gain=gain)
    return replace(found, graph=graph, marked=marked, objective=objective, scene=found.scene.without(marked))


def _likelier(found: Found, edges: BoolArray, until: float) -> tuple[Any, list[Shared]]:
    """Return the pairs among `edges` (d, d) of which a hidden cause is clearly likelier, and the gain with noises."""
    gain, graph = found.objective.gain, found.graph
    # an edge, one end with its parents, the other end with its own
    sides = list[tuple[int, int, Item, Item]]()
    for i, j in np.argwhere(edges & graph).tolist():
        own = item_of(graph, i)
        rest = j, tuple(k for k in item_of(graph, j)[1] if k != i)
        # without parents the noise of an end is the column itself, and a hidden cause the same as the arrow
        sides += [(i, j, one, other) for one, other in ((rest, own), (own, rest)) if other[1]]
    others = list(dict.fromkeys(other for _, _, _, other in sides))
    if not others:
        return gain, []
    gain(others)  # all at once
    noises = {other: gain.noise(other) for other in others}
    first = noises_beside(gain)
    beside = beside_noises(gain, np.nan_to_num(np.column_stack([noises[other] for other in others])))
    place = {other: first + k for k, other in enumerate(others)}
    best: dict[tuple[int, int], Shared] = {}
    for i, j, one, other in sides:
        if late(until):
            break
        pair = _compared(found, beside, (i, j), one, other, place[other])
        if pair is not None and ((i, j) not in best or pair.nats > best[i, j].nats):
            best[i, j] = pair
    return beside, list(best.values())


def _compared(
    found: Found, beside: Any, edge: tuple[int, int], item: Item, other: Item, noise: int
) -> Shared | None:
    """Give an end of an edge the noise of the other end for a parent; None unless that is likelier than an arrow."""
    (i, j), graph, gain = edge, found.graph, found.objective.gain
    child, parents = item
    own, rest = item_of(graph, i), tuple(k for k in item_of(graph, j)[1] if k != i)
    arrows = gain([item_of(graph, j), (i, tuple(sorted((*own[1], j))))])
    alone = gain([(j, rest), own])
    price = found.objective.price(max(int(graph.sum()) - 1, 0))
    picked = found.objective.price(0) - price  # one of all pairs, in place of one more among many edges
    least = float((arrows - alone).max()) + max(found.settings.hidden, picked)
    base = float(gain([item])[0])
    shared = giving(beside, {child: (noise,)})
    if float(shared([item])[0]) - base + price * len(parents) <= least:
        return None
    objective = replace(found.objective, gain=shared)
    item = eliminated([item], objective, graph, found.scene.known.required)[0]
    nats = float(shared([item])[0]) - base + price * (len(parents) - len(item[1]))
    told_apart = set(other[1]) - set(item[1]) and set(item[1]) - set(other[1])
    if not told_apart or nats <= least or (item[1] != parents and _stands(found, i, j)):
        return None
    return Shared(nats - least, i, j, item, noise)


def _stands(found: Found, i: int, j: int) -> bool:
    """Say whether the noise of an arrow i -> j and that of i are independent, and neither is normal."""
    gain, parents = found.objective.gain, whole(found.scale).parents
    ends = [item_of(found.graph, i), item_of(found.graph, j)]
    gain(ends)
    noise = np.stack([gain.noise(end) for end in ends])  # (2, n)
    told = np.isfinite(noise).all(axis=0)
    if shape_evidence(noise[:, told]).min() < found.settings.either_way:
        return False  # noise that is nearly normal is nearly independent of what shares a cause with it
    own = zip(noise, ends, strict=True)
    cause, effect = (waves(one_step(left[told], parents[told][:, end[1]])[:, None]) for left, end in own)
    return bool(dependence(cause, effect).p_values[0, 0] > LEVEL)
