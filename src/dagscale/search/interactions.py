"""Parents that act through those already found: edges an additive model is blind to, tested all at once.

A function of k parents holds part of its variance in products, f(x_p, x_i) beyond g(x_p) + h(x_i), and for
k > 2 most of it. Let r be what a node's parents leave of it, phi_a(p) smooth orthonormal functions of a
parent p (phi_0 = 1) and psi_b(i) of a candidate i. If i has no effect,

    T_i = sum_{p, a, b} (sum_rows phi_a(p) psi_b(i) r)^2 / sigma^2

is chi-square with one degree of freedom a product. T of all candidates is one matrix product a node, like
the screening by main effects (a = 0). The functions are cosines of the ranks: bounded, so that no row counts
for more than a few others and the chi-square holds; orthonormal whatever the column's distribution.

r is taken off many functions of each parent, its splines among them for what a cosine of ranks does not see
in the tails, and off the products of two: what parents do alone or together would else be credited to their
neighbours.
"""

import numpy as np
import numpy.typing as npt
import scipy.linalg
from scipy.special import fdtrc
from scipy.stats import rankdata

from dagscale.array import to_numpy
from dagscale.found import descendants
from dagscale.ordering.shortlist import single
from dagscale.parallel import parallel_map
from dagscale.splines import SplineTable
from dagscale.types import Array, BoolArray, FloatArray, IntArray

WAVES = 3  # functions of a column in a product
HIGH = 12  # functions of a parent that r is taken off
ROUNDS = 8  # parents a node may get
CELLS = 8_000_000  # products computed at once: 32 MB a worker
FEWEST = 5  # rows for each function taken off

Single = npt.NDArray[np.float32]
Edge = tuple[float, int, int, float]  # how surprising it is, parent, child, p-value


def add_interacting(
    table: SplineTable,
    adjacency: BoolArray,
    allowed: BoolArray,
    before: BoolArray,
    level: float,
    n_jobs: int | None = None,
    device: str = "cpu",
) -> tuple[BoolArray, list[Edge]]:
    """Add the parents that act together with a node's others, the most surprising first.

    Parameters
    ----------
    table : SplineTable
        Of no more rows than keep their splines.
    adjacency : (d, d) bool array
        The graph so far. A node without parents gets none.
    allowed, before : (d, d) bool arrays
        As in `Constraints`.
    level : float
        Of the test of one candidate.
    n_jobs : int or None
    device : str
        Where the products are made.

    Returns
    -------
    adjacency : (d, d) bool array
    added : list of (z, parent, child, p-value)
        z is about standard normal if there is no effect.
    """
    columns = np.ascontiguousarray(table.X.T)
    waves = np.stack(parallel_map(lambda x: _waves(x, WAVES), columns, n_jobs))  # (d, w, n)
    flat = single(waves.reshape(-1, table.n), device)
    adjacency, reach = adjacency.copy(), descendants(adjacency | before)
    added: list[Edge] = []
    stale = np.flatnonzero(adjacency.any(axis=0))
    for _ in range(ROUNDS):
        closed = ~allowed | adjacency | reach.T
        found = [
            edge
            for edge in _best(table, waves, flat, adjacency, closed, stale, n_jobs, device)
            if edge[3] < level
        ]
        for edge in sorted(found, reverse=True):
            _, i, j, _ = edge
            if not reach[j, i]:
                adjacency[i, j] = True
                reach[np.ix_(_with(reach[:, i], i), _with(reach[j], j))] = True
                added.append(edge)
        if not found:
            break
        stale = np.array(sorted(j for _, _, j, _ in found))
    return adjacency, added


def _with(members: BoolArray, one: int) -> BoolArray:
    members = members.copy()
    members[one] = True
    return members


def _best(
    table: SplineTable,
    waves: FloatArray,
    flat: Array,
    adjacency: BoolArray,
    closed: BoolArray,
    nodes: IntArray,
    n_jobs: int | None,
    device: str = "cpu",
) -> list[Edge]:
    """Return the most surprising candidate of every node; `flat` are the waves (d w, n) on the device."""
    d, w = waves.shape[:2]
    widths = (waves != 0).any(axis=2).sum(axis=1)  # (d,)

    def look(some: IntArray) -> list[Edge]:
        products = [_products(table, waves, j, np.flatnonzero(adjacency[:, j])) for j in some]
        right = np.concatenate([part for part, _ in products])
        c = flat @ single(right.T, device)
        c *= c
        squares = to_numpy(c.reshape(d, w, len(right)).sum(axis=1))  # (d, columns)
        starts = np.cumsum([0, *(len(part) for part, _ in products)])[:-1]
        statistics = np.add.reduceat(squares, starts, axis=1, dtype=np.float64)
        edges = []
        for j, T, (part, free) in zip(some.tolist(), statistics.T, products, strict=True):
            freedom = widths * int((part != 0).any(axis=1).sum())
            z = np.where(closed[:, j] | (freedom == 0), -np.inf, _normal(T, freedom))
            i = int(z.argmax())
            if z[i] > 0:
                p_value = float(fdtrc(freedom[i], free, T[i] / freedom[i]))
                edges.append((float(z[i]), i, j, p_value))
        return edges

    size = max(1, CELLS // (d * w * 2 * (WAVES + 1)))
    tasks = [nodes[start : start + size] for start in range(0, len(nodes), size)]
    return [edge for edges in parallel_map(look, tasks, n_jobs, local=True) for edge in edges]


def _products(table: SplineTable, waves: FloatArray, j: int, parents: IntArray) -> tuple[Single, float]:
    """phi_a(p) r / (sqrt(n) sigma) of all parents (1 + p w, n), zeros if rows are few; free degrees."""
    n, y = table.n, table.X[:, j]
    own = waves[parents]  # (p, w, n)
    high = min(HIGH, n // (FEWEST * max(1, len(parents))))
    off = [np.ones((1, n)), *(_waves(table.X[:, p], high) for p in parents)]
    off += [np.sqrt(n) * table.splines(int(p)).T for p in parents]
    off += [(own[a][:, None] * own[b]).reshape(-1, n) for a in range(len(parents)) for b in range(a)]
    Z = np.concatenate(off).T  # (n, q)
    factors = np.concatenate([np.ones((1, n)), own.reshape(-1, n)])
    if Z.shape[1] * FEWEST > n:
        return np.zeros(factors.shape, dtype=np.float32), 1.0
    gram = Z.T @ Z
    gram[np.diag_indices_from(gram)] += 1e-8 * n  # splines and cosines may say the same
    r = y - Z @ scipy.linalg.solve(gram, Z.T @ y, assume_a="pos", check_finite=False)
    free = float(n - Z.shape[1])
    sigma = np.sqrt(max(float(r @ r) / free, 1e-300))
    return (factors * (r / (np.sqrt(n) * sigma))).astype(np.float32), free


def _waves(x: FloatArray, count: int) -> FloatArray:
    """Cosines of the ranks (count, n): mean 0, mean square 1, orthogonal; zeros where ties leave fewer."""
    n = len(x)
    ranks = (rankdata(x) - 0.5) / n
    raw = np.cos(np.pi * np.arange(1, count + 1)[:, None] * ranks)
    raw -= raw.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(raw @ raw.T / n)
    real = values > 1e-3
    scale = np.where(real, 1 / np.sqrt(np.where(real, values, 1.0)), 0.0)
    waves: FloatArray = (vectors * scale).T @ raw
    return waves


def _normal(T: FloatArray, freedom: IntArray) -> FloatArray:
    """Turn chi-squares into about standard normals (Wilson and Hilferty 1931)."""
    spread = 2 / (9 * np.maximum(freedom, 1))
    z: FloatArray = ((T / np.maximum(freedom, 1)) ** (1 / 3) - (1 - spread)) / np.sqrt(spread)
    return z
