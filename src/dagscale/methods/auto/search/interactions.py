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

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy.linalg
from scipy.special import fdtrc

from dagscale.graphs.dag import descendants, parents_by_child
from dagscale.inputs.ranks import middle_ranks
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.splines import SplineTable
from dagscale.runtime.arrays import array_namespace, beside, to_numpy
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import Array, BoolArray, FloatArray, IntArray
from dagscale.runtime.workers import worth_processes
from dagscale.stages.ordering.shortlist import at_once, single

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
    waves = np.stack([_waves(x, SETTINGS.interaction_waves) for x in columns])  # (d, w, n)
    flat = single(waves.reshape(-1, table.n), device)
    adjacency, reach = adjacency.copy(), descendants(adjacency | before)
    added: list[Edge] = []
    stale = np.flatnonzero(adjacency.any(axis=0))
    for _ in range(SETTINGS.interaction_parents):
        best = _best(table, waves, flat, adjacency, (allowed, reach), stale, n_jobs, device)
        found = [edge for edge in best if edge[3] < level]
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
    known: tuple[BoolArray, BoolArray],
    nodes: IntArray,
    n_jobs: int | None,
    device: str = "cpu",
) -> list[Edge]:
    """Return the most surprising candidate of every node; `flat` are the waves (d w, n) on the device.

    `known` says who may be whose parent, and who is whose descendant.
    """
    d, w = waves.shape[:2]
    here, xp = device == "cpu", array_namespace(flat)
    wide, (allowed, reach) = beside(flat, (waves != 0).any(axis=2).sum(axis=1)), known

    parents = parents_by_child(adjacency)

    def products(j: int) -> tuple[Single, float]:
        return _products(table, waves, j, parents[j])

    known_products = {}
    if not here and worth_processes(len(nodes), n_jobs):
        made = parallel_map(products, nodes, n_jobs, processes=True)
        known_products = dict(zip(nodes.tolist(), made, strict=True))

    def look(some: IntArray) -> list[Edge]:
        parts, free = zip(*(known_products.pop(j, None) or products(j) for j in some.tolist()), strict=True)
        c = flat @ single(np.concatenate(parts).T, device)
        c *= c
        T = _sums(c.reshape(d, w, -1).sum(axis=1), [len(part) for part in parts])  # (d, nodes)
        functions = np.array([int((part != 0).any(axis=1).sum()) for part in parts])
        freedom = wide[:, None] * beside(flat, functions)
        closed = beside(flat, ~allowed[:, some] | adjacency[:, some] | reach[some].T)
        z = xp.where(closed | (freedom == 0), -np.inf, _normal(T, freedom))
        place = xp.argmax(z, axis=0)
        z, T, freedom = (to_numpy(xp.take_along_axis(x, place[None], axis=0)[0]) for x in (z, T, freedom))
        p_values = fdtrc(freedom, np.array(free), T / np.maximum(freedom, 1))
        edges = zip(z.tolist(), to_numpy(place).tolist(), some.tolist(), p_values.tolist(), strict=True)
        return [edge for edge in edges if edge[0] > 0]

    size = at_once(d * w * 2 * (SETTINGS.interaction_waves + 1), device)
    tasks = [nodes[start : start + size] for start in range(0, len(nodes), size)]
    found = parallel_map(look, tasks, n_jobs if here else 1, local=True)
    return [edge for edges in found for edge in edges]


def _products(table: SplineTable, waves: FloatArray, j: int, parents: IntArray) -> tuple[Single, float]:
    """phi_a(p) r / (sqrt(n) sigma) of all parents (1 + p w, n), zeros if rows are few; free degrees."""
    n, y = table.n, table.X[:, j]
    own = waves[parents]  # (p, w, n)
    high = min(SETTINGS.interaction_high, n // (SETTINGS.interaction_fewest * max(1, len(parents))))
    off = [np.ones((1, n)), *(_waves(table.X[:, p], high) for p in parents)]
    off += [np.sqrt(n) * table.splines(int(p)).T for p in parents]
    off += [(own[a][:, None] * own[b]).reshape(-1, n) for a in range(len(parents)) for b in range(a)]
    Z = np.concatenate(off).T  # (n, q)
    factors = np.concatenate([np.ones((1, n)), own.reshape(-1, n)])
    if Z.shape[1] * SETTINGS.interaction_fewest > n:
        return np.zeros(factors.shape, dtype=np.float32), 1.0
    gram = Z.T @ Z
    gram[np.diag_indices_from(gram)] += 1e-8 * n  # splines and cosines may say the same
    r = y - Z @ scipy.linalg.solve(gram, Z.T @ y, assume_a="pos", check_finite=False)
    free = float(n - Z.shape[1])
    sigma = np.sqrt(max(float(r @ r) / free, 1e-300))
    return (factors * (r / (np.sqrt(n) * sigma))).astype(np.float32), free


def _waves(x: FloatArray, count: int) -> FloatArray:
    """Cosines of the ranks (count, n): mean 0, mean square 1, orthogonal; zeros where ties leave fewer."""
    n, order = len(x), np.argsort(x)
    if count < n and (np.diff(x[order]) > 0).all():
        waves = np.empty((count, n))
        waves[:, order] = _cosines(n, count)
        return waves
    ranks = middle_ranks(x)
    raw = np.cos(np.pi * np.arange(1, count + 1)[:, None] * ranks)
    raw -= raw.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(raw @ raw.T / n)
    real = values > 1e-3
    scale = np.where(real, 1 / np.sqrt(np.where(real, values, 1.0)), 0.0)
    return np.asarray((vectors * scale).T @ raw)


@lru_cache(maxsize=4)
def _cosines(n: int, count: int) -> FloatArray:
    """Return the cosines of ranks without ties, orthogonal by themselves (count, n)."""
    cosines: FloatArray = 2**0.5 * np.cos(np.pi * np.arange(1, count + 1)[:, None] * (np.arange(n) + 0.5) / n)
    return cosines


def _sums(squares: Array, sizes: list[int]) -> Array:
    """Sum (d, columns) over groups of so many columns each, in double precision."""
    xp, starts = array_namespace(squares), np.cumsum([0, *sizes])[:-1]
    if isinstance(squares, np.ndarray):
        return np.add.reduceat(squares, starts, axis=1, dtype=np.float64)
    groups = np.repeat(np.arange(len(sizes)), sizes)[:, None] == np.arange(len(sizes))
    return xp.astype(squares, xp.float64) @ xp.astype(beside(squares, groups), xp.float64)


def _normal(T: Array, freedom: Array) -> Array:
    """Turn chi-squares into about standard normals (Wilson and Hilferty 1931)."""
    freedom = array_namespace(T).clip(freedom, 1)
    spread = 2 / (9 * freedom)
    return ((T / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5
