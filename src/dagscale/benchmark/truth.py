"""Rows that are told the truth: upper limits for the other rows, of no use outside a benchmark.

Each is a function (X, truth, n_jobs) -> graph, all graphs [parent, child].
"""

from collections.abc import Callable

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.context import Context
from dagscale.runtime.types import BoolArray, FloatArray


def true_order(X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Give the baseline `random` the true order: the limit of every method that prunes as it does."""
    return _with_true_order("random", X, truth, n_jobs)


def true_order_evidence(X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Give `auto` the true order; what it still loses is lost in the choice of parents."""
    return _with_true_order("auto", X, truth, n_jobs)


def true_parents(X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Let the additive pruner test exactly the true parents: the limit of its test, whatever the order."""
    from dagscale.stages.pruning.additive import prune

    return prune(X, truth, 0.001, np.zeros_like(truth), n_jobs)[0]


def oracle(X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Test exactly the true parents by `auto`'s marginal likelihood, with its penalty at the true density.

    An edge that is lost here gains less than its penalty even beside all the right parents and no wrong
    ones, so no search by this objective keeps it.
    """
    from dagscale.methods.auto.search.align import is_dense
    from dagscale.methods.auto.search.loop import climb
    from dagscale.methods.auto.search.processes import process_objective
    from dagscale.methods.auto.search.proposers import Scene, single
    from dagscale.models.gp.evidence import Evidence

    nothing = np.zeros_like(truth)
    known = Constraints(truth.copy(), nothing, nothing.copy())
    objective = process_objective(Evidence(X, n_jobs), truth, learn=is_dense(truth))
    return climb(truth, objective, Scene(known, truth, len(truth)), (single,))


def _with_true_order(method: str, X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Run a method under the constraint that only edges along a causal order of the truth are allowed."""
    from dagscale.methods.registry import METHODS

    place = np.empty(len(truth), dtype=np.intp)
    place[topological_order(truth)] = np.arange(len(truth))
    before = place[:, None] < place
    context = Context(Constraints(before, np.zeros_like(truth), before), n_jobs)
    graph: BoolArray = METHODS[method].function(X, context).adjacency
    return graph


TRUTH_ROWS: dict[str, Callable[[FloatArray, BoolArray, int], BoolArray]] = {
    "true-order": true_order,
    "true-parents": true_parents,
    "true-order-evidence": true_order_evidence,
    "oracle": oracle,
}
