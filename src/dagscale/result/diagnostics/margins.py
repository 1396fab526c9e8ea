"""How firmly each edge's direction is held: what reversing it alone would cost the additive likelihood.

With L_j(P) = -n/2 log RSS_j(P) the Gaussian log likelihood of column j on the splines of the parents P, the
margin of i -> j is

    L_i(pa_i) + L_j(pa_j) - L_i(pa_i + j) - L_j(pa_j - i),

in nats: log 100 = 4.6 would be odds of a hundred to one. All four fits have splines of the same rank and no
penalty, so that both graphs spend the same degrees of freedom. An edge with another path from i to j cannot
be reversed alone (a cycle): its direction is held by those of the path, and its margin is NaN. So is that of an
edge with an end of levels or counts.
"""

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.inputs.kinds import CONTINUOUS, of_kinds
from dagscale.models.splines import SplineTable
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray


def margins(table: SplineTable, adjacency: BoolArray, n_jobs: int | None = None) -> FloatArray:
    """Return the margin of every edge (d, d), NaN where there is no edge or it cannot be reversed alone."""
    found = np.full(adjacency.shape, np.nan)
    detour = (adjacency.astype(np.float32) @ descendants(adjacency).astype(np.float32)) > 0
    varying = np.diff(table.starts) > 0
    usable = adjacency & varying & varying[:, None]
    numbers = of_kinds(table.kinds, (CONTINUOUS,), len(adjacency))  # other ends fit as well either way round
    alone = np.argwhere(usable & ~detour & numbers & numbers[:, None])  # (edges, 2)

    def margin(edge: IntArray) -> float:
        i, j = int(edge[0]), int(edge[1])
        causes, effects = np.flatnonzero(usable[:, i]), np.flatnonzero(usable[:, j])
        k = table.rank(max(len(causes) + 1, len(effects)))
        there = log_likelihood(table, i, causes, k) + log_likelihood(table, j, effects, k)
        back = log_likelihood(table, i, np.append(causes, j), k)
        return there - back - log_likelihood(table, j, effects[effects != i], k)

    found[alone[:, 0], alone[:, 1]] = parallel_map(margin, alone, n_jobs, local=True)
    return found


def log_likelihood(table: SplineTable, child: int, parents: IntArray, k: int) -> float:
    """Return L_j(P) for rank-k splines, constants left out."""
    y = table.X[:, child]
    total = float(y @ y)
    columns = np.hstack([np.zeros((len(y), 0)), *(table.term(int(i), k)[0] for i in parents)])
    explained = np.linalg.qr(columns)[0].T @ y
    left = max(total - float(explained @ explained), 1e-12 * total)  # perfect fits leave rounding noise
    return -len(y) / 2 * float(np.log(left))
