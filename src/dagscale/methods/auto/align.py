"""Aligning: offer every node the set of parents that kernels of usual scales tell of, whatever it had.

Climbing adds parents one by one and reconsidering fits many at once; both need parents that show beside
the others. Six and more hardly do. Sets that are grown by alignment (`models.gp.alignment`) need no fit,
start from nothing and so from no earlier mistake. A few are improved by their evidence at usual
parameters, one factorisation each, and the best is the offer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.gain import Item
from dagscale.models.gp.alignment import Alignment, Parents
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import BoolArray
from dagscale.runtime.workers import workers


@dataclass(frozen=True)
class Offer:
    """A set of parents, and what it was the best for."""

    parents: Parents
    worth: float  # nats
    candidates: frozenset[int]


@dataclass(eq=False)
class Aligner:
    """Offers nodes the sets of their non-descendants that are worth most at usual parameters.

    Parameters
    ----------
    alignment : Alignment
    known : Constraints
        Knowledge that the sets obey.
    n_jobs : int or None
        Nodes at once.
    memory : Memory
        Keeps the sets found, so that an interrupted run can go on.
    out_of_time : callable
        Asked before every node, or every few if there are as many workers; True leaves the others out.
    progress : callable
        Told (label, done, total).
    made : dict
        Offers made before, by node, perhaps by other scales: a plain one that was taken stands. Added to.
    """

    alignment: Alignment
    known: Constraints
    n_jobs: int | None = None
    memory: Memory = FORGETFUL
    out_of_time: Callable[[], bool] = lambda: False
    progress: Progress = silent
    made: dict[int, Offer] = field(default_factory=dict)

    def __call__(self, graph: BoolArray, nodes: Sequence[int], penalty: float) -> list[Item]:
        """Return the offers (node, parents) to some nodes of a graph where a parent must gain a penalty."""
        open_to = self.known.allowed & ~descendants(graph | self.known.before).T
        asked = [j for j in nodes if not self._settled(j, _column(graph, j), _column(open_to, j))]
        starts = SETTINGS.starts if self.made else 1
        tasks = [(j, _column(open_to, j), _column(self.known.required, j), penalty, starts) for j in asked]
        offers: list[Item] = []
        step = workers(
            self.n_jobs
        )  # a dense node of a thousand rows takes seconds: ask the clock before each
        for first in range(0, len(tasks), step):
            if self.out_of_time():
                break
            few = tasks[first : first + step]
            found = self.memory.map(
                "aligned", lambda task: best_set(self.alignment, *task), few, self.n_jobs, local=True
            )
            for (j, candidates, *_), (chosen, worth) in zip(few, found, strict=True):
                offer = Offer(tuple(int(i) for i in chosen), float(worth), frozenset(candidates))
                self.made[j] = offer
                offers.append((j, offer.parents))
            self.progress("likeliest graph: interactions of parents", len(offers), len(tasks))
        return offers

    def _settled(self, j: int, parents: Parents, candidates: Parents) -> bool:
        """Say whether a node plainly has the best set, and nothing new has come into question."""
        last = self.made.get(j)
        if last is None or last.worth <= SETTINGS.plain or last.parents != parents:
            return False
        return last.candidates.issuperset(candidates)


def best_set(
    alignment: Alignment,
    node: int,
    candidates: Parents,
    required: Parents,
    penalty: float,
    starts: int = SETTINGS.starts,
) -> tuple[Parents, float]:
    """Grow sets of candidates by alignment, improve a few by their evidence; the best, and its worth."""
    if not candidates or alignment.constant[node]:
        return required, 0.0
    scores: dict[Parents, float] = {}

    def best(sets: Sequence[Parents]) -> Parents:
        new = [chosen for chosen in sets if chosen not in scores]
        values = alignment.evidence(node, new)
        scores.update((chosen, v - penalty * len(chosen)) for chosen, v in zip(new, values, strict=True))
        return max(sets, key=scores.__getitem__)

    def better(chosen: Parents) -> Parents:
        fewer = [tuple(i for i in chosen if i != out) for out in chosen if out not in required]
        more = alignment.additions(node, chosen, candidates)[: SETTINGS.added]
        found = best([chosen, *fewer, *(tuple(sorted((*chosen, i))) for i in more)])
        return found if scores[found] > scores[chosen] + SETTINGS.worth_a_move else chosen

    grown = [tuple(sorted({*chosen, *required})) for chosen in alignment.sets(node, candidates)]
    found = _improved(best(grown or [required]), better)
    others = grown[: starts - 1] if scores[found] < SETTINGS.plain else []
    found = best([required, found, *(_improved(start, better) for start in others)])
    return found, scores[found]


def _column(pairs: BoolArray, j: int) -> Parents:
    return tuple(np.flatnonzero(pairs[:, j]).tolist())


def _improved(chosen: Parents, better: Callable[[Parents], Parents]) -> Parents:
    while (found := better(chosen)) != chosen:
        chosen = found
    return chosen
