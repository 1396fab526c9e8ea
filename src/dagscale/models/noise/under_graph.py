"""Whether noise is normal under a graph, by the residuals of additive fits."""

import numpy as np

from dagscale.models.noise.negentropy import negentropy
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray

ROWS = 3000
CHILDREN = 300  # as many tell
CHANCE = 1.4  # nats by which a normal sample looks other than normal ...
VARYING = 1.2  # ... give or take


def negentropy_under(table: SplineTable, graph: BoolArray, n_jobs: int | None = None) -> float:
    """Nats a row by which residuals are not normal, mean over the children of a graph (d, d); 0 without edges.

    Less what as many normal ones have, and two standard errors of that: under 0.003 for normal noise, parents missed
    or not, and from 0.008 on for Laplace, Gumbel and uniform noise of 1000 rows.
    """
    children = np.flatnonzero(graph.any(axis=0))
    if not len(children):
        return 0.0
    children = children[np.unique(np.linspace(0, len(children) - 1, CHILDREN).round().astype(np.intp))]
    few = table.on_some_rows(ROWS, n_jobs)
    few.prepare()

    def one(child: int) -> float:
        return negentropy(AdditiveFit.of(few, child, np.flatnonzero(graph[:, child]), "reml").residuals)

    seen = parallel_map(one, [int(j) for j in children], n_jobs, local=True)
    return float(np.mean(seen)) - (CHANCE + 2.0 * VARYING / float(np.sqrt(len(seen)))) / few.n
