"""Climbing by additive fits: against fits by hand, and over columns, workers and knowledge."""

import time

import numpy as np
import pytest

import dagscale
from dagscale.graphs.metrics import shd
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.climb_additive import AdditiveEvidence, climb_additive
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.gain import parents_item
from dagscale.models.noise.negentropy import negentropy
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.strength import schwarz

pytestmark = pytest.mark.usefixtures("many_columns")


def lines(noise="laplace", d=8, seed=1000, edges=2):
    made = dagscale.simulate(
        "ER", d, edges, mechanism="sigmoid-additive", noise=noise, random_state=seed, standardize=True
    )
    return made.table.to_numpy(), made.adjacency.astype(bool)


def run(d, **options):
    return Context(Constraints.none(d), **options)


@pytest.mark.parametrize("shaped", [False, True])
def test_the_evidence_is_that_of_the_fit_and_its_residuals(shaped):
    X, truth = lines()
    table = SplineTable.of(X)
    child = int(np.argmax(truth.sum(axis=0)))
    item = parents_item(truth, child)
    fit = AdditiveFit.of(table, child, np.array(item[1]), "reml")
    nats = schwarz(fit)
    if shaped:
        nats += len(X) * (negentropy(fit.residuals) - negentropy(table.X[:, child]))
    evidence = AdditiveEvidence(table, shaped)
    assert evidence([item, (child, ()), item]) == pytest.approx([nats, 0.0, nats])


def test_many_rows_are_judged_by_some_of_them():
    X = np.random.default_rng(0).normal(size=(4000, 2))
    assert len(AdditiveEvidence(SplineTable.of(X), False).table.X) == 3000


@pytest.mark.parametrize("noise", ["laplace", "gumbel", "uniform"])
def test_the_shape_turns_the_edges_of_nearly_linear_effects(noise):
    X, truth = lines(noise)
    turned = climb_additive(SplineTable.of(X), truth.T, run(8), True)
    assert shd(truth, turned) <= 3 < shd(truth, truth.T)


def test_exchanges_direct_edges_by_their_curves_alone():
    X, truth = lines("gaussian", d=10)
    start = dagscale.discover(X, effort="quick").adjacency.astype(bool)
    better = climb_additive(SplineTable.of(X), start, run(10), False)
    assert shd(truth, better) <= 2 < 10 < shd(truth, start)  # 0 of 20 edges wrong instead of 14


def test_column_order_and_workers_change_nothing():
    X, truth = lines("gumbel")
    mixed = np.random.default_rng(0).permutation(8)
    once = climb_additive(SplineTable.of(X), truth.T, run(8, n_jobs=1), True)
    again = climb_additive(SplineTable.of(X[:, mixed]), truth.T[np.ix_(mixed, mixed)], run(8, n_jobs=2), True)
    assert np.array_equal(once[np.ix_(mixed, mixed)], again)


def test_knowledge_is_obeyed():
    X, truth = lines()
    i, j = np.argwhere(truth)[0]
    d = len(truth)
    required, before, allowed = np.zeros((d, d), bool), np.zeros((d, d), bool), ~np.eye(d, dtype=bool)
    required[j, i] = before[j, i] = True
    allowed[i, j] = False
    known = Constraints(allowed, required, before)
    turned = climb_additive(SplineTable.of(X), truth.T, Context(known), True)
    assert turned[j, i]
    assert not turned[i, j]


def test_without_edges_or_time_nothing_happens():
    X, truth = lines()
    empty = np.zeros_like(truth)
    assert not climb_additive(SplineTable.of(X), empty, run(8), True).any()
    late = run(8, deadline=time.monotonic() - 1)
    assert np.array_equal(climb_additive(SplineTable.of(X), truth.T, late, True), truth.T)


def test_a_constant_tells_and_is_told_nothing():
    X, truth = lines()
    X = X.copy()
    X[:, 2] = 3.0
    evidence = AdditiveEvidence(SplineTable.of(X), True)
    assert evidence([(2, (0, 1)), (0, (2,))]).tolist() == [0.0, 0.0]
    assert evidence([(0, (1, 2))])[0] == evidence([(0, (1,))])[0]
    assert not climb_additive(SplineTable.of(X), truth.T, run(8), True)[2].any()


def test_few_rows_bear_few_parents():
    X = np.random.default_rng(3).laplace(size=(12, 12))
    band = np.triu(np.ones((12, 12), bool), 1) & np.tril(np.ones((12, 12), bool), 4)
    turned = climb_additive(SplineTable.of(X), band, run(12), True)
    assert turned.sum(axis=0).max() <= 12 // 3  # 11 without a limit: they explain all of 12 rows


def test_very_many_columns_are_left_alone():
    graph = np.zeros((SETTINGS.climbed + 1, SETTINGS.climbed + 1), bool)
    graph[0, 1] = True
    assert climb_additive(None, graph, run(SETTINGS.climbed + 1), True) is graph


def test_a_spent_budget_ends_an_exchange_and_is_said():
    X, _ = lines(d=20, edges=4)
    began = time.monotonic()
    result = dagscale.discover(X, effort="quick", time_budget=0.05, n_jobs=1)
    assert time.monotonic() - began < 10
    assert "the time budget ended the search" in " ".join(result.notes)
