"""Climbing: add, delete and reverse edges while the penalised evidence of the graph grows.

A graph is scored by Σ_j gain(j, parents(j)) - penalty · edges. A round looks at all moves at once, so
that their evidences are fitted together, then makes the best ones that do not touch each other's
nodes. Evidences are cached by (node, parents): a round after the first fits only what changed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dagscale.graphs.dag import descendants, reaches
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.gain import Gain, Item, parents_item
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.types import BoolArray


@dataclass(frozen=True)
class Move:
    """A change of the graph: the edges it takes out and puts in."""

    out: tuple[tuple[int, int], ...] = ()
    into: tuple[tuple[int, int], ...] = ()

    @property
    def children(self) -> tuple[int, ...]:
        """Nodes whose parents change."""
        return tuple(sorted({j for _, j in self.out + self.into}))

    @property
    def touched(self) -> set[int]:
        """All nodes at either end."""
        return {v for edge in self.out + self.into for v in edge}

    def item(self, adjacency: BoolArray, j: int) -> Item:
        """Node j with its parents after the move."""
        parents = set(np.flatnonzero(adjacency[:, j]).tolist())
        parents -= {i for i, child in self.out if child == j}
        parents |= {i for i, child in self.into if child == j}
        return j, tuple(sorted(parents))

    def apply(self, adjacency: BoolArray) -> None:
        """Change the graph."""
        for i, j in self.out:
            adjacency[i, j] = False
        for i, j in self.into:
            adjacency[i, j] = True

    def undo(self, adjacency: BoolArray) -> None:
        """Change it back."""
        Move(self.into, self.out).apply(adjacency)


Moves = Callable[[BoolArray, BoolArray, BoolArray, BoolArray, int], Iterator[Move]]


@dataclass(frozen=True)
class Race:
    """A cheap gain that says which moves are worth an exact one: it may discard, it never accepts.

    Attributes
    ----------
    gain : Gain
        Cheap nats of items over their children alone.
    most : int
        Moves of a round that go on, the best by the cheap gain.
    """

    gain: Gain
    most: int

    def winners(self, moves: Sequence[Move], graph: BoolArray, penalty: float) -> list[Move]:
        """Return the moves that go on, in their order."""
        if len(moves) <= self.most:
            return list(moves)
        cheap = np.array(_gains(moves, graph, self.gain, penalty))
        return [moves[k] for k in np.sort(np.argsort(-cheap, kind="stable")[: self.most])]


def climb(
    adjacency: BoolArray,
    gain: Gain,
    mask: BoolArray,
    penalty: float,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    *,
    moves: Moves | None = None,
    race: Race | None = None,
    rounds: int = 50,
    max_parents: int = 20,
    out_of_time: Callable[[], bool] = lambda: False,
    progress: Progress = silent,
) -> BoolArray:
    """Climb from a DAG to one where no single move gains.

    Parameters
    ----------
    adjacency : (d, d) bool array
        Where to start.
    gain : callable
        Evidence of items (node, parents) over the node alone, in nats.
    mask : (d, d) bool array
        Edges [parent, child] that may be put in.
    penalty : float
        Nats an edge must gain.
    required : (d, d) bool array, optional
        Edges never taken out.
    before : (d, d) bool array, optional
        [i, j]: no path may lead from j to i; the result has an order that obeys it.
    moves : callable, optional
        What is tried; by default `single_moves`.
    race : Race, optional
        Lets only some of the moves go on to the exact gain.
    rounds, max_parents : int
        Limits of the search.
    out_of_time : callable
        Asked before every round.
    progress : callable
        Called with (label, done, total).

    Returns
    -------
    (d, d) bool array
    """
    required = np.zeros_like(adjacency) if required is None else required
    before = np.zeros_like(adjacency) if before is None else before
    graph = adjacency.copy()
    for done in range(rounds):
        if out_of_time():
            break
        progress("likeliest graph: Gaussian processes", done, rounds)
        tried = list((moves or single_moves)(graph, mask, required, before, max_parents))
        tried = tried if race is None else race.winners(tried, graph, penalty)
        after = _make(tried, _gains(tried, graph, gain, penalty), graph, before)
        if np.array_equal(after, graph):
            break
        graph = after
    progress("likeliest graph: Gaussian processes", rounds, rounds)
    return graph


def graph_score(adjacency: BoolArray, gain: Gain, penalty: float) -> float:
    """Score a graph: the nodes' gains given their parents, less the penalty for every edge."""
    items = [parents_item(adjacency, j) for j in range(len(adjacency))]
    return float(gain(items).sum()) - penalty * float(np.count_nonzero(adjacency))


def single_moves(
    graph: BoolArray, mask: BoolArray, required: BoolArray, before: BoolArray, max_parents: int
) -> Iterator[Move]:
    """Yield all ways to add, delete or reverse one edge."""
    ties = graph | before
    reach = descendants(ties) | np.eye(len(ties), dtype=bool)
    room = graph.sum(axis=0) < max_parents
    for i, j in zip(*np.nonzero(graph & ~required), strict=True):
        i, j = int(i), int(j)
        yield Move(out=((i, j),))
        roundabout = before[i, j] or any(
            reach[k, j] for k in np.flatnonzero(ties[i]) if k != j
        )  # i -> k -> ... -> j
        if mask[j, i] and room[i] and not roundabout:
            yield Move(out=((i, j),), into=((j, i),))
    addable = mask & ~graph & ~graph.T & ~reach.T & room[None, :]
    for i, j in zip(*np.nonzero(addable), strict=True):
        yield Move(into=((int(i), int(j)),))


def path_moves(
    graph: BoolArray, mask: BoolArray, required: BoolArray, before: BoolArray, max_parents: int
) -> Iterator[Move]:
    """Yield all ways to turn round what leads from one node to another further down, `longest` nodes at most.

    a -> b -> c becomes a <- b <- c at once. One edge after the other would make a and c independent on the
    way, which costs all that they tell of each other. No cycle can arise: what lies between two nodes that
    are turned lies on a path, and is turned with them.
    """
    reach = descendants(graph) | np.eye(len(graph), dtype=bool)
    room = max_parents - graph.sum(axis=0)
    for u, v in zip(*np.nonzero(reach & ~graph), strict=True):
        between = np.flatnonzero(reach[u] & reach[:, v])
        if not 2 < len(between) <= SETTINGS.longest:
            continue
        inner = np.ix_(between, between)
        edges = graph[inner]
        if (edges & (required[inner] | before[inner] | ~mask[inner].T)).any():
            continue
        if (edges.sum(axis=1) - edges.sum(axis=0) > room[between]).any():
            continue
        turned = [(int(between[a]), int(between[b])) for a, b in np.argwhere(edges)]
        yield Move(out=tuple(turned), into=tuple((j, i) for i, j in turned))


def _gains(moves: Sequence[Move], graph: BoolArray, gain: Gain, penalty: float) -> list[float]:
    """Gain of every move: what its children gain, less the penalty for the edges it adds."""
    items: list[Item] = []
    for move in moves:
        for j in move.children:
            items += [parents_item(graph, j), move.item(graph, j)]
    values = iter(gain(items).reshape(-1, 2))
    gains = []
    for move in moves:
        change = sum(float(new - old) for old, new in (next(values) for _ in move.children))
        gains.append(change - penalty * (len(move.into) - len(move.out)))
    return gains


def _make(moves: Sequence[Move], gains: Sequence[float], graph: BoolArray, before: BoolArray) -> BoolArray:
    """Make the best moves whose nodes no better move has touched and that close no cycle."""
    after = graph.copy()
    touched: set[int] = set()
    for k in np.argsort(-np.array(gains), kind="stable"):
        if gains[k] < SETTINGS.worth_a_move:
            break
        move = moves[k]
        if touched & move.touched:
            continue
        move.apply(after)
        if any(reaches(after | before, j, i) for i, j in move.into):
            move.undo(after)
            continue
        touched |= move.touched
    return after
