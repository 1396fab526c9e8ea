"""GraN-DAG (Lachapelle et al. 2020): one network per node, trained together under acyclicity; needs torch.

The stages are the paper's: neighbour search from 50 columns on, training, a DAG by thresholding the networks'
mean absolute Jacobian, CAM pruning. As in the original the data are taken as they are, in their units.
"""

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.graphs.pair_values import Numbers
from dagscale.methods.context import Context
from dagscale.methods.grandag.thresholding import strongest_dag
from dagscale.methods.order_to_graph import uses_neighbour_search
from dagscale.runtime.errors import InputError, MissingDependencyError
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.candidates.neighbours import neighbours
from dagscale.stages.pruning import additive, evidence

PRUNINGS = ("additive", "evidence")

__all__ = ["grandag"]


def grandag(
    X: FloatArray,
    context: Context,
    *,
    alpha: float = 0.001,
    pruning: str = "additive",
    hidden: int = 10,
    batch: int = 256,
    steps: int = 30_000,
    sparsity: float = 0.04,
    pns: bool | None = None,
    pns_method: str = "trees",
    K: int = 20,
) -> Answer:
    """GraN-DAG (Lachapelle et al. 2020): neural networks under an acyclicity constraint, then CAM pruning.

    Parameters
    ----------
    X : (n, d) array
    context : Context
        Its deadline ends the training early; what was learned by then is thresholded to a DAG.
    alpha : float
        Level of the additive pruning test.
    pruning : {"additive", "evidence"}
        The paper's test, which cannot see interactions, or Gaussian process evidence at log n an edge.
    hidden : int
        Units in each of the two hidden layers.
    batch : int
        Rows per step. The paper takes 64; 256 costs little more a step.
    steps : int
        Most steps of RMSprop.
    sparsity : float
        Weight of the summed connectivity in the loss, 0 in the paper.
    pns : bool, optional
        Search neighbours first; None does so from 50 columns on, as the paper.
    pns_method : {"trees", "boosting"}
    K : int
        Neighbours kept per node.

    Notes
    -----
    As in the original: two hidden layers of 10 leaky ReLU units a node, a Gaussian likelihood with a variance
    of its own per node, RMSprop stepping by 1e-2 in the first subproblem, a fifth of the rows held out to end
    subproblems, a penalty that starts at 1e-3 and grows tenfold, connections below 1e-4 cut, h ≤ 1e-8,
    neighbour search from 50 columns on, thresholding of the mean absolute Jacobian, pruning at 0.001.

    Deviations, chosen on seeds of 1000 and above, the original's value in brackets: batches of 256 rows (64);
    later subproblems step by 3e-3, less by 15% each, down to 1e-4 (1e-4 at once); the penalty grows when h
    fell by less than half (a tenth); at most 30,000 steps (100,000). Together they take a quarter of the
    steps. Weak connections are cut every ten steps (every step). The mean absolute Jacobian is that of the
    networks' means (of the log likelihood). A small L1 penalty on the connectivity (none) keeps the networks
    from fitting noise: with half of it held-out rows are less likely, with twice as much edges are lost.

    On dense graphs the additive pruning test is the limit, not the training: see docs/paper.md, "GraN-DAG's
    published numbers".
    """
    if pruning not in PRUNINGS:
        raise InputError(f"pruning must be 'additive' or 'evidence', not {pruning!r}")
    try:
        from dagscale.methods.grandag.training import Trained, Training, train
    except ModuleNotFoundError as missing:
        if missing.name != "torch":
            raise
        raise MissingDependencyError(
            "method 'grandag' needs torch: pip install 'dagscale[torch]', or choose another method"
        ) from missing
    known = context.constraints
    mask = known.allowed
    trail = [Stage(StageKind.KNOWLEDGE, mask)]
    if uses_neighbour_search(X, pns):
        mask = (
            neighbours(X, mask, K=K, method=pns_method, rng=context.rng(), n_jobs=context.n_jobs)
            | known.required
        )
        trail.append(Stage(StageKind.NEIGHBOURS, mask))
    how = Training(hidden=hidden, batch=batch, steps=steps, sparsity=sparsity)
    trained = context.memory.once(
        "network training", lambda: train(X, mask, known.required, context, how), mask, how, restore=Trained
    )
    trail.append(Stage(StageKind.TRAINING, trained.connected, trained.strength, "mean |df/dx|"))
    dag, threshold = strongest_dag(trained.connected, trained.strength, known.required, known.before)
    trail.append(Stage(StageKind.THRESHOLDING, dag, trained.strength, "mean |df/dx|", threshold))
    stage, columns = _pruned(X, dag, context, pruning, alpha)
    trail.append(stage)
    columns["jacobian"] = trained.strength
    note = f"networks trained for {trained.steps} steps; acyclicity constraint left at {trained.h:.1e}"
    return Answer(topological_order(dag | known.before), stage.kept, columns, tuple(trail), (note,))


def _pruned(
    X: FloatArray, dag: BoolArray, context: Context, pruning: str, alpha: float
) -> tuple[Stage, dict[str, Numbers]]:
    """Return the pruning stage and its evidence column."""
    required = context.constraints.required
    if pruning == "additive":
        kept, p_values = additive.prune(X, dag, alpha, required, context.n_jobs, context.progress)
        return Stage(StageKind.PRUNING, kept, p_values, "p-value", alpha), {"p_value": p_values}
    penalty = float(np.log(len(X)))
    kept, lost = evidence.prune(
        X, dag, penalty, required, context.n_jobs, context.progress, device=context.device
    )
    stage = Stage(StageKind.EVIDENCE_PRUNING, kept, lost, "evidence lost without the edge", penalty)
    return stage, {"evidence": lost}
