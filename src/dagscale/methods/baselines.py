"""Baselines: orders that look at no causal signal, with the same pruning, and the empty graph."""

from collections.abc import Callable

from dagscale.methods.context import Context
from dagscale.methods.order_to_graph import prune_order
from dagscale.runtime.types import FloatArray, IntArray
from dagscale.stages.answer import Answer, Stage, StageKind
from dagscale.stages.ordering.sorts import r2_order, random_order, variance_order

OrderOf = Callable[[FloatArray, Context], IntArray]


def empty(X: FloatArray, context: Context) -> Answer:
    """Find no edge but the required ones: the baseline that costs nothing."""
    required = context.constraints.required
    trail = (Stage(StageKind.EMPTY, required),)
    return Answer(_random_order(X, context), required.copy(), {}, trail)


def _random_order(X: FloatArray, context: Context) -> IntArray:
    return random_order(X.shape[1], context.rng(), context.constraints.before)


def _by(order: Callable[..., IntArray], *, descending: bool) -> OrderOf:
    return lambda X, context: order(X, context.constraints.before, descending=descending)


def _baseline(order_of: OrderOf, summary: str) -> Callable[..., Answer]:
    """Make a method of an order: all predecessors are candidates, then the pruning of the others."""

    def method(
        X: FloatArray, context: Context, *, alpha: float = 0.001, pns: bool | None = None, K: int = 20
    ) -> Answer:
        return prune_order(X, context, order_of(X, context), alpha, pns, "boosting", K)

    method.__doc__ = summary
    return method


BASELINES: dict[str, Callable[..., Answer]] = {
    "empty": empty,
    "random": _baseline(_random_order, "Baseline: a random order, then pruning."),
    **{
        f"{name}{suffix}": _baseline(
            _by(order, descending=descending),
            f"Baseline: columns sorted by {what}, {way} first, then pruning.",
        )
        for name, order, what in (("varsort", variance_order, "variance"), ("r2sort", r2_order, "R²"))
        for suffix, descending, way in (("", False, "least"), ("-desc", True, "most"))
    },
}
