"""From an order to a graph: candidate parents, then the additive pruning test. What most methods share."""

from dagscale.graphs.dag import with_edges
from dagscale.graphs.pair_values import Numbers
from dagscale.methods.context import Context
from dagscale.methods.observed_rows import TESTED
from dagscale.models.splines import SplineTable
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.candidates.neighbours import neighbours
from dagscale.stages.candidates.predecessors import predecessors
from dagscale.stages.ordering.greedy_kinds import open_for_few_values, open_links
from dagscale.stages.pruning import additive
from dagscale.stages.pruning.by_rows import prune_by_rows

PNS_FROM = 50  # the paper's methods search neighbours first only from 50 columns on


def uses_neighbour_search(X: FloatArray, pns: bool | None) -> bool:
    """Say whether neighbours are searched before pruning: as asked, else where there are many columns."""
    return X.shape[1] >= PNS_FROM if pns is None else pns


def prune_order(
    X: FloatArray,
    context: Context,
    order: IntArray,
    alpha: float,
    pns: bool | None,
    pns_method: str,
    K: int,
    notes: tuple[str, ...] = (),
) -> Answer:
    """Turn an order into a graph: all predecessors, a neighbour search where d is large, pruning."""
    mask = predecessors(order, context.constraints.allowed)
    if not uses_neighbour_search(X, pns):
        return prune_additive(X, context, order, mask, alpha, notes=notes)
    splines = SplineTable.of(X, n_jobs=context.n_jobs, kinds=context.kinds)
    kept = search_neighbours(X, context, mask, K, pns_method, splines)
    before = Stage(StageKind.NEIGHBOURS, kept)
    return prune_additive(X, context, order, kept, alpha, before, splines=splines, notes=notes)


def search_neighbours(
    X: FloatArray, context: Context, mask: BoolArray, K: int, method: str, splines: SplineTable
) -> BoolArray:
    """Keep the K likeliest parents of each node, and the required ones."""
    kept = context.memory.once(
        "neighbour search",
        lambda: neighbours(
            X,
            mask,
            K=K,
            method=method,
            rng=context.rng(),
            n_jobs=context.n_jobs,
            splines=splines,
            memory=context.memory,
        ),
        mask,
    )
    return kept | context.constraints.required


def prune_additive(
    X: FloatArray,
    context: Context,
    order: IntArray,
    mask: BoolArray,
    alpha: float,
    *before: Stage,
    splines: SplineTable | None = None,
    notes: tuple[str, ...] = (),
) -> Answer:
    """Prune by the additive test and write down the whole trail."""
    if context.conditions is not None and context.conditions.targets.any():
        return _by_rows(X, context, order, mask, alpha, *before, notes=notes)
    if splines is None:
        splines = SplineTable.of(
            X,
            n_jobs=context.n_jobs,
            only=with_edges(mask | context.constraints.required),
            kinds=context.kinds,
        )
    adjacency, p_values = additive.prune(
        X,
        mask,
        alpha=alpha,
        required=context.constraints.required,
        n_jobs=context.n_jobs,
        progress=context.progress,
        memory=context.memory,
        splines=splines,
    )
    return _told(context, order, adjacency, p_values, alpha, before, notes, splines)


def _by_rows(
    X: FloatArray,
    context: Context,
    order: IntArray,
    mask: BoolArray,
    alpha: float,
    *before: Stage,
    notes: tuple[str, ...],
) -> Answer:
    """Prune where columns were set in some rows."""
    assert context.conditions is not None
    adjacency, p_values = prune_by_rows(
        X,
        mask,
        context.conditions.targets,
        alpha,
        context.constraints.required,
        context.n_jobs,
        context.progress,
        context.memory,
        context.kinds,
    )
    return _told(context, order, adjacency, p_values, alpha, before, (*notes, TESTED), None)


def _told(
    context: Context,
    order: IntArray,
    adjacency: BoolArray,
    p_values: Numbers,
    alpha: float,
    before: tuple[Stage, ...],
    notes: tuple[str, ...],
    splines: SplineTable | None,
) -> Answer:
    """Write down the whole trail."""
    trail = (
        Stage(StageKind.KNOWLEDGE, context.constraints.allowed),
        Stage(StageKind.ORDER, predecessors(order, context.constraints.allowed)),
        *before,
        Stage(StageKind.PRUNING, adjacency, p_values, "p-value", alpha),
    )
    either_way = open_links(adjacency, context.kinds, context.constraints.before)
    if either_way is not None and (count := int((adjacency & either_way).sum())):
        notes = (
            *notes,
            f"{count} of {int(adjacency.sum())} links have an end that is not continuous: their direction is open",
        )
    because = open_for_few_values(adjacency, either_way)
    return Answer(
        order,
        adjacency,
        {"p_value": p_values},
        trail,
        notes,
        splines,
        either_way=either_way,
        open_because=because,
    )
