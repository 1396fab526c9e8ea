"""Reconsidering: offer a node all its likely parents at once, and keep the set that the evidence supports.

A function of many parents spreads its variance over their interactions: with seven parents none of them
gains anything alone, and no sequence of single additions finds them. A process fitted on a wide set
with one length scale each sees them together. So every node is fitted on its present parents and the
likeliest others that are not its descendants; what the fit does not miss is eliminated, half of the
weak ones at a time. A node's evidence depends on its own parents alone, so all sets that beat the
present ones are taken, the best first, unless they close a cycle.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dagscale.evidence import Evidence, Plan
from dagscale.knowledge import Constraints
from dagscale.search.climb import descendants, parents_item, reaches
from dagscale.search.sift import WORTH_A_MOVE, Item
from dagscale.types import BoolArray, FloatArray

WIDE = 30  # candidates offered to a node besides its parents ...
NARROW = 12  # ... in a sparse graph, where few are likely, and few rows show those
ROUGH = Plan(tolerance=0.5)  # the wide fit only has to tell what to look at


def reconsider(
    graph: BoolArray, evidence: Evidence, penalty: float, known: Constraints, offered: int = WIDE
) -> BoolArray:
    """Return the graph with every node's parents replaced where a set found at once is better.

    Parameters
    ----------
    graph : (d, d) bool array
    evidence : Evidence
    penalty : float
        Nats an edge must gain.
    known : Constraints
        Knowledge that the result obeys if `graph` does.
    offered : int
        Candidates a node is offered besides its parents.

    Returns
    -------
    (d, d) bool array
    """
    now = [parents_item(graph, j) for j in range(len(graph))]
    wide = evidence.with_plan(replace(ROUGH, refined=offered > NARROW))
    offers = _eliminated(_offers(graph, evidence, known, offered), evidence, wide, penalty, known.required)
    gains = _penalised(offers, evidence, penalty) - _penalised(now, evidence, penalty)
    after = graph.copy()
    for k in np.argsort(-gains, kind="stable"):
        if gains[k] < WORTH_A_MOVE:
            break
        j, parents = offers[k]
        trial = after.copy()
        trial[:, j] = False
        trial[list(parents), j] = True
        if not any(reaches(trial | known.before, j, i) for i in parents):
            after = trial
    return after


def _offers(graph: BoolArray, evidence: Evidence, known: Constraints, offered: int) -> list[Item]:
    """Every node with the parents that a fit on its likeliest candidates would miss."""
    surprise = evidence.screen([parents_item(graph, j) for j in range(len(graph))]).T  # [candidate, node]
    open_to = known.allowed & ~descendants(graph | known.before).T
    likely = np.where(open_to, surprise, -1.0)
    ranks = np.argsort(np.argsort(-likely, axis=0, kind="stable"), axis=0, kind="stable")
    wide = graph | (open_to & (ranks < offered))
    return [parents_item(wide, j) for j in range(len(graph))]


def _eliminated(
    offers: Sequence[Item], evidence: Evidence, rough: Evidence, penalty: float, required: BoolArray
) -> list[Item]:
    """Drop half of what is not worth its penalty, fit again, until everything is."""
    by_node = {j: (j, parents) for j, parents in offers}
    open_nodes = [j for j, parents in offers if parents]
    fitted = rough  # the first, wide fit; its survivors are fitted in earnest
    while open_nodes:
        items = [by_node[j] for j in open_nodes]
        losses = fitted.lost_without(items)
        left = []
        for (j, parents), lost in zip(items, losses, strict=True):
            lost = np.where(required[list(parents), j], np.inf, lost)
            kept = _without_weak(parents, lost, penalty, all_at_once=fitted is rough)
            if len(kept) < len(parents) and kept:
                left.append(j)
            by_node[j] = (j, kept)
        open_nodes, fitted = left, evidence
    return [by_node[j] for j, _ in offers]


def _without_weak(
    parents: tuple[int, ...], lost: FloatArray, penalty: float, *, all_at_once: bool
) -> tuple[int, ...]:
    weak = np.flatnonzero(lost < penalty)
    weakest_first = weak[np.argsort(lost[weak], kind="stable")]
    dropped = weakest_first if all_at_once else weakest_first[: (len(weak) + 1) // 2]
    return tuple(i for k, i in enumerate(parents) if k not in set(dropped.tolist()))


def _penalised(items: Sequence[Item], evidence: Evidence, penalty: float) -> FloatArray:
    return evidence(items) - penalty * np.array([len(parents) for _, parents in items])
