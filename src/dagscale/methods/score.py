"""SCORE (Rolland et al. 2022)."""

from dagscale.inputs.subsample import KERNEL_ROWS
from dagscale.methods.context import Context
from dagscale.methods.observed_rows import rows_for_order
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
    """SCORE (Rolland et al. 2022): order by leaf variance, neighbour search from 50 columns on, pruning.

    Parameters
    ----------
    X : (n, d) array
    context : Context
    alpha : float
        Level of the additive pruning test.
    eta : float
        Ridge of the Stein estimator.
    criterion : str
        How the leaf is chosen.
    pns : bool, optional
        Search neighbours before pruning; None does so from 50 columns on.
    pns_method : {"boosting", "trees"}
        How neighbours are searched.
    K : int
        Neighbours kept per node.
    max_rows : int
        Rows that the order is found on at most; edges are tested on all.
    """
    rows, known, notes = rows_for_order(X, context, max_rows)
    order = leaf_order(
        rows,
        known.before,
        eta=eta,
        criterion=criterion,
        device=context.device,
        n_jobs=context.n_jobs,
        progress=context.progress,
        memory=context.memory,
    )
    return prune_order(X, context, order, alpha, pns, pns_method, K, notes)
