"""Pruning on every child's own rows is pruning of the table of those rows, child by child."""

import numpy as np

from dagscale.stages.pruning.additive import prune
from dagscale.stages.pruning.by_rows import prune_by_rows


def test_each_child_is_tested_on_its_own_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    X[:, 2] += np.sin(2 * X[:, 0])
    X[:, 3] += X[:, 2] ** 2
    left_out = np.zeros(X.shape, dtype=bool)
    left_out[200:250, 2], left_out[250:, 3] = True, True
    X[left_out] = 5.0
    mask, none = np.triu(np.ones((4, 4), dtype=bool), 1), np.zeros((4, 4), dtype=bool)
    graph, p_values = prune_by_rows(X, mask, left_out, 0.001, none, n_jobs=1)
    for j in range(4):
        alone, p = prune(X[~left_out[:, j]], mask, 0.001, none, 1)
        assert np.array_equal(graph[:, j], alone[:, j])
        assert np.allclose(p_values[:, j], p[:, j], equal_nan=True)
