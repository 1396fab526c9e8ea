"""Aligning: offer every node the set of parents that kernels of usual scales tell of, whatever it had.

Climbing adds parents one by one, and so needs parents that show beside the others. Six and more hardly do. Sets that
are grown by alignment (`models.gp.alignment`) need no fit, start from nothing and so from no earlier mistake. A few
are improved by their evidence at usual parameters, one factorisation each, and the best is the offer. A node's nats
depend on its own parents alone, so all offers that are worth more than what the nodes have make one change, the best
first, but for those that close a cycle. In a sparse graph only columns without parents are asked: there, a set may
hide of which no member shows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from dagscale.graphs.dag import descendants, reaches
from dagscale.methods.auto.search.objective import Change, Objective, item_of
from dagscale.methods.auto.search.proposers import Scene
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.gain import Item
from dagscale.models.gp.alignment import Alignment, Parents
from dagscale.runtime.clock import BudgetSpent, late
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import BoolArray
from dagscale.runtime.workers import workers

WORTH = 0.5  # nats that a step must gain, whose factorisation may be of single precision


@dataclass(frozen=True)
class Offer:
    """A set of parents, and the candidates that it is the best of."""

    parents: Parents
    candidates: frozenset[int]

    def stands(self, candidates: Parents) -> bool:
        """Say whether the set is still the best of these candidates: none is new, and none of its own is gone."""
        return self.candidates.issuperset(candidates) and set(self.parents) <= set(candidates)


def is_dense(graph: BoolArray) -> bool:
    """Say whether a graph has so many edges that they hide each other."""
    return bool(graph.sum() >= SETTINGS.dense * len(graph))


@dataclass(eq=False)
class Aligner:
    """A proposer: the sets of their non-descendants that are worth most to nodes at usual parameters.

    Parameters
    ----------
    alignment : Alignment
    scale_cost : float
        Nats that a parent costs besides the price of an edge.
    n_jobs : int or None
        Nodes at once.
    memory : Memory
        Keeps the sets found, so that an interrupted run can go on.
    deadline : float
        Asked before every node, or every few if there are as many workers.
    progress : callable
        Told (label, done, total).
    made : dict
        Offers made before, by node. Added to.
    """

    alignment: Alignment
    scale_cost: float = 0.0
    n_jobs: int | None = None
    memory: Memory = FORGETFUL
    deadline: float = np.inf
    progress: Progress = silent
    made: dict[int, Offer] = field(default_factory=dict)

    def __call__(self, graph: BoolArray, scene: Scene, objective: Objective) -> Iterator[Change]:
        """Yield one change: every node's offer that is worth more than its parents, as far as no cycle closes."""
        price = objective.price(max(int(graph.sum()) - 1, 0)) + self.scale_cost
        offers = self.offers(graph, scene, price)
        gained = objective.improvements(graph, [{j: parents} for j, parents in offers])
        after, change = graph | scene.known.before, Change()
        for k in np.argsort(-np.array(gained), kind="stable"):
            if gained[k] <= 0:
                break
            j, parents = offers[k]
            after[:, j] = scene.known.before[:, j]
            if any(reaches(after, j, i) for i in parents):
                parents = item_of(graph, j)[1]
            else:
                change[j] = parents
            after[list(parents), j] = True
        if change:
            yield change

    def offers(self, graph: BoolArray, scene: Scene, price: float) -> list[Item]:
        """Return the offers (node, parents) to the nodes of a graph where a parent must gain a price."""
        known = scene.known
        open_to = known.allowed & ~descendants(graph | known.before).T
        hidden = np.ones(len(graph), dtype=bool) if is_dense(graph) else ~graph.any(axis=0)
        candidates = {j: _column(open_to, j) for j in np.flatnonzero(hidden).tolist()}
        asked = [j for j in candidates if j not in self.made or not self.made[j].stands(candidates[j])]
        tasks = [
            (j, candidates[j], _column(known.required, j), price, SETTINGS.starts if j in self.made else 1)
            for j in asked
        ]
        # a dense node of a thousand rows takes seconds: ask the clock before each
        step = workers(self.n_jobs)
        for first in range(0, len(tasks), step):
            if late(self.deadline):
                raise BudgetSpent
            few = tasks[first : first + step]
            found = self.memory.map(
                "aligned", lambda task: best_set(self.alignment, *task), few, self.n_jobs, local=True
            )
            for (j, own, *_), chosen in zip(few, found, strict=True):
                self.made[j] = Offer(tuple(int(i) for i in chosen), frozenset(own))
            self.progress("likeliest graph: interactions of parents", first + len(few), len(tasks))
        return [
            (j, offer.parents)
            for j, offer in sorted(self.made.items())
            if j in candidates
            and offer.parents != item_of(graph, j)[1]
            and len(offer.parents) <= scene.max_parents
        ]


def best_set(
    alignment: Alignment,
    node: int,
    candidates: Parents,
    required: Parents,
    price: float,
    starts: int = SETTINGS.starts,
) -> Parents:
    """Grow sets of candidates by alignment, improve a few by their evidence, and return the best."""
    if not candidates or alignment.constant[node]:
        return required
    scores: dict[Parents, float] = {}

    def best(sets: Sequence[Parents]) -> Parents:
        new = [chosen for chosen in sets if chosen not in scores]
        values = alignment.evidence(node, new)
        scores.update((chosen, v - price * len(chosen)) for chosen, v in zip(new, values, strict=True))
        return max(sets, key=scores.__getitem__)

    def better(chosen: Parents) -> Parents:
        fewer = [tuple(i for i in chosen if i != out) for out in chosen if out not in required]
        more = alignment.additions(node, chosen, candidates)[: SETTINGS.added]
        found = best([chosen, *fewer, *(tuple(sorted((*chosen, i))) for i in more)])
        return found if scores[found] > scores[chosen] + WORTH else chosen

    grown = [tuple(sorted({*chosen, *required})) for chosen in alignment.sets(node, candidates)]
    found = _improved(best(grown or [required]), better)
    others = grown[: starts - 1]
    return best([required, found, *(_improved(start, better) for start in others)])


def _column(pairs: BoolArray, j: int) -> Parents:
    return tuple(np.flatnonzero(pairs[:, j]).tolist())


def _improved(chosen: Parents, better: Callable[[Parents], Parents]) -> Parents:
    while (found := better(chosen)) != chosen:
        chosen = found
    return chosen
