"""DAS as the paper's text has it, without a thought for speed: what `speed.py` compares with.

The order is found first, by SCORE; then every leaf's row of the Jacobian is estimated again for the
edges. Differences between rows fill (n, n, d) arrays, and the kernel is inverted wherever its inverse
stands in a formula. It is also an independent statement of the algorithm: the library must agree.
"""

import numpy as np
from scipy.stats import ttest_ind


def kernel(X):
    """Differences (n, n, d), squared bandwidth, and the kernel (n, n)."""
    difference = X[:, None, :] - X[None, :, :]
    distances = (difference**2).sum(axis=2)
    s2 = np.median(distances[np.triu_indices(len(X), 1)])
    return difference, s2, np.exp(-distances / (2 * s2)) / np.sqrt(s2)


def score(X, eta):
    difference, s2, K = kernel(X)
    first = -np.einsum("abj,ab->aj", difference, K) / s2
    return np.linalg.inv(K + eta * np.eye(len(X))) @ first


def jacobian_diagonal(X, eta):
    difference, s2, K = kernel(X)
    second = np.einsum("abj,ab->aj", difference**2 / s2**2 - 1 / s2, K)
    return -(score(X, eta) ** 2) + np.linalg.inv(K + eta * np.eye(len(X))) @ second


def jacobian_row(X, leaf, eta):
    difference, s2, K = kernel(X)
    second = np.einsum("ab,abj,ab->aj", difference[:, :, leaf], difference, K) / s2**2
    second[:, leaf] -= K.sum(axis=1) / s2
    G = score(X, eta)
    return -G[:, [leaf]] * G + np.linalg.inv(K + eta * np.eye(len(X))) @ second


def score_order(X, eta=0.001):
    """Leaves by least variance of the Jacobian's diagonal; sources first."""
    remaining, order = list(range(X.shape[1])), []
    while len(remaining) > 1:
        leaf = remaining[int(jacobian_diagonal(X[:, remaining], eta).var(axis=0).argmin())]
        remaining.remove(leaf)
        order.insert(0, leaf)
    return [*remaining, *order]


def das(X, K=20, cutoff=0.01, eta=0.001):
    """Algorithm 1 before its pruning, to the letter: order and candidates [parent, child]."""
    d = X.shape[1]
    order, mask = score_order(X, eta), np.zeros((d, d), dtype=bool)
    for place in range(d - 1, 0, -1):
        leaf, predecessors = order[place], order[:place]
        row = np.abs(jacobian_row(X[:, [*predecessors, leaf]], place, eta))[:, :place]
        top = np.argsort(-row.mean(axis=0))[: K + 1]
        reference = row[:, top[-1]]
        for j in top:
            test = ttest_ind(row[:, j], reference, equal_var=False, alternative="greater")
            if test.pvalue <= cutoff:
                mask[predecessors[j], leaf] = True
    return order, mask
