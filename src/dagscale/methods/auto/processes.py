"""Gaussian processes: search on from a graph by the log marginal likelihood of processes of all parents.

1. Candidates: partners by marginal screening, and the start's edges in both directions.
2. Climb: add, delete and reverse edges while the evidence grows by more than the penalty, which learns the
   density of the graph; then look for the parents that screening missed, and climb again.
   Small dense graphs have local optima that no single edge leaves: there the orders of score matching and of the
   graph are sifted by evidence, and climbed from.
3. Learn, on dense graphs and on small ones that may be, what length scales are like in this table, and climb
   by evidence that knows it. A dense start of many columns tells them itself, instead of 2.
4. Reconsider: offer every node whole sets of parents that are nothing one by one: where length scales are
   known those whose kernels align with it, elsewhere what is left of a fit on all likely ones.
"""

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.methods.auto.climb import Race
from dagscale.methods.auto.searcher import Searcher
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.gain import direction_evidence, edge_evidence, parents_item
from dagscale.models.gp import Evidence
from dagscale.models.gp.rows_evidence import evidence_of
from dagscale.models.splines import SplineTable
from dagscale.runtime.clock import why_late
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.candidates.screening import marginal_screen
from dagscale.stages.pruning.evidence import shares

LEARNT = "effects are about equally smooth in this table, so fits of very different smoothness count less"


def begin(
    X: FloatArray,
    start: BoolArray,
    context: Context,
    *,
    shaped: bool,
    race: Race | None = None,
    deadline: float = np.inf,
    left_out: BoolArray | None = None,
) -> tuple[Searcher, list[str]]:
    """Return a search by processes, or by the better of processes and splines, and what to say of it.

    Cells of `left_out` (n, d) tell nothing of their column's mechanism.
    """
    evidence = evidence_of(
        X, left_out, n_jobs=context.n_jobs, device=context.device, shaped=shaped, memory=context.memory,
        deadline=deadline,
    )  # fmt: skip
    if not _splines_tell_more(evidence, start):
        return Searcher(evidence, context, race=race, left_out=left_out), []
    said = "splines fit some columns better than Gaussian processes: the better of the two was used"
    return Searcher(evidence.with_splines(), context, race=race, left_out=left_out), [said]


def refine(
    search: Searcher, X: FloatArray, start: BoolArray, table: SplineTable, *, ordered: bool
) -> tuple[Searcher, BoolArray, BoolArray, list[str]]:
    """Search on from a graph; return the search that knows most, its graph, the pairs looked at, and notes.

    `ordered` says that the order of the start is worth sifting too.
    """
    mask = _candidates(search.context, table, start)
    search, graph, mask, notes = _searched(search, X, start, mask, ordered=ordered)
    if search.context.out_of_time():
        notes.append(why_late())
    return search, graph, mask, notes


def _splines_tell_more(evidence: Evidence, start: BoolArray) -> bool:
    """Say whether additive splines beat the processes on some children of the start by enough to matter."""
    items = [parents_item(start, int(j)) for j in np.flatnonzero(start.any(axis=0))]
    if not items:
        return False
    processes = evidence(items)
    more = np.maximum(evidence.by_splines(items) - processes, 0.0)
    return bool(more.sum() > SETTINGS.splined * np.abs(processes).sum())


def _searched(
    search: Searcher, X: FloatArray, start: BoolArray, mask: BoolArray, *, ordered: bool
) -> tuple[Searcher, BoolArray, BoolArray, list[str]]:
    """Return the search that knows most of the table, its graph, the pairs looked at, and what was done.

    `ordered` says that the order of the start is worth sifting too.
    """
    notes = ["the graph was refined by the marginal likelihood of Gaussian processes"]
    if len(start) > SETTINGS.sifted and (informed := _informed(search, start, mask)):
        return *informed, [*notes, LEARNT]
    graph, mask = search.explore(start, mask)
    if len(start) <= SETTINGS.sifted and not search.context.out_of_time():
        sifted = _sifted(search, X, graph, ordered)
        if sifted is not graph:
            graph, mask = sifted, mask | sifted
            notes.append("the graph is small and dense, so the order of its columns was searched too")
    if informed := _informed(search, graph, mask):
        return *informed, [*notes, LEARNT]
    return search, *_reconsidered(search, graph, mask), notes


def _informed(
    search: Searcher, graph: BoolArray, mask: BoolArray
) -> tuple[Searcher, BoolArray, BoolArray] | None:
    """Search a dense graph, or a small one that may be dense, by evidence that knows usual length scales."""
    dense = is_dense(graph)
    if search.context.out_of_time() or not (
        dense or SETTINGS.all_pairs < len(graph) <= SETTINGS.may_be_dense
    ):
        return None
    informed, told_by = search.informed(graph), graph
    if informed is None:
        return None
    if len(graph) <= SETTINGS.all_pairs:  # sifting offered all predecessors, and every pair is climbed over
        return informed, *informed.explore(graph, mask)
    if not dense:
        graph = informed.align_roots(graph)
        if not is_dense(graph):
            return None
    elif (
        len(graph) <= SETTINGS.sifted
    ):  # a larger one is still the start: aligned sets are a shorter way from there
        graph, mask = informed.explore(graph, mask)
    return _aligned(search, informed, told_by, graph, mask)


def _aligned(
    search: Searcher, informed: Searcher, told_by: BoolArray, graph: BoolArray, mask: BoolArray
) -> tuple[Searcher, BoolArray, BoolArray]:
    """Offer every node the sets that align with it; from those taken first, learn the usual scales again.

    `told_by` is the graph that they were learnt from before.
    """
    for done in range(SETTINGS.reconsidered):
        aligned = graph if search.context.out_of_time() else informed.align(graph)
        if search.context.out_of_time() or (done and np.array_equal(aligned, graph)):
            return informed, aligned, mask | aligned
        if not (done or np.array_equal(aligned, told_by)):
            informed = search.informed(aligned) or informed
        graph, near = informed.explore_nearby(aligned)
        mask = mask | near
    return informed, graph, mask


def _sifted(search: Searcher, X: FloatArray, graph: BoolArray, ordered: bool) -> BoolArray:
    """Return what a sifted order supports, that of score matching or the graph's own, if it is better."""
    if not is_dense(graph) or search.left_out is not None:  # experiments have told the order
        return graph
    own = (topological_order(graph | search.context.constraints.before),) if ordered else ()
    sifted = search.sift(X, search.order(X), *own)
    if len(graph) > SETTINGS.all_pairs or search.score(sifted) <= search.score(graph):
        sifted = search.climb_nearby(sifted)  # fewer columns are all climbed over in any case
    return sifted if search.score(sifted) > search.score(graph) else graph


def _reconsidered(search: Searcher, graph: BoolArray, mask: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Offer every node whole sets of parents, as far as that is worth the time."""
    if is_dense(graph):
        return search.reconsider(graph, mask, SETTINGS.reconsidered, SETTINGS.wide)
    return (
        search.reconsider(graph, mask, 1, SETTINGS.narrow)
        if len(graph) <= SETTINGS.sparse_size
        else (graph, mask)
    )


def is_dense(graph: BoolArray) -> bool:
    """Say whether a graph has so many edges that they hide each other."""
    return bool(graph.sum() >= SETTINGS.dense * len(graph))


def _candidates(context: Context, table: SplineTable, start: BoolArray) -> BoolArray:
    """Pairs that may become edges, in both directions, as far as knowledge allows."""
    allowed = context.constraints.allowed
    if len(start) <= SETTINGS.all_pairs:
        return allowed
    return (
        marginal_screen(table, SETTINGS.screen_level * len(start), SETTINGS.partners) | start | start.T
    ) & allowed


def read_off(search: Searcher, graph: BoolArray, mask: BoolArray, notes: list[str]) -> Answer:
    """Read off every edge's evidence, that for its direction, and its shares of the child's variance."""
    context, penalty = search.context, search.penalty(graph)
    edges = edge_evidence(graph, search.evidence)
    direction = direction_evidence(graph, search.evidence)
    known = context.constraints
    trail = (
        Stage(StageKind.KNOWLEDGE, known.allowed),
        Stage(StageKind.SCREENING, mask | graph),
        Stage(StageKind.EVIDENCE, graph, edges, "evidence in nats", penalty),
    )
    order = topological_order(graph | known.before)
    notes.append(f"an edge was kept where it raises the log likelihood by more than {penalty:.1f}")
    total, alone = shares(search.evidence, graph)
    columns = {"evidence": edges, "direction_nats": direction, "share": total, "share_alone": alone}
    return Answer(order, graph, columns, trail, tuple(notes), strength=total)
