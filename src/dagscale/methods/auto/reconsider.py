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

from dagscale.graphs.dag import descendants, reaches
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.gain import Item, parents_item
from dagscale.models.gp import Evidence, Plan
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.pruning.evidence import drop_by_halves, weakest_first

ROUGH = Plan(tolerance=0.5)  # the wide fit only has to tell what to look at


def reconsidered(
    graph: BoolArray, evidence: Evidence, penalty: float, known: Constraints, offered: int = SETTINGS.wide
) -> list[Item]:
    """Return for every node the best set of parents among those it has and as many more as are offered.

    Parameters
    ----------
    graph : (d, d) bool array
    evidence : Evidence
    penalty : float
        Nats an edge must gain.
    known : Constraints
    offered : int
        Candidates a node is offered besides its parents.
    """
    rough = evidence.with_plan(replace(ROUGH, refined=offered > SETTINGS.narrow))
    wide = _offers(graph, evidence, known, offered)
    return _eliminated(wide, evidence, rough, penalty, known.required)


def accept(
    graph: BoolArray, offers: Sequence[Item], evidence: Evidence, penalty: float, known: Constraints
) -> BoolArray:
    """Return the graph with nodes' parents replaced by the offers that are better, the best first.

    Those that close a cycle are left out; the result obeys the knowledge if graph and offers do.
    """
    now = [parents_item(graph, j) for j, _ in offers]
    gains = _penalised(offers, evidence, penalty) - _penalised(now, evidence, penalty)
    after = graph.copy()
    for k in np.argsort(-gains, kind="stable"):
        if gains[k] < SETTINGS.worth_a_move:
            break
        j, parents = offers[k]
        trial = after.copy()
        trial[:, j] = False
        trial[list(parents), j] = True
        if not any(reaches(trial | known.before, j, i) for i in parents):
            after = trial
    return after


def _offers(graph: BoolArray, evidence: Evidence, known: Constraints, offered: int) -> BoolArray:
    """The parents of every node and its likeliest candidates besides, (d, d)."""
    surprise = evidence.screen([parents_item(graph, j) for j in range(len(graph))]).T  # [candidate, node]
    open_to = known.allowed & ~descendants(graph | known.before).T
    likely = np.where(open_to, surprise, -1.0)
    ranks = np.argsort(np.argsort(-likely, axis=0, kind="stable"), axis=0, kind="stable")
    return graph | (open_to & (ranks < offered))


def _eliminated(
    wide: BoolArray, evidence: Evidence, rough: Evidence, penalty: float, required: BoolArray
) -> list[Item]:
    """Drop all that the wide fit would not miss, then by halves what fits in earnest would not."""
    nodes = np.flatnonzero(wide.any(axis=0))
    items = [parents_item(wide, int(j)) for j in nodes]
    kept, left = wide.copy(), []
    for (j, parents), lost in zip(items, rough.lost_without(items), strict=True):
        if weak := weakest_first(parents, lost, required[:, j], penalty):
            kept[weak, j] = False
            left.append(j)
    drop_by_halves(evidence, kept, required, penalty, nodes=left)
    return [parents_item(kept, j) for j in range(len(kept))]


def _penalised(items: Sequence[Item], evidence: Evidence, penalty: float) -> FloatArray:
    return evidence(items) - penalty * np.array([len(parents) for _, parents in items])
