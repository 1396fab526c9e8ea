"""What the evidence says of edges: differences of a graph's scores."""

import numpy as np

from dagscale.models.gain import direction_evidence, edge_evidence, parents_item
from dagscale.models.gp import Evidence


def total(graph, evidence):
    return float(evidence([parents_item(graph, j) for j in range(len(graph))]).sum())


def test_are_differences_of_graph_scores():
    rng = np.random.default_rng(1000)
    a, b = rng.normal(size=(2, 250))
    X = np.column_stack([a, b, np.sin(2 * a) + 0.3 * b**2 + 0.2 * rng.normal(size=250)])
    evidence = Evidence(X, n_jobs=1)
    graph = np.zeros((3, 3), dtype=bool)
    graph[[0, 1], 2] = True
    edges, direction = edge_evidence(graph, evidence), direction_evidence(graph, evidence)
    assert np.array_equal(np.isnan(edges), ~graph)
    assert np.array_equal(np.isnan(direction), ~graph)
    whole = total(graph, evidence)
    for i in (0, 1):
        less, turned = graph.copy(), graph.copy()
        less[i, 2] = turned[i, 2] = False
        turned[2, i] = True
        assert edges[i, 2] == whole - total(less, evidence)
        assert np.isclose(direction[i, 2], whole - total(turned, evidence))
        assert direction[i, 2] > 10
