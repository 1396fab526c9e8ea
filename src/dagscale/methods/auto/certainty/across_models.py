"""Directions when every column may be on any scale and have any spread: a direction that hangs on the choice is unsure.

A column with rounded values has its cells filled as a child and stays what it is as a parent (`columns.py`). So the two
directions of a link describe different values, and the rounded end looks like the cause. With cells filled in parents,
too (`Scale.filled`), both describe the same ones: a direction has to hold there as well.

One scale and one kind of noise were chosen for the whole table. All items share one reference marginal a column, so
that they compare across scales: the graph, and the best graph in which an edge points the other way
(`Alternatives.turned`), each item under the best of the models that could have been chosen.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dagscale.methods.auto.search.objective import Change, Objective, sides
from dagscale.methods.auto.search.within import Within
from dagscale.models.gain import Item
from dagscale.models.likelihood.proportional import reference
from dagscale.models.likelihood.rows_gain import spline_gain
from dagscale.runtime.clock import BudgetSpent, late
from dagscale.runtime.types import BoolArray, FloatArray


def across_models(
    graph: BoolArray,
    objective: Objective,
    scales: Sequence[Any],
    turned: Mapping[tuple[int, int], Change],
    deadline: float = np.inf,
    n_jobs: int | None = 1,
) -> FloatArray:
    """Nats of the graph over the best one with an edge turned, each item under its best model, (d, d).

    NaN off the graph, and where nothing `turned` an edge.
    """
    items = list(
        dict.fromkeys(item for change in turned.values() for side in sides(graph, change) for item in side)
    )
    found = np.full(graph.shape, np.nan)
    if not items:
        return found
    best, over = objective.gain(items), reference(objective.gain, items)
    for scale in scales:
        if late(deadline):
            break
        try:
            best = np.maximum(best, Within(spline_gain(scale, True, n_jobs), deadline)(items) - over)
        except BudgetSpent:
            break
    nats: dict[Item, float] = dict(zip(items, best.tolist(), strict=True))
    edges = int(graph.sum())
    for (i, j), change in turned.items():
        own, other = (sum(nats[item] for item in side) for side in sides(graph, change))
        added = sum(len(parents) for parents in change.values()) - int(graph[:, list(change)].sum())
        found[i, j] = own - other + objective.cost(edges + added) - objective.cost(edges)
    return found


def touching(turned: Mapping[tuple[int, int], Change], columns: BoolArray) -> dict[tuple[int, int], Change]:
    """Return the turned edges whose change concerns some columns (d,)."""
    return {
        edge: change
        for edge, change in turned.items()
        if columns[[*edge, *change, *(i for parents in change.values() for i in parents)]].any()
    }
