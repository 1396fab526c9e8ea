"""Is the noise additive? Whether the spread of what parents leave of a child follows what they say of it.

All evidence here takes a child for a function of its parents plus noise of one size. In tables where the
noise grows with the level (counts, concentrations, anything measured with a percentage of error) that is
wrong, and what a thousand rows then say with certainty is mostly about the noise. It shows in the residuals:
their spread follows the fitted values (`dependence.spread`, an effect size like a correlation).
"""

import numpy as np

from dagscale.dependence import spread, waves
from dagscale.parallel import parallel_map
from dagscale.rows import some_rows
from dagscale.splines import AdditiveFit, SplineTable
from dagscale.types import BoolArray

ROWS = 3000
CHILDREN = 300  # as many tell


def uneven_noise(table: SplineTable, graph: BoolArray, n_jobs: int | None = None) -> float:
    """Return how far the residuals' spread follows the fitted values, the mean over the children.

    Parameters
    ----------
    table : SplineTable
    graph : (d, d) bool array
    n_jobs : int or None

    Returns
    -------
    float
        Near 0 where noise is additive, whatever its distribution; 0 without edges. Parents that a graph
        misses make it up to 0.1, noise in proportion to the level 0.3 or more.
    """
    children = np.flatnonzero(graph.any(axis=0))
    if not len(children):
        return 0.0
    children = children[np.unique(np.linspace(0, len(children) - 1, CHILDREN).round().astype(np.intp))]
    rows, fewer = some_rows(table.data, ROWS)
    few = SplineTable.of(rows, n_jobs=n_jobs) if fewer else table
    few.prepare()

    def one(child: int) -> float:
        fit = AdditiveFit.of(few, child, np.flatnonzero(graph[:, child]), "reml")
        sides = waves(np.stack([fit.effects.sum(axis=1), fit.residuals], axis=1))
        return float(spread(sides[:, :, :1], sides[:, :, 1:]).size[0, 0])

    return float(np.mean(parallel_map(one, [int(j) for j in children], n_jobs, local=True)))
