"""Exchanging: turn an edge, or a short path, and give all nodes on it their parents anew.

Where effects are nearly linear, a -> b with another parent c of b can be told almost as well as b -> a, if c
becomes a parent of a too. Turning the edge alone loses what c tells of a, and a climb stops before it
(Grzegorczyk and Husmeier 2008 saw the same in sampling). So every node of the block that is turned is offered
the outside parents of all of them and the nodes that now come before it, and keeps what it would miss.
No cycle can arise: an outside parent below one of the block's nodes would lie on a path between two of them.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from dagscale.graphs.dag import descendants, topological_order
from dagscale.methods.auto.climb import Move, Moves
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.gain import Gain, Item, parents_item
from dagscale.runtime.types import BoolArray

AT_ONCE = 40  # of them, between two looks at the clock

Block = tuple[Item, ...]


def exchange_moves(
    gain: Gain, penalty: float, allowed: BoolArray, out_of_time: Callable[[], bool] = lambda: False
) -> Moves:
    """Return the moves that turn blocks of up to `SETTINGS.largest` nodes, for `climb`.

    Parameters
    ----------
    gain : callable
        Evidence of items over their nodes alone, in nats; cheap, since it is asked for many.
    penalty : float
        Nats an edge must gain.
    allowed : (d, d) bool array
        Edges [parent, child] that may exist.
    out_of_time : callable
        Asked between steps; True yields no more moves.
    """

    def moves(
        graph: BoolArray, _mask: BoolArray, required: BoolArray, before: BoolArray, max_parents: int
    ) -> Iterator[Move]:
        blocks = [
            block
            for block in turned_blocks(graph, allowed, required | before)
            if all(len(parents) <= max_parents for _, parents in block)
        ]
        likely = _likely(blocks, graph, gain, out_of_time)[: SETTINGS.tried * len(graph)]
        for first in range(0, len(likely), AT_ONCE):
            if out_of_time():
                return
            some = likely[first : first + AT_ONCE]
            chosen = iter(eliminated([item for block in some for item in block], gain, required, penalty))
            for block in some:
                yield _replacing(graph, [next(chosen) for _ in block])

    return moves


def turned_blocks(graph: BoolArray, allowed: BoolArray, fixed: BoolArray) -> Iterator[Block]:
    """Yield the nodes between any two, in each new order, with all parents that they may choose from.

    The first is put last, the last first, or all are turned round; `fixed` [i, j] keeps i before j.
    """
    ties = graph | fixed
    below = descendants(ties)
    reach = below | np.eye(len(graph), dtype=bool)
    place = np.argsort(topological_order(ties))
    for u, v in zip(*np.nonzero(below), strict=True):
        between = np.flatnonzero(reach[u] & reach[:, v])
        if len(between) > SETTINGS.largest:
            continue
        first, *rest = between[np.argsort(place[between])].tolist()
        outside: BoolArray = np.any(graph[:, between], axis=1)
        outside[between] = False
        orders = {(*rest, first), (rest[-1], first, *rest[:-1]), (*rest[::-1], first)}
        for order in sorted(orders):
            if not np.tril(fixed[np.ix_(order, order)], -1).any():
                yield tuple(_offered(k, order, outside, allowed) for k in range(len(order)))


def _offered(k: int, order: Sequence[int], outside: BoolArray, allowed: BoolArray) -> Item:
    wide = outside.copy()
    wide[list(order[:k])] = True
    return order[k], tuple(np.flatnonzero(wide & allowed[:, order[k]]).tolist())


def _likely(
    blocks: Sequence[Block], graph: BoolArray, gain: Gain, out_of_time: Callable[[], bool]
) -> list[Block]:
    """Blocks that may gain once idle parents are gone, the likeliest first; of those there is time for."""
    sums: list[float] = []
    for first in range(0, len(blocks), AT_ONCE):
        if out_of_time():
            break
        some = blocks[first : first + AT_ONCE]
        items = [item for block in some for item in block]
        now = [parents_item(graph, j) for j, _ in items]
        idle = [len(wide) - len(had) for (_, wide), (_, had) in zip(items, now, strict=True)]
        more = iter(gain(items) - gain(now) + SETTINGS.idle * np.array(idle))
        sums += [sum(float(next(more)) for _ in block) for block in some]
    return [blocks[k] for k in np.argsort(-np.array(sums), kind="stable") if sums[k] > 0]


def eliminated(items: Sequence[Item], gain: Gain, required: BoolArray, penalty: float) -> list[Item]:
    """Take out each item's idlest parent while its evidence loses less than the penalty."""
    left = list(items)
    still = list(range(len(left)))
    while still:
        less = [[_without(left[k], i) for i in left[k][1] if not required[i, left[k][0]]] for k in still]
        asked = [item for k, fewer in zip(still, less, strict=True) for item in (left[k], *fewer)]
        values = iter(gain(asked))
        changed = []
        for k, fewer in zip(still, less, strict=True):
            now, *without = (float(next(values)) for _ in range(1 + len(fewer)))
            if fewer and now - max(without) < penalty:
                left[k] = fewer[int(np.argmax(without))]
                changed.append(k)
        still = changed
    return left


def _without(item: Item, parent: int) -> Item:
    return item[0], tuple(i for i in item[1] if i != parent)


def _replacing(graph: BoolArray, items: Sequence[Item]) -> Move:
    """The move that gives nodes these parents."""
    out, into = [], []
    for j, parents in items:
        had = set(np.flatnonzero(graph[:, j]).tolist())
        out += [(i, j) for i in sorted(had - set(parents))]
        into += [(i, j) for i in sorted(set(parents) - had)]
    return Move(tuple(out), tuple(into))
