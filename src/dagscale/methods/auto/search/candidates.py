"""Which pairs of columns a search looks at: all of them, or in wide tables those that tell something of each other."""

import numpy as np

from dagscale.inputs.ranks import normal_scores
from dagscale.methods.auto.search.interactions import add_interacting
from dagscale.methods.auto.settings import SETTINGS, LikelihoodSettings
from dagscale.methods.context import Context
from dagscale.models.splines import SplineTable
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.candidates.screening import marginal_screen


def candidate_pairs(X: FloatArray, context: Context, settings: LikelihoodSettings) -> BoolArray:
    """Return the edges (d, d) that may be put in one by one.

    In tables of more than `narrow_table` columns, those between a column and the `partners` others that a smooth
    function joins it with most closely, by ranks, so that no scale is preferred.
    """
    allowed, d = context.constraints.allowed, X.shape[1]
    if d <= SETTINGS.narrow_table:
        return allowed
    ranked = np.apply_along_axis(normal_scores, 0, X)
    table = SplineTable.of(ranked, n_jobs=context.n_jobs, kinds=context.kinds)
    pairs = marginal_screen(table, settings.screened * d, settings.partners, context.n_jobs)
    return (pairs | context.constraints.required) & allowed


def interacting_pairs(table: SplineTable, graph: BoolArray, context: Context) -> BoolArray:
    """Return further edges (d, d) whose parent may act through one that the child has, in both directions.

    At a level at which a column gets about one by chance: the likelihood decides on them.
    """
    known = context.constraints
    offered, _ = add_interacting(
        table, graph, known.allowed, known.before, 1.0 / len(graph), context.n_jobs, context.device
    )
    new = offered & ~graph
    return (new | new.T) & known.allowed
