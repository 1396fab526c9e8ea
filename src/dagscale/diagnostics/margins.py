"""How firmly each edge's direction is held: what reversing it alone would cost the additive likelihood.

With L_j(P) = -n/2 log RSS_j(P) - q/2 log n the penalised Gaussian log likelihood of column j on q spline
columns of the parents P, the margin of i -> j is

    L_i(pa_i) + L_j(pa_j) - L_i(pa_i + j) - L_j(pa_j - i),

in nats: log 100 = 4.6 would be odds of a hundred to one. Both graphs have the same number of columns, so that
the penalty counts only where rows are so few that splines shrink. An edge with another path from i to j
cannot be reversed alone (a cycle): its direction is held by those of the path, and its margin is NaN.
"""

import numpy as np

from dagscale.found import descendants
from dagscale.parallel import parallel_map
from dagscale.splines import SplineTable
from dagscale.types import BoolArray, FloatArray, IntArray

RIDGE = 1e-9  # the Gram matrix has a unit diagonal; copies of a column must not break the solve


def margins(table: SplineTable, adjacency: BoolArray, n_jobs: int | None = None) -> FloatArray:
    """Return the margin of every edge (d, d), NaN where there is no edge or it cannot be reversed alone."""
    found = np.full(adjacency.shape, np.nan)
    detour = (adjacency.astype(np.float32) @ descendants(adjacency).astype(np.float32)) > 0
    varying = np.diff(table.starts) > 0
    usable = adjacency & varying & varying[:, None]
    alone = np.argwhere(usable & ~detour)  # (edges, 2)

    def margin(edge: IntArray) -> float:
        i, j = int(edge[0]), int(edge[1])
        causes, effects = np.flatnonzero(usable[:, i]), np.flatnonzero(usable[:, j])
        there = log_likelihood(table, i, causes) + log_likelihood(table, j, effects)
        back = log_likelihood(table, i, np.append(causes, j))
        return there - back - log_likelihood(table, j, effects[effects != i])

    found[alone[:, 0], alone[:, 1]] = parallel_map(margin, alone, n_jobs)
    return found


def log_likelihood(table: SplineTable, child: int, parents: IntArray) -> float:
    """Return L_j(P) as above, constants left out."""
    n, total = len(table.X), float(table.X[:, child] @ table.X[:, child])
    if not len(parents):
        return -n / 2 * float(np.log(total))
    equations = table.equations(child, [int(i) for i in parents])
    G = equations.G + RIDGE * np.eye(len(equations.b))
    left = total - float(equations.b @ np.linalg.solve(G, equations.b))
    width = len(equations.b)
    return -n / 2 * float(np.log(max(left, 1e-12 * total))) - width / 2 * float(np.log(n))
