"""`auto` on tables of many columns: CAM's greedy search, pruned, then Gaussian processes.

The start is scale-free, right for sparse graphs, and takes seconds for any size. Where noise is not normal, its
shape has turned the edges; where it is, exchanges of parents may, if evidence is clearly for it. Heavy tails and
uneven noise are looked for before it (`start.py`): where noise is not additive, the marginal likelihood is not used,
and the strong edges of the start are the answer.
"""

from dataclasses import replace

from dagscale.graphs.dag import topological_order
from dagscale.graphs.pair_values import has_number, with_numbers
from dagscale.inputs.standardize import standardized
from dagscale.inputs.subsample import drawn_note
from dagscale.methods.auto.climb_additive import climb_additive
from dagscale.methods.auto.interactions import add_interacting
from dagscale.methods.auto.processes import begin, read_off, refine
from dagscale.methods.auto.searcher import Searcher
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.auto.start import Start, additive_start
from dagscale.methods.context import Context
from dagscale.methods.observed_rows import rows_for_order
from dagscale.methods.order_to_graph import prune_additive
from dagscale.runtime.clock import why_late
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.candidates.predecessors import predecessors
from dagscale.stages.pruning.strength import drop_faint


def wide(X: FloatArray, context: Context, alpha: float) -> Answer:
    """Find the graph of a table (n, d) of many columns."""
    if context.conditions is not None:
        return _with_experiments(X, context, alpha)
    start = additive_start(X, context, alpha)
    if start.doubted:
        return _strong(start, context)
    quick = _with_interactions(start, context)
    if context.effort == "quick":
        late = [why_late()] if context.out_of_time() else []
        return replace(quick, notes=(*quick.notes, *start.notes, *late))
    search, said = begin(start.X, quick.adjacency, context, shaped=start.shaped)
    first = _likelier_start(search, start, quick.adjacency)
    exchanged = first is not quick.adjacency
    search, graph, mask, notes = refine(
        search, start.X, first, start.table, ordered=start.shaped or exchanged
    )
    notes += [*start.notes, *said]
    if exchanged:
        notes.append("exchanging some parents of the first graph made it likelier, and was done")
    return read_off(search, graph, mask, notes)


def _with_experiments(X: FloatArray, context: Context, alpha: float) -> Answer:
    """Search the rows in which nothing was set, in an order that shifts bind; test the edges on all rows.

    Rows per child take too long for every step of a search of so many columns.
    """
    rows, known, notes = rows_for_order(X, context, len(X))
    found = wide(standardized(rows), replace(context, constraints=known, conditions=None), alpha)
    done = context.conditions
    if done is None or not done.targets.any():
        return replace(found, notes=(*found.notes, *notes))
    candidates = predecessors(found.order, known.allowed) & found.adjacency
    tested = prune_additive(X, context, found.order, candidates, alpha, *found.trail[1:], notes=notes)
    return replace(tested, notes=(*found.notes, *tested.notes))


def _likelier_start(search: Searcher, start: Start, graph: BoolArray) -> BoolArray:
    """Return what additive fits make of the start by exchanging parents, if it is likelier."""
    if start.shaped or len(graph) > SETTINGS.exchanged or search.context.out_of_time():
        return graph
    exchanged = climb_additive(start.table, graph, search.context, False)
    now = search.score(graph)
    return exchanged if search.score(exchanged) > now + SETTINGS.likelier * abs(now) else graph


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
        f"auto, quick: CAM's greedy search, pruned, and {len(added)} edges that interact with a parent",
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
    found = _additive_found(start, context, "the graph is that of CAM's greedy search, pruned")
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
            "the marginal likelihood assumes additive noise, so it was not used; edges that explain less than "
            f"{SETTINGS.strong:.0%} of their child's variance were left out "
            f"({int(start.graph.sum() - graph.sum())})",
        ),
    )
