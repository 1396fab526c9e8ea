"""Aligning: offer every node the set of parents that kernels of usual scales tell of, whatever it had.

Climbing adds parents one by one and reconsidering fits many at once; both need parents that show beside
the others. Six and more hardly do. Sets that are grown by alignment (`evidence/alignment.py`) need no fit,
start from nothing and so from no earlier mistake. The likeliest are improved by their evidence at usual
parameters, one factorisation each, and the best is the offer.
"""

from collections.abc import Callable, Sequence

import numpy as np

from dagscale.evidence.alignment import Alignment, Parents
from dagscale.evidence.columns import Item
from dagscale.found import descendants
from dagscale.knowledge import Constraints
from dagscale.memory import FORGETFUL, Memory
from dagscale.run import Progress, silent
from dagscale.search.sift import WORTH_A_MOVE
from dagscale.types import BoolArray

ADDED = 8  # columns whose addition to a set is tried, those that align best
STARTS = 3  # sets that are improved: the one with most evidence, and the best aligned


def aligned(
    graph: BoolArray,
    alignment: Alignment,
    nodes: Sequence[int],
    penalty: float,
    known: Constraints,
    n_jobs: int | None = None,
    memory: Memory = FORGETFUL,
    progress: Progress = silent,
) -> list[Item]:
    """Return for each of some nodes the set of its non-descendants that is worth most at usual parameters.

    Parameters
    ----------
    graph : (d, d) bool array
    alignment : Alignment
    nodes : sequence of int
    penalty : float
        Nats a parent must gain.
    known : Constraints
        Knowledge that the sets obey.
    n_jobs : int or None
        Nodes at once.
    memory : Memory
        Keeps the sets found, so that an interrupted run can go on.
    progress : callable
        Told (label, done, total).

    Returns
    -------
    list of (node, parents)
    """
    open_to = known.allowed & ~descendants(graph | known.before).T
    tasks = [
        (j, *(tuple(np.flatnonzero(part[:, j]).tolist()) for part in (open_to, known.required)), penalty)
        for j in nodes
    ]
    sets = memory.map(
        "aligned", lambda task: best_set(alignment, *task), tasks, n_jobs, local=True,
        done=lambda k: progress("aligning parents", k, len(tasks)),
    )  # fmt: skip
    return [(j, tuple(int(i) for i in chosen)) for j, chosen in zip(nodes, sets, strict=True)]


def best_set(
    alignment: Alignment, node: int, candidates: Parents, required: Parents, penalty: float
) -> Parents:
    """Grow sets of candidates by alignment, improve the likeliest by evidence, and return the best."""
    if not candidates:
        return required
    scores: dict[Parents, float] = {}

    def best(sets: Sequence[Parents]) -> Parents:
        new = [chosen for chosen in sets if chosen not in scores]
        values = alignment.evidence(node, new)
        scores.update((chosen, v - penalty * len(chosen)) for chosen, v in zip(new, values, strict=True))
        return max(sets, key=scores.__getitem__)

    def better(chosen: Parents) -> Parents:
        fewer = [tuple(i for i in chosen if i != out) for out in chosen if out not in required]
        more = alignment.additions(node, chosen, candidates)[:ADDED]
        found = best([chosen, *fewer, *(tuple(sorted((*chosen, i))) for i in more)])
        return found if scores[found] > scores[chosen] + WORTH_A_MOVE else chosen

    grown = [tuple(sorted({*chosen, *required})) for chosen in alignment.sets(node, candidates)]
    starts = dict.fromkeys([best(grown), *grown[: STARTS - 1]])
    return best([required, *(_improved(start, better) for start in starts)])


def _improved(chosen: Parents, better: Callable[[Parents], Parents]) -> Parents:
    while (found := better(chosen)) != chosen:
        chosen = found
    return chosen
