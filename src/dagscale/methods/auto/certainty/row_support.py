"""How far the nats for a direction can be trusted: how much they vary from row to row.

The log likelihood ratio of two models is a sum over rows. If one of them is right and the other close, the variance of
that sum is about twice its mean. Where it varies more, few rows decide, or neither model is right; then the ratio says
less than its nats (Vuong 1989). So nats D with the variance V count as D min(1, 2 D / V).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from dagscale.methods.auto.search.objective import Change, sides
from dagscale.models.gain import Item
from dagscale.models.likelihood.rows_gain import row_nats
from dagscale.runtime.clock import late
from dagscale.runtime.types import BoolArray, FloatArray

AT_ONCE = 20  # edges looked at between two looks at the clock


def tempered(nats: FloatArray, variance: FloatArray) -> FloatArray:
    """Count nats for less where they vary more from row to row than those of a right model; NaN: not known."""
    share = np.clip(2.0 * nats / np.fmax(np.nan_to_num(variance), 1e-9), 0.0, 1.0)
    return np.where(np.isfinite(variance), nats * share, nats)


def variance_of_directions(
    graph: BoolArray,
    gain: Any,
    turned: Mapping[tuple[int, int], Change],
    deadline: float = np.inf,
    n_jobs: int | None = 1,
) -> FloatArray:
    """Variance of the log likelihood ratio of a graph and the best one with an edge turned, (d, d).

    NaN off the graph, where nothing `turned` an edge, and after the deadline.
    """
    found = np.full(graph.shape, np.nan)
    edges = list(turned.items())
    for first in range(0, len(edges), AT_ONCE):
        if late(deadline):
            break
        some = edges[first : first + AT_ONCE]
        items = list(
            dict.fromkeys(item for _, change in some for side in sides(graph, change) for item in side)
        )
        gain(items)  # all at once
        of_item: dict[Item, FloatArray] = dict(zip(items, row_nats(gain, items, n_jobs), strict=True))
        for (i, j), change in some:
            now, new = (np.sum([of_item[item] for item in side], axis=0) for side in sides(graph, change))
            found[i, j] = len(now) * np.var(now - new)
    return found
