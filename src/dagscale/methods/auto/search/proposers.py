"""Proposers: changes of a graph worth trying, the cheapest kind first.

Each takes the graph and what is known, and yields changes {child: parents}. None closes a cycle, breaks a
constraint or takes out a required edge.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dagscale.graphs.dag import descendants, topological_order
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.search.objective import Change, Objective, item_of
from dagscale.models.gain import Item, item_without
from dagscale.models.likelihood.spline_gain import CLOSELY
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

LONGEST = 6  # nodes of a path that is turned
LARGEST = 3  # nodes of a block whose parents are exchanged, be its ends joined or not
IDLE = 4.0  # nats that an idle parent may cost a fit: half the logarithm of the rows, and a little
WIDEST = 10  # nodes of a block where one is moved past all of its children or parents
TRIED = 2  # blocks a column whose nodes choose their parents, in one round
AT_ONCE = 10  # of them together
LIKELY, ALL = 3, 1000  # parents that are tried to be left out first, and then
STEPS = 6  # parents that a node may be given at once
PATIENCE = 25.0  # nats that they may lose on the way


@dataclass(frozen=True)
class Scene:
    """What proposers may do.

    Attributes
    ----------
    known : Constraints
    mask : (d, d) bool array
        Edges [parent, child] that may be put in one by one.
    max_parents : int
    """

    known: Constraints
    mask: BoolArray
    max_parents: int

    def without(self, edges: BoolArray) -> "Scene":
        """The same with some edges (d, d) forbidden."""
        known = replace(self.known, allowed=self.known.allowed & ~edges)
        return replace(self, known=known, mask=self.mask & ~edges)


def single(graph: BoolArray, scene: Scene, _: Objective) -> Iterator[Change]:
    """Yield all ways to add, delete or reverse one edge."""
    known = scene.known
    ties = graph | known.before
    reach = descendants(ties) | np.eye(len(ties), dtype=bool)
    room = graph.sum(axis=0) < scene.max_parents
    for i, j in np.argwhere(graph & ~known.required).tolist():
        less = item_without(graph, i, j)[1]
        yield {j: less}
        roundabout = known.before[i, j] or any(reach[k, j] for k in np.flatnonzero(ties[i]) if k != j)
        if scene.mask[j, i] and room[i] and not roundabout:
            yield {j: less, i: _with(graph, j, i)}
    addable = scene.mask & ~graph & ~graph.T & ~reach.T & room[None, :]
    for i, j in np.argwhere(addable).tolist():
        yield {j: _with(graph, i, j)}


def path(graph: BoolArray, scene: Scene, _: Objective) -> Iterator[Change]:
    """Yield all ways to turn round what leads from one node to another further down, up to `LONGEST` nodes."""
    reach = descendants(graph) | np.eye(len(graph), dtype=bool)
    for u, v in np.argwhere(reach & ~graph).tolist():
        between = np.flatnonzero(reach[u] & reach[:, v])
        if 2 < len(between) <= LONGEST:
            change = turned(graph, between, scene.known, scene.mask)
            if change and max(len(parents) for parents in change.values()) <= scene.max_parents:
                yield change


def turned(graph: BoolArray, nodes: IntArray, known: Constraints, allowed: BoolArray) -> Change:
    """Turn all edges between some nodes round; no change where one of them may not be turned."""
    inner = np.ix_(nodes, nodes)
    edges = graph[inner]
    if (edges & (known.required[inner] | known.before[inner] | ~allowed[inner].T)).any():
        return {}
    after = graph.copy()
    after[inner] = edges.T
    items = (item_of(after, k) for k in nodes.tolist())
    return {k: parents for k, parents in items if parents != item_of(graph, k)[1]}


def exchange(graph: BoolArray, scene: Scene, objective: Objective) -> Iterator[Change]:
    """Turn an edge or a short path and give all nodes on it their parents anew, by backward elimination.

    Every node of the block is offered the outside parents of all of them and the nodes that now come before it. No
    cycle can arise: an outside parent below one of the block's nodes would lie on a path between two of them. Blocks
    whose widest sets, idle parents forgiven, do not beat the graph are passed over; the likeliest come first.
    """
    blocks = list(turned_blocks(graph, scene))
    hope = hopes(graph, blocks, objective)
    likely = [blocks[k] for k in np.argsort(-hope, kind="stable") if hope[k] > 0][: TRIED * len(graph)]
    for first in range(0, len(likely), AT_ONCE):
        some = likely[first : first + AT_ONCE]
        chosen = iter(
            eliminated([item for block in some for item in block], objective, graph, scene.known.required)
        )
        for block in some:
            new = dict(next(chosen) for _ in block)
            yield {j: parents for j, parents in new.items() if parents != item_of(graph, j)[1]}


def hopes(graph: BoolArray, blocks: list[list[Item]], objective: Objective) -> FloatArray:
    """Return the nats that turned blocks may add to S(G) at most: their widest sets', idle parents forgiven."""
    items = [item for block in blocks for item in block]
    if not items:
        return np.zeros(0)
    now = [item_of(graph, j) for j, _ in items]
    idle = np.array([len(wide) - len(had) for (_, wide), (_, had) in zip(items, now, strict=True)])
    more = objective.gain(items) - objective.gain(now) + IDLE * idle
    ends = np.cumsum([len(block) for block in blocks])
    return np.asarray(np.add.reduceat(more, np.append(0, ends[:-1])))


def turned_blocks(graph: BoolArray, scene: Scene) -> Iterator[list[Item]]:
    """Yield the nodes between any two, in each new order, with all parents that they may choose from.

    Blocks of up to `LARGEST` nodes, and those of up to `LONGEST` whose ends are joined by an edge: the last comes
    first, the first comes last, or all are turned round. And every node with several children (parents) moved below
    (above) all of them. None in which a node has more parents than it may have.
    """
    fixed = scene.known.required | scene.known.before
    ties = graph | fixed
    below = descendants(ties)
    place = np.argsort(topological_order(ties))
    for between, orders in _blocks(graph, below, place):
        outside: BoolArray = np.asarray(graph[:, between].any(axis=1))
        outside[between] = False
        for order in sorted(orders):
            if np.tril(fixed[np.ix_(order, order)], -1).any():
                continue
            block = [_offered(k, order, outside, scene.known.allowed) for k in range(len(order))]
            if all(len(parents) <= scene.max_parents for _, parents in block):
                yield block


def _blocks(
    graph: BoolArray, below: BoolArray, place: IntArray
) -> Iterator[tuple[list[int], set[tuple[int, ...]]]]:
    """Yield blocks, all nodes between their own among them, with new orders for each."""
    reach = below | np.eye(len(graph), dtype=bool)

    def sorted_(nodes: BoolArray) -> list[int]:
        chosen = np.flatnonzero(nodes)
        ordered: list[int] = chosen[np.argsort(place[chosen])].tolist()
        return ordered

    for u, v in np.argwhere(below).tolist():
        block = sorted_(reach[u] & reach[:, v])
        if len(block) <= (LONGEST if graph[u, v] else LARGEST) and graph[np.ix_(block, block)].any():
            first, *rest = block
            yield block, {(*rest, first), (rest[-1], first, *rest[:-1]), (*rest[::-1], first)}
    for v in range(len(graph)):
        if graph[v].sum() > 1:  # below all of its children
            block = sorted_(reach[v] & reach[:, graph[v]].any(axis=1))
            if len(block) <= WIDEST:
                yield block, {(*block[1:], v)}
        if graph[:, v].sum() > 1:  # above all of its parents
            block = sorted_(reach[:, v] & reach[graph[:, v]].any(axis=0))
            if len(block) <= WIDEST:
                yield block, {(v, *block[:-1])}


def eliminated(items: list[Item], objective: Objective, graph: BoolArray, required: BoolArray) -> list[Item]:
    """Take out each item's idlest parent while that costs less than the price of an edge.

    The parents that a bound calls the idlest are tried first, all of them before an item is left as it is.
    """
    price = objective.price(max(int(graph.sum()) - 1, 0))
    left, asked = list(items), dict.fromkeys(range(len(items)), LIKELY)  # item -> parents to try
    while asked:
        now = objective.gain([left[k] for k in asked])
        less = {k: _idlest(left[k], objective, required, few, price) for k, few in asked.items()}
        values = iter(objective.gain([item for some in less.values() for item in some]))
        again = {}
        for own, (k, some) in zip(now, less.items(), strict=True):
            without = [float(next(values)) for _ in some]
            if without and own - max(without) < price:
                left[k], again[k] = some[int(np.argmax(without))], LIKELY
            elif asked[k] == LIKELY:
                again[k] = ALL
        asked = again
    return left


def _idlest(item: Item, objective: Objective, required: BoolArray, few: int, price: float) -> list[Item]:
    """Return the item without one parent, for the few that seem to be worth least, and may be worth less than a price.

    One, where their worth is known closely.
    """
    (j, parents), told = item, objective.gain.told[item]
    worth = told.idle or (0.0,) * len(parents)
    free = [(nats, i) for nats, i in zip(worth, parents, strict=True) if not required[i, j]]
    some = [i for nats, i in sorted(free) if not told.idle or nats - told.doubt < price]
    few = 1 if few == LIKELY and told.idle and told.doubt <= CLOSELY else few
    return [(j, tuple(k for k in parents if k != i)) for i in some[:few]]


def _offered(k: int, order: tuple[int, ...], outside: BoolArray, allowed: BoolArray) -> Item:
    wide = outside.copy()
    wide[list(order[:k])] = True
    return order[k], tuple(np.flatnonzero(wide & allowed[:, order[k]]).tolist())


def _with(graph: BoolArray, i: int, j: int) -> tuple[int, ...]:
    return tuple(sorted((*item_of(graph, j)[1], i)))


def wide(graph: BoolArray, scene: Scene, objective: Objective) -> Iterator[Change]:
    """Give a node several parents that are nothing one by one: the best next one, paid or not, `STEPS` times over.

    Where parents act together only, each alone tells less than its price. The set is proposed at which most was gained.
    """
    ties = graph | scene.known.before
    reach = descendants(ties) | np.eye(len(ties), dtype=bool)
    price = objective.price(int(graph.sum()))
    for j in np.argsort(graph.sum(axis=0), kind="stable").tolist():
        _, parents = item_of(graph, j)
        left = set(np.flatnonzero(scene.mask[:, j] & ~graph[:, j] & ~graph[j] & ~reach[j]).tolist())
        start = float(objective.gain([(j, parents)])[0])
        most, best = 0.0, parents
        for _ in range(min(STEPS, len(left), scene.max_parents - len(parents))):
            items = [(j, tuple(sorted((*parents, i)))) for i in sorted(left)]
            values = objective.gain(items)
            parents = items[int(values.argmax())][1]
            left -= set(parents)
            net = float(values.max()) - start - price * (len(parents) - len(item_of(graph, j)[1]))
            if net > most:
                most, best = net, parents
            elif net < most - PATIENCE:
                break
        if most > 0:
            yield dict(eliminated([(j, best)], objective, graph, scene.known.required))
