"""The one objective: S(G) = Σ_j gain(j, parents_j) - log C(pairs, edges) - c · edges, in nats."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dagscale.methods.auto.search.within import Within
from dagscale.models.gain import Item
from dagscale.runtime.types import BoolArray

Change = dict[int, tuple[int, ...]]  # children with their new parents


def item_of(graph: BoolArray, j: int) -> Item:
    """Return child j with its parents."""
    return j, tuple(np.flatnonzero(graph[:, j]).tolist())


def sides(graph: BoolArray, change: Change) -> tuple[list[Item], list[Item]]:
    """Return the items that a change of a graph replaces, and those it puts in their place."""
    return [item_of(graph, j) for j in change], list(change.items())


@dataclass(frozen=True)
class Objective:
    """Scores graphs of d columns.

    Attributes
    ----------
    gain : Gain
        Nats of items over their children alone. Proposers that leave out parents ask a `Likelihood`.
    d : int
        Columns.
    caution : float
        c: nats that an edge must earn besides its share of log C(pairs, edges).
    """

    gain: Any
    d: int
    caution: float

    def within(self, deadline: float) -> "Objective":
        """Return the same, which raises `BudgetSpent` once the deadline has passed."""
        return replace(self, gain=Within(self.gain, deadline))

    def cost(self, edges: int) -> float:
        """Nats that so many edges cost: the choice of them among the pairs, and c for each."""
        pairs = self.d * (self.d - 1) // 2
        choice = math.lgamma(pairs + 1) - math.lgamma(edges + 1) - math.lgamma(max(pairs - edges, 0) + 1)
        # beyond half of the pairs the number of choices falls again; an edge never earns by that
        half = pairs // 2
        if edges > half:
            choice = math.lgamma(pairs + 1) - math.lgamma(half + 1) - math.lgamma(pairs - half + 1)
        return choice + self.caution * edges

    def price(self, edges: int) -> float:
        """Nats that one more edge costs."""
        return self.cost(edges + 1) - self.cost(edges)

    def score(self, graph: BoolArray) -> float:
        """S(G)."""
        gains = self.gain([item_of(graph, j) for j in range(self.d)])
        return float(gains.sum()) - self.cost(int(graph.sum()))

    def improvements(self, graph: BoolArray, changes: list[Change]) -> list[float]:
        """What each change would add to S(G)."""
        edges = int(graph.sum())
        now = [item_of(graph, j) for change in changes for j in change]
        new = [(j, parents) for change in changes for j, parents in change.items()]
        more = iter(zip(self.gain(new) - self.gain(now), now, new, strict=True))
        found = []
        for change in changes:
            nats, added = 0.0, 0
            for _ in change:
                gained, (_, had), (_, has) = next(more)
                nats += float(gained)
                added += len(has) - len(had)
            found.append(nats - self.cost(edges + added) + self.cost(edges))
        return found
