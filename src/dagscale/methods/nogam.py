"""NoGAM (Montagna et al. 2023b)."""

from dagscale.inputs.subsample import KERNEL_ROWS
from dagscale.methods.context import Context
from dagscale.methods.observed_rows import rows_for_order
from dagscale.methods.order_to_graph import prune_order
from dagscale.runtime.types import FloatArray
from dagscale.stages.answer import Answer
from dagscale.stages.ordering.residual import residual_order


def nogam(
    X: FloatArray,
    context: Context,
    *,
    alpha: float = 0.001,
    eta: float = 0.001,
    ridge: float = 0.1,
    n_crossval: int = 5,
    pns: bool | None = None,
    pns_method: str = "boosting",
    K: int = 20,
    max_rows: int = KERNEL_ROWS,
) -> Answer:
    """NoGAM (Montagna et al. 2023): order by predicting the score from residuals, for arbitrary noise.

    Parameters
    ----------
    X : (n, d) array
    context : Context
    alpha : float
        Level of the additive pruning test.
    eta : float
        Ridge of the Stein estimator.
    ridge : float
        Ridge of the kernel regressions.
    n_crossval : int
        Folds of the cross-fitted predictions.
    pns, pns_method, K, max_rows
        As in `score`.
    """
    rows, known, notes = rows_for_order(X, context, max_rows)
    order = residual_order(
        rows,
        known.before,
        eta=eta,
        ridge=ridge,
        n_crossval=n_crossval,
        rng=context.rng(),
        n_jobs=context.n_jobs,
        progress=context.progress,
        memory=context.memory,
    )
    return prune_order(X, context, order, alpha, pns, pns_method, K, notes)
