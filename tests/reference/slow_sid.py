"""Two slow ways to count wrong interventional distributions, each independent of the library's."""

import itertools

import networkx as nx
import numpy as np


def sid_by_paths(true, estimated):
    """SID from its definition: adjustment for the estimated parents, its validity judged path by path."""
    G, H = nx.DiGraph(np.asarray(true, int)), nx.DiGraph(np.asarray(estimated, int))
    return sum(not _right(G, i, j, set(H.predecessors(i))) for i, j in itertools.permutations(G, 2))


def _right(G, i, j, parents):
    if j in parents:  # the estimate says that i has no effect on j
        return j not in nx.descendants(G, i)
    causal = list(nx.all_simple_paths(G, i, j))
    on_causal = {v for path in causal for v in path[1:]}
    forbidden = on_causal.union(*(nx.descendants(G, v) for v in on_causal))
    if parents & forbidden:
        return False
    return all(
        _blocked(G, path, parents)
        for path in nx.all_simple_paths(G.to_undirected(), i, j)
        if path not in causal
    )


def _blocked(G, path, given):
    for a, v, b in zip(path, path[1:], path[2:], strict=False):
        collider = G.has_edge(a, v) and G.has_edge(b, v)
        opened = bool(given & ({v} | nx.descendants(G, v)))
        if (collider and not opened) or (not collider and v in given):
            return True
    return False


def sid_by_regression(true, estimated, seed=0):
    """SID of a linear Gaussian model with random weights: total effects against adjusted regressions.

    An adjustment that is not valid gives the right coefficient only for weights of measure zero.
    """
    B = np.asarray(estimated, bool)
    return _wrong_effects(true, B, B.T, seed)


def ancestor_aid_by_regression(true, estimated, seed=0):
    """As `sid_by_regression`, but adjusted for all ancestors, with no effect on what is no descendant."""
    H = nx.DiGraph(np.asarray(estimated, int))
    descends = np.array([[j in nx.descendants(H, i) for j in H] for i in H])
    return _wrong_effects(true, descends, ~descends, seed)


def _wrong_effects(true, adjusted, no_effect, seed):
    A = np.asarray(true, bool)
    d = len(A)
    rng = np.random.default_rng(seed)
    W = A * rng.uniform(0.4, 1.2, (d, d)) * rng.choice([-1, 1], (d, d))
    total = np.linalg.inv(np.eye(d) - W)  # [i, j]: effect of i on j
    covariance = total.T @ np.diag(rng.uniform(0.5, 2, d)) @ total
    wrong = 0
    for i, j in itertools.permutations(range(d), 2):
        S = [i, *np.flatnonzero(adjusted[:, i])]
        effect = 0.0 if no_effect[i, j] else np.linalg.solve(covariance[np.ix_(S, S)], covariance[S, j])[0]
        wrong += abs(effect - total[i, j]) > 1e-8
    return wrong
