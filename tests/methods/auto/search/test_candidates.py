"""Wide tables: which pairs are looked at, and that the same search serves them."""

from dataclasses import replace

import numpy as np
import pytest

import dagscale
from dagscale.graphs.metrics import shd
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.search import candidates
from dagscale.methods.auto.search.candidates import candidate_pairs, interacting_pairs
from dagscale.methods.auto.search.loop import greedy
from dagscale.methods.auto.search.objective import Objective, item_of
from dagscale.methods.auto.search.proposers import Scene
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.likelihood import spline_gain
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.joint_gain import JointGain
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.models.splines import SplineTable


@pytest.fixture(scope="module")
def wide():
    return dagscale.simulate(nodes=80, samples=500, standardize=True, random_state=1000)


def test_few_columns_look_at_every_pair_and_many_at_those_that_tell_something(wide, monkeypatch):
    X, context = wide.table.to_numpy(), Context(Constraints.none(80))
    pairs = candidate_pairs(X, context, SETTINGS.likelihood)
    assert np.array_equal(pairs, pairs.T)
    assert pairs.sum() < 80 * 79 / 3
    assert (pairs & wide.adjacency).sum() > 0.8 * wide.adjacency.sum()
    monkeypatch.setattr(candidates, "SETTINGS", replace(SETTINGS, narrow_table=80))
    assert np.array_equal(candidate_pairs(X, context, SETTINGS.likelihood), ~np.eye(80, dtype=bool))


def test_what_is_known_rules_the_candidates(wide):
    none = Constraints.none(80)
    required, allowed = none.required.copy(), none.allowed.copy()
    required[3, 7], allowed[7, 3], allowed[5] = True, False, False
    context = Context(Constraints(allowed, required, required))
    pairs = candidate_pairs(wide.table.to_numpy(), context, SETTINGS.likelihood)
    assert pairs[3, 7]
    assert not pairs[7, 3]
    assert not pairs[5].any()


def test_a_column_that_acts_through_a_parent_is_offered():
    rng = np.random.default_rng(1000)
    X = rng.normal(size=(600, 12))
    X[:, 0] = X[:, 1] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=600)
    graph = np.zeros((12, 12), dtype=bool)
    graph[1, 0] = True
    offered = interacting_pairs(SplineTable.of(X), graph, Context(Constraints.none(12)))
    assert offered[2, 0]
    assert offered[0, 2]
    assert not (offered & graph).any()


@pytest.mark.parametrize("joint", [False, True])
def test_nats_are_the_same_with_and_without_a_gram_matrix_of_all_columns(wide, monkeypatch, joint):
    scale = scales_of(wide.table.to_numpy()[:, :10])[0]
    items = [(0, (1,)), (2, (3, 4)), (5, (1, 6, 7)), (8, (0, 9))]

    def nats(n_jobs):
        gain = SplineGain(scale, True, n_jobs=n_jobs)
        return (JointGain(gain, 1.0) if joint else gain)(items)

    kept = nats(1)
    monkeypatch.setattr(spline_gain, "GRAM", 0)
    assert nats(1) == pytest.approx(kept, abs=1e-6)
    assert np.array_equal(nats(2), nats(1))


def slow_greedy(objective, scene):
    """The same search with all numbers taken anew at every step."""
    graph, d = scene.known.required.copy(), objective.d
    while True:
        reach = np.linalg.matrix_power(np.eye(d) + (graph | scene.known.before), d) > 0
        edges = np.argwhere(scene.mask & ~graph & ~reach.T).tolist()
        if not edges:
            return graph
        new = [(j, tuple(sorted((*item_of(graph, j)[1], i)))) for i, j in edges]
        more = objective.gain(new) - objective.gain([item_of(graph, j) for _, j in edges])
        best = int(np.argmax(more))
        if more[best] <= objective.price(int(graph.sum())) + 0.1:
            return graph
        graph[tuple(edges[best])] = True


@pytest.mark.parametrize("seed", [1000, 1001, 1002])
def test_the_queue_of_the_greedy_search_changes_nothing(seed):
    made = dagscale.simulate(
        nodes=12, edges_per_node=2, samples=300, mechanism="gp-additive", standardize=True, random_state=seed
    )
    known = Constraints.none(12)
    objective = Objective(SplineGain(scales_of(made.table.to_numpy())[0]), 12, 1.5)
    scene = Scene(known, known.allowed, 20)
    assert np.array_equal(greedy(objective, scene), slow_greedy(objective, scene))


def test_a_wide_table_gets_probabilities_and_supported_directions(wide):
    found = dagscale.discover(wide.table, effort="quick", n_jobs=2)
    assert shd(wide.adjacency, found.adjacency) <= 0.25 * wide.adjacency.sum()
    claimed = found.adjacency & ~found.either_way
    assert claimed.sum() > 0.6 * wide.adjacency.sum()
    assert (claimed & wide.adjacency).sum() > 0.9 * claimed.sum()
    pair = found.probabilities + found.probabilities.T
    assert pair.max() <= 1 + 1e-12
    assert (pair[found.adjacency] >= 0.5).all()


def test_a_wide_table_of_several_kinds_goes_the_same_way():
    made = dagscale.simulate(nodes=70, samples=300, discrete=0.3, standardize=True, random_state=1000)
    found = dagscale.discover(made.table, effort="quick", kinds=made.kinds)
    links = made.adjacency | made.adjacency.T
    assert (found.adjacency & links).sum() > 0.8 * found.adjacency.sum()
    assert found.probabilities is not None


def test_very_many_columns_are_not_judged_and_it_is_said(wide, monkeypatch):
    from dagscale.methods.auto import method

    monkeypatch.setattr(method, "SETTINGS", replace(method.SETTINGS, judged=79))
    found = dagscale.discover(wide.table, effort="quick")
    assert any("neither probabilities" in note for note in found.notes)
    assert found.adjacency.any()
