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
AT_ONCE = 16  # nodes between two looks at the clock
STARTS = 3  # sets that are improved: the one with most evidence, and the best aligned


def aligned(
    graph: BoolArray,
    alignment: Alignment,
    nodes: Sequence[int],
    penalty: float,
    known: Constraints,
    n_jobs: int | None = None,
    memory: Memory = FORGETFUL,
    out_of_time: Callable[[], bool] = lambda: False,
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
    out_of_time : callable
        Asked before every few nodes; True leaves the others out.
    progress : callable
        Told (label, done, total).

    Returns
    -------
    list of (node, parents)
    """
    open_to = known.allowed & ~descendants(graph | known.before).T
    tasks = [(j, _column(open_to, j), _column(known.required, j), penalty) for j in nodes]
    offers: list[Item] = []
    for first in range(0, len(tasks), AT_ONCE):
        if out_of_time():
            break
        few = tasks[first : first + AT_ONCE]
        sets = memory.map("aligned", lambda task: best_set(alignment, *task), few, n_jobs, local=True)
        offers += [(task[0], tuple(int(i) for i in chosen)) for task, chosen in zip(few, sets, strict=True)]
        progress("aligning parents", len(offers), len(tasks))
    return offers


def best_set(
    alignment: Alignment, node: int, candidates: Parents, required: Parents, penalty: float
) -> Parents:
    """Grow sets of candidates by alignment, improve the likeliest by evidence, and return the best."""
    if not candidates or alignment.constant[node]:
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
    starts = dict.fromkeys([best(grown), *grown[: STARTS - 1]] if grown else [])
    return best([required, *(_improved(start, better) for start in starts)])


def _column(pairs: BoolArray, j: int) -> Parents:
    return tuple(np.flatnonzero(pairs[:, j]).tolist())


def _improved(chosen: Parents, better: Callable[[Parents], Parents]) -> Parents:
    while (found := better(chosen)) != chosen:
        chosen = found
    return chosen
