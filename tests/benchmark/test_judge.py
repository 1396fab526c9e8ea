import json

import numpy as np

from dagscale.benchmark.judge import judge
from dagscale.benchmark.rows import Answer

# 0 -> 2, 1 -> 2, 2 -> 3
TRUTH = np.zeros((4, 4), dtype=bool)
TRUTH[[0, 1, 2], [2, 2, 3]] = True


def graph(*edges):
    adjacency = np.zeros((4, 4), dtype=bool)
    for i, j in edges:
        adjacency[i, j] = True
    return adjacency


def test_worked_by_hand():
    # 0 -> 2 found, 1 -> 2 missed, 2 -> 3 reversed, 0 -> 1 invented
    found = judge(TRUTH, Answer(graph((0, 2), (3, 2), (0, 1)), np.array([0, 1, 3, 2])))
    assert found["shd"] == 3
    assert found["precision"] == found["recall"] == round(1 / 3, 6)
    assert found["order_errors"] == 1  # of the order given, not of the graph
    assert found["recall_by_in_degree"] == {"2": [1, 2], "1": [0, 1]}
    json.dumps(found, allow_nan=False)


def test_the_order_is_judged_apart_from_the_graph():
    found = judge(TRUTH, Answer(graph(), np.array([3, 2, 1, 0])))
    assert (found["shd"], found["order_errors"]) == (3, 3)
    assert found["recall"] == 0


def test_a_graph_with_a_cycle_agrees_with_the_others_where_both_are_defined():
    with_cycle = graph((0, 2), (2, 1), (1, 0))
    found = judge(TRUTH, Answer(with_cycle, None))
    assert (found["sid"], found["order_errors"]) == (None, None)
    assert found["shd"] == 1 + 1 + 1  # 2 -> 1 reversed, 1 -> 0 extra, 2 -> 3 missing
    rng = np.random.default_rng(0)
    for _ in range(20):
        acyclic = np.triu(rng.random((4, 4)) < 0.6, 1)
        acyclic[0, 1] = True
        order = np.arange(4)
        plain, other = judge(TRUTH, Answer(acyclic, order)), judge(TRUTH, Answer(acyclic, None))
        assert all(other[name] in (None, plain[name]) for name in other)
