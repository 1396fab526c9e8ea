"""CAM (Bühlmann, Peters and Ernest 2014)."""

from dagscale.graphs.pair_values import Numbers, restored
from dagscale.methods.cam_by_rows import LARGEST, greedy_by_rows
from dagscale.methods.context import Context
from dagscale.methods.order_to_graph import prune_additive, search_neighbours, uses_neighbour_search
from dagscale.models.splines import SplineTable
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.ordering.greedy import greedy_order
from dagscale.stages.ordering.greedy_kinds import greedy_order_of_kinds


def cam(
    X: FloatArray,
    context: Context,
    *,
    alpha: float = 0.001,
    max_parents: int = 20,
    pns: bool | None = None,
    pns_method: str = "boosting",
    K: int = 20,
) -> Answer:
    """CAM (Bühlmann et al. 2014): neighbours, greedy additive likelihood, pruning.

    Parameters
    ----------
    X : (n, d) array
    context : Context
    alpha : float
        Level of the additive pruning test.
    max_parents : int
        Most parents a node gets in the greedy search.
    pns, pns_method, K
        As in `score`.
    """
    allowed = context.constraints.allowed
    trail = [Stage(StageKind.KNOWLEDGE, allowed)]
    mask = allowed
    splines = SplineTable.of(X, n_jobs=context.n_jobs, kinds=context.kinds)
    if uses_neighbour_search(X, pns):
        mask = search_neighbours(X, context, mask, K, pns_method, splines)
        trail.append(Stage(StageKind.NEIGHBOURS, mask))

    done = context.conditions
    by_rows = done is not None and done.targets.any() and X.shape[1] <= LARGEST

    def search() -> tuple[IntArray, BoolArray, Numbers]:
        if by_rows:
            return greedy_by_rows(X, mask, context, max_parents)
        if context.kinds:
            return greedy_order_of_kinds(splines, mask, context.constraints, max_parents, context.n_jobs)
        return greedy_order(
            X,
            mask,
            context.constraints,
            max_parents,
            splines=splines,
            n_jobs=context.n_jobs,
            device=context.device,
            memory=context.memory,
        )

    order, chosen, gains = context.memory.once(
        "greedy likelihood",
        search,
        mask,
        restore=lambda order, chosen, gains: (order, chosen, restored(gains)),
    )
    trail.append(Stage(StageKind.GREEDY, chosen, gains, "gain in log likelihood a row"))
    return prune_additive(X, context, order, chosen, alpha, *trail[1:], splines=splines)
