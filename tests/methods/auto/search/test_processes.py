"""The refinement by Gaussian processes: the loop of the first search, asked by another gain."""

import math

import numpy as np
import pytest

import dagscale
from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.processes import process_objective, raced, refine
from dagscale.methods.auto.search.proposers import Scene, single
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.gain import parents_item
from dagscale.models.gp import Evidence
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.joint_gain import JointGain
from dagscale.models.likelihood.spline_gain import SplineGain


@pytest.fixture(scope="module")
def dense():
    """A table of processes: six columns, 13 of 15 pairs are edges."""
    return dagscale.simulate("ER", nodes=6, edges_per_node=13 / 6, samples=400, random_state=1000)


@pytest.fixture(scope="module")
def waves():
    """Sums of slow and fast waves, whose length scales have nothing in common."""
    rng = np.random.default_rng(1001)
    X = rng.normal(size=(400, 6))
    truth = np.zeros((6, 6), dtype=bool)
    for j, speeds in ((3, (0.3, 4.0, 1.0)), (4, (5.0, 0.3, 1.0)), (5, (0.3, 1.5, 5.0))):
        X[:, j] = sum(np.sin(s * X[:, i] + 0.3) for i, s in enumerate(speeds)) + 0.2 * rng.normal(size=400)
        truth[:3, j] = True
    return X, truth


def product_table(n=300, seed=1000):
    """Column 0 is a product of three others: no one of them has any effect alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 0] = np.sign(X[:, 1] * X[:, 2]) * np.abs(X[:, 3]) + 0.1 * rng.normal(size=n)
    X[:, 5] = np.sin(2 * X[:, 4]) + 0.1 * rng.normal(size=n)
    return X


def refined(X, start, known=None, **options):
    known = Constraints.none(X.shape[1]) if known is None else known
    cheap = Objective(JointGain(SplineGain(scales_of(X)[0])), X.shape[1], 1.5)
    scene = Scene(known, known.allowed, 20)
    context = Context(known, n_jobs=options.pop("n_jobs", 1))
    return refine(Evidence(X, n_jobs=context.n_jobs, **options), start, scene, cheap, context)


def of_one_edge(d, i, j):
    graph = np.zeros((d, d), dtype=bool)
    graph[i, j] = True
    return graph


def test_scales_that_are_alike_are_learnt(dense):
    objective = process_objective(Evidence(dense.table.to_numpy(), n_jobs=1), dense.adjacency)
    mean, spread = objective.gain.evidence.prior.scale
    assert -0.5 < mean < 1.0  # length scale 1 on columns of variance 1 to 2
    assert spread < 0.8
    assert objective.gain.scale_cost == 0.0  # the prior pays for them


def test_scales_that_are_not_alike_and_noise_with_a_shape_are_left_alone(dense, waves):
    X, truth = waves
    objective = process_objective(Evidence(X, n_jobs=1), truth)
    assert objective.gain.evidence.prior is None
    assert objective.gain.scale_cost == pytest.approx(0.5 * math.log(400))
    shaped = Evidence(dense.table.to_numpy(), n_jobs=1, shaped=True)
    assert process_objective(shaped, dense.adjacency).gain.evidence.prior is None


def test_the_score_is_the_objective_of_the_first_search_with_another_gain(dense):
    X, truth = dense.table.to_numpy(), dense.adjacency
    evidence = Evidence(X, n_jobs=1)
    objective = process_objective(evidence, truth, learn=False)
    own = evidence([parents_item(truth, j) for j in range(6)]).sum()
    edges = int(truth.sum())
    # beyond half of the 15 pairs the choice costs no less
    expected = own - (0.5 * math.log(400) + SETTINGS.caution) * edges - math.log(math.comb(15, 7))
    assert objective.score(truth) == pytest.approx(expected)


def test_a_race_lets_the_best_by_the_first_likelihood_go_on():
    X = product_table()
    cheap = Objective(SplineGain(scales_of(X)[0]), 6, 1.5)
    known = Constraints.none(6)
    graph, scene = of_one_edge(6, 4, 5), Scene(known, known.allowed, 20)
    exact = process_objective(Evidence(X, n_jobs=1), graph, learn=False)
    going_on = list(raced(single, cheap)(graph, scene, exact))
    everything = list(single(graph, scene, exact))
    nats = dict(zip(map(str, everything), cheap.improvements(graph, everything), strict=True))
    assert len(going_on) == SETTINGS.raced * 6 < len(everything)
    assert min(nats[str(change)] for change in going_on) > -SETTINGS.hopeless
    left = [nats[str(change)] for change in everything if change not in going_on]
    assert min(nats[str(change)] for change in going_on) >= max(left)
    assert {5: ()} not in going_on  # to take out a strong edge is hopeless


def test_finds_parents_that_are_nothing_one_by_one():
    graph, objective = refined(product_table(), of_one_edge(6, 4, 5))
    assert np.flatnonzero(graph[:, 0]).tolist() == [1, 2, 3]
    assert graph[4, 5]
    assert graph.sum() == 4
    assert objective.score(graph) > objective.score(of_one_edge(6, 4, 5)) + 20


def test_never_loses_score_and_never_closes_a_cycle():
    rng, X = np.random.default_rng(0), product_table()
    for _ in range(3):
        start = np.triu(rng.random((6, 6)) < 0.3, 1)
        graph, objective = refined(X, start)
        topological_order(graph)  # refuses cycles
        assert objective.score(graph) >= objective.score(start)


def test_obeys_knowledge():
    names = list("abcdef")
    known = Knowledge(required=[("e", "a")], forbidden=[("b", "a")]).resolve(names)
    graph, _ = refined(product_table(), known.required.copy(), known)
    assert graph[4, 0]
    assert not graph[1, 0]


def test_noise_keeps_no_parents():
    X = np.random.default_rng(1001).normal(size=(300, 6))
    assert not refined(X, of_one_edge(6, 0, 1))[0].any()


def test_columns_in_another_order_and_other_units_give_the_same_graph():
    order = np.array([3, 0, 5, 1, 4, 2])
    X = product_table()
    there = X[:, order] * np.array([1e-3, 5.0, -2.0, 1e4, 1.0, -1.0])
    expected = refined(X, of_one_edge(6, 4, 5))[0]
    found = refined(there, of_one_edge(6, 4, 5)[np.ix_(order, order)], n_jobs=2)[0]
    assert np.array_equal(found, expected[np.ix_(order, order)])


def test_auto_says_that_it_learnt_the_scales_of_a_dense_table(dense):
    found = dagscale.discover(dense.table, n_jobs=1)
    assert "equally smooth" in " ".join(found.notes)
    assert dagscale.metrics.shd(dense.adjacency, found.adjacency) <= 2
