"""Tables of many columns with conditions: every child's rows are told apart after the search, not during it.

Rows of their own for every child take too much time and memory for every step of a search of so many columns. So

1. the graph is searched on the rows in which nothing was set, in an order that clear shifts bind;
2. given that graph, each child says under which conditions its mechanism changed (`ChangesGain`), whatever the labels
   say;
3. edges are tested on the rows in which the child followed its usual mechanism.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.methods.auto.changes import Experiments, order_shown, with_experiments
from dagscale.methods.auto.groups import Groups
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.methods.observed_rows import rows_for_order
from dagscale.methods.order_to_graph import prune_additive
from dagscale.models.likelihood.changes import ChangesGain
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer
from dagscale.stages.candidates.predecessors import predecessors


def search_wide(
    X: FloatArray, context: Context, alpha: float, method: Callable[[FloatArray, Context], Answer]
) -> Answer:
    """Search by `method`, then find what changed under the conditions, and test the edges on the rows that tell."""
    done = context.conditions
    assert done is not None
    rows, known, notes = rows_for_order(X, context, len(X))
    groups = Groups.of(done)
    found = method(rows, replace(context, constraints=known, conditions=None))
    changed = changes_given(X, found.adjacency, groups, context)
    told = Experiments(groups, changed, order_shown(X, groups, changed), np.zeros_like(changed), X)
    own = replace(context, conditions=Conditions(told.left_out, done.environment, done.labels))
    candidates = predecessors(found.order, known.allowed) & found.adjacency
    tested = prune_additive(X, own, found.order, candidates, alpha, *found.trail[1:], notes=notes)
    return with_experiments(_with_certainty(tested, found), told)


def changes_given(X: FloatArray, graph: BoolArray, groups: Groups, context: Context) -> BoolArray:
    """Return under which conditions each column's mechanism changed (groups, d), one child with its parents a time."""
    price = groups.prices(SETTINGS.likelihood)
    moved = groups.moves(X, price) & (groups.environment > 0)[:, None]
    start = groups.targets | moved
    changed = np.zeros_like(start)
    for j in range(len(graph)):
        own = np.array([j, *np.flatnonzero(graph[:, j])])
        kinds = tuple(context.kinds[k] for k in own) if context.kinds else ()
        gain = ChangesGain(
            SplineGain(scales_of(X[:, own], kinds)[0]), groups.of_row, price[:, own], start[:, own]
        )
        item = (0, tuple(range(1, len(own))))
        gain([item])
        changed[:, j] = gain.changed[item]
    return changed


def _with_certainty(tested: Answer, found: Answer) -> Answer:
    """Keep what the search says of probabilities and open links, less the edges that the test took out."""
    out = found.adjacency & ~tested.adjacency
    likely = None if found.probabilities is None else np.where(out, 0.0, found.probabilities)
    linked = tested.adjacency | tested.adjacency.T
    return replace(
        tested,
        probabilities=likely,
        either_way=None if found.either_way is None else found.either_way & linked,
        open_because=found.open_because,
        confounded=found.confounded,
        notes=(*found.notes, *tested.notes),
    )
