"""What a method finds: the small functions on graphs."""

import numpy as np
import pytest

from dagscale.graphs.dag import parents_by_child


@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
def test_parents_by_child(density):
    graph = np.random.default_rng(0).random((9, 9)) < density
    expected = {j: np.flatnonzero(graph[:, j]).tolist() for j in range(9) if graph[:, j].any()}
    assert {j: parents.tolist() for j, parents in parents_by_child(graph).items()} == expected
