"""Gaussian processes: search on from a graph by the log marginal likelihood of processes of all parents.

The loop and the objective are those of the first search. What differs is the gain: a process with a length scale for
every parent. What length scales are like in this table is learnt from the graph, and where they are alike, a process
of usual scales pays for its parents itself. The likelihood of the first search chooses the changes that are worth a
fit (`raced`); sets of parents that are nothing one by one are offered by the alignment of their kernels (`align.py`).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.methods.auto.search.align import Aligner
from dagscale.methods.auto.search.loop import Proposer, climb
from dagscale.methods.auto.search.objective import Change, Objective
from dagscale.methods.auto.search.proposers import Scene, exchange, single
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.gain import Item, direction_evidence, edge_evidence, parents_item
from dagscale.models.gp import Evidence
from dagscale.models.gp.alignment import Alignment
from dagscale.models.gp.prior import Prior
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.pruning.evidence import shares

LEARNT = "effects are about equally smooth in this table, so fits of very different smoothness count less"


@dataclass(frozen=True)
class ProcessGain:
    """Nats of items by processes; a length scale that no prior pays for costs half the logarithm of the rows."""

    evidence: Evidence

    @property
    def scale_cost(self) -> float:
        """Nats that the length scale of one parent costs."""
        return 0.0 if self.evidence.prior else 0.5 * math.log(self.evidence.columns.n)

    def __call__(self, items: Iterable[Item]) -> FloatArray:
        """Return the nats of each item over its child alone."""
        items = list(items)
        return self.evidence(items) - self.scale_cost * np.array([len(parents) for _, parents in items])


def refine(
    evidence: Evidence, start: BoolArray, scene: Scene, cheap: Objective, context: Context
) -> tuple[BoolArray, Objective]:
    """Climb from a graph by processes; return the graph and the objective that decided on it.

    Where length scales are alike, nodes take the sets that align with them first, and the scales are learnt again from
    those. `cheap` is the objective of the first search. It may discard a change, it never accepts one.
    """
    cheap = cheap.within(context.deadline)
    objective, graph = process_objective(evidence, start), start
    aligned = _aligner(objective, cheap, context)
    if objective.gain.evidence.prior:
        graph = climb(start, objective, scene, [aligned], context.deadline)
        if not np.array_equal(graph, start):
            objective = process_objective(evidence, graph)
            del aligned  # its kernels may take a gigabyte
            aligned = _aligner(objective, cheap, context)
    proposers = [*(raced(kind, cheap) for kind in (single, exchange)), aligned]
    return climb(graph, objective, scene, proposers, context.deadline, _teller(context)), objective


def process_objective(evidence: Evidence, graph: BoolArray, *, learn: bool = True) -> Objective:
    """Return the objective by processes; what length scales are like in this table is learnt from a graph."""
    informed = _informed(evidence, graph) if learn else evidence
    return Objective(ProcessGain(informed), len(graph), SETTINGS.caution)


def _aligner(objective: Objective, cheap: Objective, context: Context) -> Proposer:
    """Return what offers sets by usual scales: those learnt from this table, or else that of the first search."""
    evidence: Evidence = objective.gain.evidence
    jobs = evidence.n_jobs if evidence.device == "cpu" else 1
    usual = evidence.prior or Prior(
        (-2.0 * math.log(cheap.gain.length), SETTINGS.alike), (0.0, SETTINGS.alike)
    )
    alignment = Alignment(evidence.columns, usual)
    return Aligner(
        alignment, objective.gain.scale_cost, jobs, evidence.memory, context.deadline, context.progress
    )


def _teller(context: Context) -> Callable[[float], None]:
    """Return what shows the best score so far."""

    def tell(score: float) -> None:
        context.progress(
            f"likeliest graph: Gaussian processes, best so far log likelihood {score:+.0f}", 1, 2
        )

    return tell


def raced(kind: Proposer, cheap: Objective) -> Proposer:
    """Return a proposer of those changes of one kind that add most by a cheap objective."""

    def best(graph: BoolArray, scene: Scene, _: Objective) -> Iterator[Change]:
        changes = list(kind(graph, scene, cheap))
        worth = np.array(cheap.improvements(graph, changes))
        near = np.argsort(-worth, kind="stable")[: SETTINGS.raced * len(graph)]
        for k in np.sort(near[worth[near] > -SETTINGS.hopeless]):
            yield changes[k]

    return best


def _informed(evidence: Evidence, graph: BoolArray) -> Evidence:
    """Return the evidence that knows what length scales are like in this table, if they are alike."""
    if evidence.shaped:  # an error in the noise's shape weighs more than what scales tell
        return evidence
    known = evidence.with_prior([parents_item(graph, j) for j in range(len(graph))])
    alike = known.prior is not None and known.prior.scale[1] < SETTINGS.alike
    return known if alike else evidence


def read_off(
    objective: Objective, graph: BoolArray, scene: Scene, context: Context, notes: Sequence[str]
) -> Answer:
    """Read off every edge's evidence, that for its direction, and its shares of the child's variance."""
    gain: ProcessGain = objective.gain
    own, known = gain.evidence, context.constraints
    price = objective.price(max(int(graph.sum()) - 1, 0)) + gain.scale_cost
    edges, direction = edge_evidence(graph, own), direction_evidence(graph, own)
    trail = (
        Stage(StageKind.KNOWLEDGE, known.allowed),
        Stage(StageKind.SCREENING, scene.mask | graph),
        Stage(StageKind.EVIDENCE, graph, edges, "gain in log likelihood", price),
    )
    said = [*notes, "the graph was refined by the marginal likelihood of Gaussian processes"]
    if own.prior:
        said.append(LEARNT)
    said.append(f"an edge was kept where it raises the log likelihood by more than {price:.1f}")
    total, alone = shares(own, graph)
    columns = {"evidence": edges, "direction_nats": direction, "share": total, "share_alone": alone}
    return Answer(topological_order(graph | known.before), graph, columns, trail, tuple(said), strength=total)
