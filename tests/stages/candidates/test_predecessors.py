import numpy as np

from dagscale.stages.candidates.predecessors import predecessors


def test_all_earlier_columns_are_candidates():
    mask = predecessors(np.array([2, 0, 1]))
    assert sorted(map(tuple, np.argwhere(mask).tolist())) == [(0, 1), (2, 0), (2, 1)]


def test_forbidden_edges_are_left_out():
    allowed = np.ones((3, 3), dtype=bool)
    allowed[2, 1] = False
    mask = predecessors(np.array([2, 0, 1]), allowed)
    assert sorted(map(tuple, np.argwhere(mask).tolist())) == [(0, 1), (2, 0)]
