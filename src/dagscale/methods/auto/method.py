"""The method `auto`: a graph by Gaussian-process evidence, from the start that suits its density.

1. Start: CAM's greedy additive search, pruned, and the parents that act through those found. Scale-free,
   right for sparse graphs, seconds for any size. Where noise is not normal, its shape has turned the edges;
   where it is, exchanges of parents may, if evidence is clearly for it.
2. Candidates: partners by marginal screening, and the start's edges in both directions.
3. Climb: add, delete and reverse edges while the evidence grows by more than the penalty, which learns the
   density of the graph; then look for the parents that screening missed, and climb again.
   Small dense graphs have local optima that no single edge leaves: there the order of score matching, or
   that of a start with turned edges, is sifted by evidence over all predecessors, and climbed from.
4. Learn, on dense graphs and on small ones that may be, what length scales are like in this table, and climb
   by evidence that knows it. A dense start of many columns tells them itself, instead of 3.
5. Reconsider: offer every node whole sets of parents that are nothing one by one: where length scales are
   known those whose kernels align with it, elsewhere what is left of a fit on all likely ones.

`effort="quick"` is step 1. Heavy tails and uneven noise are looked for before it (`start.py`): where noise is
not additive, evidence is not asked, and the strong edges of step 1 are the answer.
"""

from dataclasses import replace

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.graphs.pair_values import has_number, with_numbers
from dagscale.inputs.subsample import drawn_note
from dagscale.methods.auto.climb_additive import climb_additive
from dagscale.methods.auto.interactions import add_interacting
from dagscale.methods.auto.searcher import Searcher
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.auto.start import Start, additive_start
from dagscale.methods.context import Context
from dagscale.models.gain import direction_evidence, edge_evidence, parents_item
from dagscale.models.gp import Evidence
from dagscale.models.splines import SplineTable
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.candidates.screening import marginal_screen
from dagscale.stages.pruning.evidence import shares
from dagscale.stages.pruning.strength import drop_faint

LEARNT = "length scales are alike in this table: sets of parents with others counted less"
LATE = "the time budget ended the search: this is the best graph so far"


def auto(X: FloatArray, context: Context, *, alpha: float = 0.001) -> Answer:
    """The best this project can do, chosen by measurement; it says what it chose."""
    start = additive_start(X, context, alpha)
    if start.doubted:
        return _strong(start, context)
    quick = _with_interactions(start, context)
    if context.effort == "quick":
        return replace(quick, notes=(*quick.notes, *start.notes, *([LATE] if context.out_of_time() else [])))
    evidence = Evidence(start.X, context.n_jobs, context.device, shaped=start.shaped, memory=context.memory)
    if splined := _splines_tell_more(evidence, quick.adjacency):
        evidence = evidence.with_splines()
    search = Searcher(evidence, context)
    first = _likelier_start(search, start, quick.adjacency)
    mask = _candidates(context, start.table, first)
    exchanged = first is not quick.adjacency
    search, graph, mask, notes = _searched(search, start.X, first, mask, ordered=start.shaped or exchanged)
    notes += start.notes
    if exchanged:
        notes.append("a start with parents exchanged was likelier, and was taken")
    if splined:
        notes.append("splines describe some columns better than processes: the better of the two counted")
    if (used := search.evidence.columns.n) < len(X):
        notes.append(
            f"the start saw all rows; the evidence looked at {used:,} of the {len(X):,}, drawn at random"
        )
    if context.out_of_time():
        notes.append(LATE)
    return _found(search, graph, mask, notes)


def _likelier_start(search: Searcher, start: Start, graph: BoolArray) -> BoolArray:
    """Return what additive fits make of the start by exchanging parents, if it is likelier."""
    if start.shaped or len(graph) > SETTINGS.exchanged or search.context.out_of_time():
        return graph
    exchanged = climb_additive(start.table, graph, search.context, False)
    now = search.score(graph)
    return exchanged if search.score(exchanged) > now + SETTINGS.likelier * abs(now) else graph


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
    graph, sifted, notes = start, start, []
    if len(start) > SETTINGS.sifted or not is_dense(start):
        notes.append("auto started from CAM's greedy search and climbed by Gaussian-process evidence")
        if len(start) > SETTINGS.sifted and (informed := _informed(search, start, mask)):
            return *informed, [*notes, LEARNT]
        graph, mask = search.explore(start, mask)
    if len(start) <= SETTINGS.sifted and not search.context.out_of_time():
        sifted = _sifted(search, X, graph, ordered)
        if sifted is not graph:
            graph, mask = sifted, mask | sifted
            notes.append("a small dense graph: auto sifted an order of its columns by evidence")
    if informed := _informed(search, graph, mask):
        return *informed, [*notes, LEARNT]
    if graph is sifted:
        graph = search.climb_nearby(graph)
    return search, *_reconsidered(search, graph, mask), notes


def _informed(
    search: Searcher, graph: BoolArray, mask: BoolArray
) -> tuple[Searcher, BoolArray, BoolArray] | None:
    """Search a dense graph, or a small one that may be dense, by evidence that knows usual length scales."""
    dense = is_dense(graph)
    if search.context.out_of_time() or not (dense or SETTINGS.all_pairs < len(graph) <= SETTINGS.sifted):
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
    """Return what the sifted order of score matching, or that of the graph, supports, if it is better."""
    order = search.order(X)
    if not (is_dense(graph) or search.tells_more(X, order, graph)):
        return graph
    own = (topological_order(graph | search.context.constraints.before),) if ordered else ()
    sifted = search.sift(X, order, *own)
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


def _additive_found(start: Start, context: Context, note: str) -> Answer:
    known = context.constraints
    trail = (
        Stage(StageKind.KNOWLEDGE, known.allowed),
        Stage(
            StageKind.GREEDY_TURNED if start.shaped else StageKind.GREEDY,
            has_number(start.p_values) | known.required,
        ),
        Stage(StageKind.PRUNING, start.graph, start.p_values, "p-value", start.level),
    )
    order = topological_order(start.graph | known.before)
    return Answer(order, start.graph, {"p_value": start.p_values}, trail, (note,), start.table)


def _with_interactions(start: Start, context: Context) -> Answer:
    """Add to the additive start the parents that act through those it has."""
    known, level = context.constraints, SETTINGS.interacting * start.level
    few = start.table.on_some_rows(SETTINGS.interaction_rows, context.n_jobs)
    rows = len(start.table.data)
    notes = () if few.n == rows else (drawn_note("the search for interactions", few.n, rows),)
    graph, added = context.memory.once(
        "interactions",
        lambda: add_interacting(
            few, start.graph, known.allowed, known.before, level, context.n_jobs, context.device
        ),
        start.graph,
    )
    found = _additive_found(
        start, context,
        f"auto, quick: CAM's greedy search, pruned, and {len(added)} edges by interactions with its parents",
    )  # fmt: skip
    p_values = with_numbers(start.p_values, [(i, j, p) for _, i, j, p in added])
    return replace(
        found,
        order=topological_order(graph | known.before),
        adjacency=graph,
        evidence={"p_value": p_values},
        trail=(*found.trail, Stage(StageKind.INTERACTIONS, graph, p_values, "p-value")),
        notes=(*found.notes, *notes),
    )


def _strong(start: Start, context: Context) -> Answer:
    """Keep of the additive start what explains a share of its child's variance, and claim no more."""
    known = context.constraints
    graph, shares = drop_faint(start.table, start.graph, SETTINGS.strong, known.required, context.n_jobs)
    found = _additive_found(start, context, "auto kept to CAM's greedy search, pruned")
    return replace(
        found,
        order=topological_order(graph | known.before),
        adjacency=graph,
        trail=(
            *found.trail,
            Stage(StageKind.STRENGTH, graph, shares, "share of the variance", SETTINGS.strong),
        ),
        notes=(
            *found.notes,
            *start.notes,
            "evidence takes noise for additive and was not asked; edges that explain less than "
            f"{SETTINGS.strong:.0%} of their child's variance were left out "
            f"({int(start.graph.sum() - graph.sum())})",
        ),
    )


def _found(search: Searcher, graph: BoolArray, mask: BoolArray, notes: list[str]) -> Answer:
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
    notes.append(f"an edge had to earn {penalty:.1f} nats")
    if either_way := int((direction[graph & ~known.before] < SETTINGS.either_way).sum()):
        notes.append(
            f"{either_way} of {int(graph.sum())} edges may point either way (less than "
            f"{SETTINGS.either_way:.0f} nats "
            "for their direction): linear effects with normal noise do not tell it"
        )
    total, alone = shares(search.evidence, graph)
    columns = {"evidence": edges, "direction": direction, "share": total, "share_alone": alone}
    return Answer(order, graph, columns, trail, tuple(notes))
