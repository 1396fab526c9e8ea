"""DAS, Discovery At Scale (Montagna et al. 2023): Algorithm 1 of the paper."""

from dagscale.inputs.subsample import KERNEL_ROWS
from dagscale.methods.context import Context
from dagscale.methods.observed_rows import rows_for_order
from dagscale.methods.order_to_graph import prune_additive
from dagscale.runtime.types import FloatArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.candidates.jacobian_test import das_pass


def das(
    X: FloatArray,
    context: Context,
    *,
    K: int = 20,
    cutoff: float = 0.01,
    alpha: float = 0.001,
    eta: float = 0.001,
    min_parents: int = 5,
    criterion: str = "variance",
    max_rows: int = KERNEL_ROWS,
) -> Answer:
    """DAS, Algorithm 1 of the paper: order and candidate parents from one pass over the Jacobian.

    Parameters
    ----------
    X : (n, d) array
    context : Context
    K : int
        Candidates kept per node besides the reference.
    cutoff : float
        Level of the Welch test that chooses candidates.
    alpha : float
        Level of the additive pruning test.
    eta : float
        Ridge of the Stein estimator.
    min_parents : int
        Strongest candidates kept untested; 0 is the literal algorithm.
    criterion : str
        How the leaf is chosen: "variance" as in the paper, or a scale-free variant.
    max_rows : int
        Rows that the order is found on at most; edges are tested on all.
    """
    rows, known, notes = rows_for_order(X, context, max_rows)
    order, mask, welch = das_pass(
        rows,
        known,
        K=K,
        cutoff=cutoff,
        min_parents=min_parents,
        eta=eta,
        criterion=criterion,
        device=context.device,
        n_jobs=context.n_jobs,
        progress=context.progress,
        memory=context.memory,
    )
    jacobian_test = Stage(StageKind.JACOBIAN_TEST, mask, welch, "Welch p-value", cutoff)
    return prune_additive(X, context, order, mask, alpha, jacobian_test, notes=notes)
