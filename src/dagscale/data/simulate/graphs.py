"""Random DAGs: one function per family, each from nodes, edges per node and a generator to [parent, child].

All of them return graphs whose nodes are numbered along a causal order (the adjacency is strictly
upper triangular); `simulate` shuffles the columns afterwards.
"""

from collections.abc import Callable

import numpy as np

from dagscale.runtime.types import BoolArray, IntArray

Family = Callable[[int, float, str, np.random.Generator], BoolArray]  # (d, k, count, rng) -> (d, d)

HUB_SHARE = 0.5  # of the edges of a "hubs" graph, the part that comes from a hub
NODES_PER_HUB = 20
DRAWN = 10_000_000  # pairs drawn at once


def erdos_renyi(d: int, k: float, count: str, rng: np.random.Generator) -> BoolArray:
    """Erdős–Rényi: k d edges over all pairs of a random order.

    With `count="exact"` the edges are m = min(round(k d), d(d-1)/2) pairs drawn without replacement, so
    ER4 with d = 10 has 40 of the 45 possible edges, as in the published tables. With "binomial" each pair
    is an edge with probability m / (d(d-1)/2), so m is the expectation.
    """
    picked = _drawn(d * (d - 1) // 2, d, k, count, rng)
    # pairs are numbered row by row: row i begins with number i (2 d - i - 1) / 2
    first = np.arange(d) * (2 * d - np.arange(d) - 1) // 2
    source = np.searchsorted(first, picked, side="right") - 1
    return _graph(d, source, picked - first[source] + source + 1)


def bipartite(d: int, k: float, count: str, rng: np.random.Generator) -> BoolArray:
    """Draw edges only from the first half of the nodes to the second; at most ⌊d/2⌋⌈d/2⌉ of them."""
    half = d // 2
    source, target = np.divmod(_drawn(half * (d - half), d, k, count, rng), d - half)
    return _graph(d, source, target + half)


def chain(d: int, k: float, count: str, rng: np.random.Generator) -> BoolArray:
    """Make the path 0 -> 1 -> ... -> d-1; the edges per node are given by the shape."""
    return np.eye(d, k=1, dtype=bool)


def scale_free(d: int, k: float, count: str, rng: np.random.Generator) -> BoolArray:
    """Barabási–Albert: node v takes min(v, k) earlier nodes as parents, in proportion to their degree.

    Edges point from old to new nodes, as in the SCORE line of papers, and there are k d - k(k+1)/2 of
    them for a whole k; a fractional k is rounded up or down at each node, right on average.
    """
    return _grown(d, k, 0, rng)


def hubs(d: int, k: float, count: str, rng: np.random.Generator) -> BoolArray:
    """Scale-free with hubs: half of the parents come from the d/20 oldest nodes, the others by degree."""
    return _grown(d, k, max(1, d // NODES_PER_HUB), rng)


FAMILIES: dict[str, Family] = {
    "ER": erdos_renyi,
    "SF": scale_free,
    "bipartite": bipartite,
    "chain": chain,
    "hubs": hubs,
}


def randomly_oriented(adjacency: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Keep the skeleton and point every edge along a new random order, nodes renumbered along it."""
    skeleton = adjacency | adjacency.T
    order = rng.permutation(len(adjacency))
    return np.triu(skeleton[np.ix_(order, order)], 1)


def _drawn(pairs: int, d: int, k: float, count: str, rng: np.random.Generator) -> IntArray:
    """Draw about k d numbers of that many pairs, none of them twice."""
    m = min(round(k * d), pairs)
    if count == "exact":
        return rng.choice(pairs, m, replace=False)
    chance = m / max(pairs, 1)
    blocks = (np.arange(start, min(start + DRAWN, pairs)) for start in range(0, pairs, DRAWN))
    return np.concatenate([np.zeros(0, dtype=np.intp), *(b[rng.random(len(b)) < chance] for b in blocks)])


def _graph(d: int, source: IntArray, target: IntArray) -> BoolArray:
    adjacency = np.zeros((d, d), dtype=bool)
    adjacency[source, target] = True
    return adjacency


def _grown(d: int, k: float, n_hubs: int, rng: np.random.Generator) -> BoolArray:
    adjacency = np.zeros((d, d), dtype=bool)
    degree = np.ones(d)  # starts at one so that a node without edges can still be chosen
    for v in range(1, d):
        wanted = int(k) + int(rng.random() < k - int(k))
        chance = degree[:v] / degree[:v].sum()
        if n_hubs:
            hub = (np.arange(v) < n_hubs) / min(v, n_hubs)
            chance = (1 - HUB_SHARE) * chance + HUB_SHARE * hub
        parents = rng.choice(v, min(v, wanted), replace=False, p=chance)
        adjacency[parents, v] = True
        degree[parents] += 1
        degree[v] += len(parents)
    return adjacency
