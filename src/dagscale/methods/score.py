"""SCORE (Rolland et al. 2022)."""

from dagscale.inputs.subsample import KERNEL_ROWS, subsample
from dagscale.methods.context import Context
from dagscale.methods.order_to_graph import prune_order
from dagscale.runtime.types import FloatArray
from dagscale.stages.answer import Answer
from dagscale.stages.ordering.leaf import leaf_order


def score(
    X: FloatArray,
    context: Context,
    *,
    alpha: float = 0.001,
    eta: float = 0.001,
    criterion: str = "variance",
    pns: bool | None = None,
    pns_method: str = "boosting",
    K: int = 20,
    max_rows: int = KERNEL_ROWS,
) -> Answer:
    """SCORE (Rolland et al. 2022): order by leaf variance, neighbour search from 50 columns on, pruning."""
    rows, notes = subsample(X, max_rows)
    order = leaf_order(
        rows,
        context.constraints.before,
        eta=eta,
        criterion=criterion,
        device=context.device,
        n_jobs=context.n_jobs,
        progress=context.progress,
        memory=context.memory,
    )
    return prune_order(X, context, order, alpha, pns, pns_method, K, notes)
