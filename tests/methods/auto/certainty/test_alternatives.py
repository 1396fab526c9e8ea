"""The best graph of every state of a pair, against all graphs of three columns."""

from itertools import product

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.certainty import alternatives as module
from dagscale.methods.auto.certainty.across_models import across_models
from dagscale.methods.auto.certainty.alternatives import alternatives
from dagscale.methods.auto.search import within
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.proposers import Scene, eliminated
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.spline_gain import SplineGain, Told


def graphs():
    """All DAGs over three columns."""
    for states in product((0, 1, 2), repeat=3):
        graph = np.zeros((3, 3), dtype=bool)
        for (i, j), state in zip(((0, 1), (0, 2), (1, 2)), states, strict=True):
            graph[i, j], graph[j, i] = state == 1, state == 2
        try:
            topological_order(graph)
        except ValueError:
            continue
        yield graph


def test_no_alternative_is_better_than_the_best_graph_of_its_state():
    g = np.random.default_rng(1000)
    x, y, z = g.normal(size=(3, 300))
    X = np.column_stack([x, np.sin(2 * x) + 0.3 * y, x**2 + 0.3 * z])
    objective = Objective(SplineGain(scales_of(X)[0]), 3, 1.5)
    scores = {graph.tobytes(): (objective.score(graph), graph) for graph in graphs()}
    best = max(scores.values(), key=lambda one: one[0])
    near = alternatives(best[1], objective, Scene(Constraints.none(3), Constraints.none(3).allowed, 3))
    for i, j in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
        joined = max(s for s, graph in scores.values() if graph[i, j]) - best[0]
        apart = max(s for s, graph in scores.values() if not graph[i, j] | graph[j, i]) - best[0]
        assert near.joined[i, j] <= joined + 1e-6
        assert near.apart[i, j] <= apart + 1e-6
        if best[1][i, j]:
            assert near.joined[i, j] == 0.0
            assert abs(near.apart[i, j] - apart) < 30.0
        if best[1][j, i]:
            assert np.isfinite(near.joined[i, j])


def test_an_edge_is_turned_by_graphs_without_a_cycle():
    """x -> y -> z and x -> z: turning x -> z alone would close one, and its nats would say nothing."""
    g = np.random.default_rng(1000)
    x, y, z = g.normal(size=(3, 300))
    y = np.sin(2 * x) + 0.3 * y
    X = np.column_stack([x, y, x**2 + y + 0.3 * z])
    objective = Objective(SplineGain(scales_of(X)[0]), 3, 1.5)
    graph = np.triu(np.ones((3, 3), dtype=bool), 1)
    near = alternatives(graph, objective, Scene(Constraints.none(3), Constraints.none(3).allowed, 3))
    assert set(near.turned) == {(0, 1), (0, 2), (1, 2)}
    across = across_models(graph, objective, scales_of(X)[:1], near.turned)
    for (i, j), change in near.turned.items():
        after = graph.copy()
        for child, parents in change.items():
            after[:, child] = False
            after[list(parents), child] = True
        topological_order(after)  # raises where there is a cycle
        assert after[j, i]
        assert np.isfinite(across[i, j])


def test_edges_asked_for_are_turned_as_among_all():
    g = np.random.default_rng(1003)
    X = g.normal(size=(200, 5))
    for j in range(1, 5):
        X[:, j] = np.sin(X[:, j - 1]) + X[:, : j - 1].sum(axis=1) + 0.5 * X[:, j]
    graph = np.triu(np.ones((5, 5), dtype=bool), 1)
    asked = np.zeros_like(graph)
    asked[1, 2] = asked[0, 4] = True
    scene = Scene(Constraints.none(5), Constraints.none(5).allowed, 5)
    whole, some = SplineGain(scales_of(X)[0]), SplineGain(scales_of(X)[0])
    every = alternatives(graph, Objective(whole, 5, 1.5), scene)
    found = alternatives(graph, Objective(some, 5, 1.5), scene, asked=asked)
    assert found.turned == {edge: every.turned[edge] for edge in ((1, 2), (0, 4))}
    np.testing.assert_allclose(found.joined.T[asked], every.joined.T[asked], rtol=1e-4)
    assert len(some.told) < len(whole.told)


def test_turned_blocks_end_with_the_deadline(monkeypatch):
    """A dense graph has many; only the few between two looks at the clock are tried after it."""
    g = np.random.default_rng(1001)
    X = g.normal(size=(100, 6))
    for j in range(1, 6):
        X[:, j] += X[:, :j].sum(axis=1) / j
    graph = np.triu(np.ones((6, 6), dtype=bool), 1)
    scene = Scene(Constraints.none(6), Constraints.none(6).allowed, 6)
    tried = []

    def counted(items, *more):
        tried.append(len(items))
        return eliminated(items, *more)

    monkeypatch.setattr(module, "eliminated", counted)
    monkeypatch.setattr(module, "AT_ONCE", 5)
    objective = Objective(SplineGain(scales_of(X)[0]), 6, 1.5)
    alternatives(graph, objective, scene)
    assert len(tried) > 2
    tried.clear()
    monkeypatch.setattr(within, "late", lambda _: bool(tried))
    alternatives(graph, objective, scene)
    assert len(tried) == 1


def test_after_the_deadline_only_the_first_alternatives_are_looked_at():
    X = np.random.default_rng(1002).normal(size=(100, 6))
    X[:, 1:] += X[:, :-1]
    graph = np.eye(6, k=1, dtype=bool)
    scene = Scene(Constraints.none(6), Constraints.none(6).allowed, 6)
    gain = SplineGain(scales_of(X)[0])
    found = alternatives(graph, Objective(gain, 6, 1.5), scene, deadline=0.0)
    after = len(gain.told)
    assert np.isfinite(found.joined.T[graph]).any()
    alternatives(graph, Objective(gain, 6, 1.5), scene)
    assert after < 0.6 * len(gain.told)


class Sparing(dict):
    """What is told of an item: nothing."""

    def __missing__(self, item):
        return Told(0.0)


def test_every_edge_of_a_dense_graph_is_turned():
    """Turning a long edge takes more nodes than a block holds; unturned, it would pass for settled by knowledge."""
    d = 12
    graph = np.triu(np.ones((d, d), dtype=bool), 1)

    def gain(items):
        return np.array([20.0 * len(parents) for _, parents in items])

    gain.told = Sparing()
    near = alternatives(
        graph, Objective(gain, d, 1.5), Scene(Constraints.none(d), Constraints.none(d).allowed, d)
    )
    assert set(near.turned) == set(map(tuple, np.argwhere(graph).tolist()))
