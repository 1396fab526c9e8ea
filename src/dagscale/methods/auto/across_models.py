"""Directions when every column may be on any scale and have any spread: a direction that hangs on the choice is unsure.

One scale and one kind of noise were chosen for the whole table. All items share one reference marginal a column, so
that they compare across scales: of the items that an edge and its reversal are made of, each takes the best of the
models that could have been chosen.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dagscale.methods.auto.objective import item_of
from dagscale.models.gain import Item, Likelihood
from dagscale.models.likelihood.rows_gain import spline_gain
from dagscale.models.likelihood.spline_gain import CONSTANT, LEVEL, PARENTS
from dagscale.runtime.clock import late
from dagscale.runtime.types import BoolArray, FloatArray

SPREADS = (CONSTANT, LEVEL, PARENTS)


def across_models(
    graph: BoolArray,
    gain: Likelihood,
    scales: Sequence[Any],
    deadline: float = np.inf,
    n_jobs: int | None = 1,
) -> FloatArray:
    """Nats by which every edge beats its reversal, each item under its best model, (d, d); NaN off the graph."""
    edges = np.argwhere(graph).tolist()
    sides: list[tuple[Item, Item, Item, Item]] = []
    for i, j in edges:
        own, above = item_of(graph, j), item_of(graph, i)
        less = (j, tuple(k for k in own[1] if k != i))
        sides.append((own, above, less, (i, tuple(sorted((*above[1], j))))))
    items = [item for side in sides for item in side]
    found = np.full(graph.shape, np.nan)
    if not items:
        return found
    best = gain(items)
    for scale in scales:
        if late(deadline):
            break
        best = np.maximum(best, spline_gain(scale, SPREADS, n_jobs)(items))
    best = best.reshape(-1, 4)
    found[graph] = best[:, 0] + best[:, 1] - best[:, 2] - best[:, 3]
    return found
