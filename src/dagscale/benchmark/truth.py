"""Rows that are told the truth: ceilings for the other rows, of no use outside a benchmark."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.context import Context
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dagscale.methods.auto.searcher import Searcher


def true_order(X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Give the additive pruner the true order: the ceiling of every method that prunes with it.

    It is the baseline `random` with an order that leaves nothing to chance, so neighbour search and
    pruning are exactly those of the other rows.
    """
    from dagscale.methods.registry import METHODS

    before = _precedes(truth)
    constraints = Constraints(allowed=before, required=np.zeros_like(truth), before=before)
    graph: BoolArray = METHODS["random"].function(X, Context(constraints, n_jobs)).adjacency
    return graph


def true_parents(X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Let the additive pruner test exactly the true parents: the limit of its test, whatever the order.

    An edge that is lost here has too weak a main effect to be seen beside all the right parents and no wrong
    ones, at the level all methods use.
    """
    from dagscale.stages.pruning.additive import prune

    return prune(X, truth, 0.001, np.zeros_like(truth), n_jobs)[0]


def oracle(X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Test exactly the true parents by `auto`'s evidence, with its penalty at the true density.

    An edge that is lost here earns less than its penalty even beside all the right parents and no wrong
    ones: no search by this evidence keeps it, so this is the information limit of `auto`.
    """
    from dagscale.methods.auto.climb import climb

    search = _search(X, truth, n_jobs)
    search = _informed(search, truth) or search
    return climb(truth, search.evidence, truth, search.penalty(truth), max_parents=len(truth))


def true_order_evidence(X: FloatArray, truth: BoolArray, n_jobs: int) -> BoolArray:
    """Tell `auto` the true order: what its evidence finds among the predecessors of every node.

    What this row loses and the oracle does not is lost among wrong candidates; what `auto` loses and this row
    does not is lost in the order.
    """
    from dagscale.methods.registry import METHODS

    before = _precedes(truth)
    told = Context(Constraints(before, np.zeros_like(truth), before), n_jobs)
    graph: BoolArray = METHODS["auto"].function(X, told).adjacency
    return graph


def _search(X: FloatArray, allowed: BoolArray, n_jobs: int) -> "Searcher":
    """Return the search of `auto` among these edges, by processes alone."""
    from dagscale.methods.auto.searcher import Searcher
    from dagscale.models.gp.evidence import Evidence

    nothing = np.zeros_like(allowed)
    run = Context(Constraints(allowed=allowed.copy(), required=nothing, before=nothing.copy()), n_jobs)
    return Searcher(Evidence(X, n_jobs), run)


def _informed(search: "Searcher", graph: BoolArray) -> "Searcher | None":
    """Return the search that knows this graph's length scales, where `auto` would."""
    from dagscale.methods.auto.method import is_dense

    return search.informed(graph) if is_dense(graph) else None


def _precedes(truth: BoolArray) -> BoolArray:
    """Say for every pair [i, j] whether i comes before j in a causal order of the true graph."""
    place = np.empty(len(truth), dtype=np.intp)
    place[topological_order(truth)] = np.arange(len(truth))
    return place[:, None] < place


@dataclass(frozen=True)
class TruthRow:
    """A row of the registry: (X, truth, n_jobs) -> graph, and the method whose code it runs, if any."""

    function: Callable[[FloatArray, BoolArray, int], BoolArray]
    based_on: str | None = None


TRUTH_ROWS = {
    "true-order": TruthRow(true_order, based_on="random"),
    "true-parents": TruthRow(true_parents),
    "true-order-evidence": TruthRow(true_order_evidence, based_on="auto"),
    "oracle": TruthRow(oracle),
}
