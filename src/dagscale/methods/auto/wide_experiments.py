"""Tables of many columns with rows under intervention: searched on the other rows, tested on all.

Rows of their own for every child take too long for every step of a search of so many columns.
"""

from collections.abc import Callable
from dataclasses import replace

from dagscale.methods.context import Context
from dagscale.methods.observed_rows import rows_for_order
from dagscale.methods.order_to_graph import prune_additive
from dagscale.runtime.types import FloatArray
from dagscale.stages.answer import Answer
from dagscale.stages.candidates.predecessors import predecessors


def tested_on_all_rows(
    X: FloatArray, context: Context, alpha: float, method: Callable[[FloatArray, Context], Answer]
) -> Answer:
    """Search the rows in which nothing was set, in an order that shifts bind; test the edges on all rows."""
    rows, known, notes = rows_for_order(X, context, len(X))
    found = method(rows, replace(context, constraints=known, conditions=None))
    done = context.conditions
    if done is None or not done.targets.any():
        return replace(found, notes=(*found.notes, *notes))
    candidates = predecessors(found.order, known.allowed) & found.adjacency
    tested = prune_additive(X, context, found.order, candidates, alpha, *found.trail[1:], notes=notes)
    return replace(tested, notes=(*found.notes, *tested.notes))
