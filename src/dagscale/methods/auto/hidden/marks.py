"""Pairs that share a hidden cause, as far as residuals tell: what the graph leaves dependent, whichever way it points.

Two columns without a link whose noise is dependent; two linked ones of which the noise of the child depends on the
parent, and that of the parent on the child with the link turned, on every scale and with every kind of spread. All
tests of a table together err once in a hundred tables (Bonferroni). Where the noise of many children depends on their
parents the model does not hold, and dependence says nothing of hidden causes: then no pair is marked. Nor is one where
the spread of the noise follows the parents: a spread that is not quite right leaves dependence, too.
"""

import numpy as np

from dagscale.methods.auto.certainty.residual_checks import Residuals, alarm_level
from dagscale.runtime.types import BoolArray, FloatArray

UNDECIDED = 10.0  # nats: a link with more for its direction is explained by it
FITS = 0.1  # share of the links whose child's noise may depend on the parent in a model that holds


def hidden_causes(graph: BoolArray, checks: Residuals, direction: FloatArray) -> BoolArray:
    """Mark the pairs (d, d), symmetric; `direction` (d, d) are the nats for every edge's direction."""
    d = len(graph)
    level = alarm_level(d)
    ahead, back = checks.forward.p_values < level, checks.backward.p_values < level
    both = graph & ahead & back & (direction < UNDECIDED)
    others = int((graph & ahead & ~both).sum())
    if others > FITS * graph.sum() or both.sum() > max(1, FITS * graph.sum()):
        return np.zeros_like(graph)
    linked = graph | graph.T | np.eye(d, dtype=bool)
    apart = ~linked & (checks.between.p_values < level)
    kept = both & checks.refitted
    return np.asarray(apart | apart.T | kept | kept.T)
