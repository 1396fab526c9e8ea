"""What the search learns from a table: its length scales, and whether a sparse graph hides a dense one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscale
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.penalty import choice_cost, log_odds
from dagscale.methods.auto.searcher import Searcher
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.gp import Evidence


def searcher(X, **settings):
    return Searcher(Evidence(X, n_jobs=1, **settings), Context(Constraints.none(X.shape[1]), n_jobs=1))


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


def test_scales_that_are_alike_are_learnt(dense):
    search = searcher(dense.table.to_numpy())
    informed = search.informed(dense.adjacency)
    mean, spread = informed.evidence.prior.scale
    assert -0.5 < mean < 1.0  # length scale 1 on columns of variance 1 to 2
    assert spread < 0.8
    assert informed.penalty(dense.adjacency) == SETTINGS.caution  # the odds are for one more edge
    assert search.penalty(dense.adjacency) > 1.0


def test_scales_that_are_not_alike_are_left_alone(waves):
    X, truth = waves
    assert searcher(X).informed(truth) is None


def test_evidence_of_more_than_processes_is_left_alone(dense):
    X = dense.table.to_numpy()
    assert searcher(X, shaped=True).informed(dense.adjacency) is None
    search = searcher(X)
    search.evidence = search.evidence.with_splines()
    assert search.informed(dense.adjacency) is None


@given(d=st.integers(2, 30), share=st.floats(0, 1))
@settings(deadline=None, max_examples=60, derandomize=True)
def test_choosing_costs_the_logarithm_of_the_choices(d, share):
    pairs = d * (d - 1) // 2
    edges = round(share * pairs)
    graph = np.zeros((d, d), dtype=bool)
    graph[np.triu_indices(d, 1)] = np.arange(pairs) < edges
    assert choice_cost(graph) == pytest.approx(math.log(math.comb(pairs, edges)), abs=1e-9 * (1 + pairs))
    assert (log_odds(graph) > 0) == (2 * (edges + 1) < pairs + 2)


def test_scores_compare_graphs_of_unlike_density(dense):
    """A penalty learnt from the sparser of two graphs holds against the denser one what it should not."""
    X, truth = dense.table.to_numpy(), dense.adjacency
    sparse = truth.copy()
    sparse[:, np.argmax(truth.sum(axis=0))] = False
    search = searcher(X)
    assert search.score(truth) > search.score(sparse)
    own = search.evidence([(j, tuple(np.flatnonzero(truth[:, j]))) for j in range(6)]).sum()
    expected = own - 0.5 * math.log(400) * truth.sum() - math.log(math.comb(15, int(truth.sum())))
    assert search.score(truth) == pytest.approx(expected)


def test_auto_says_that_it_learnt_the_scales_of_a_dense_table_and_not_of_a_sparse_one(dense):
    learnt = "equally smooth"
    found = dagscale.discover(dense.table, n_jobs=1)
    assert learnt in " ".join(found.notes)
    assert dagscale.metrics.shd(dense.adjacency, found.adjacency) <= 2
    sparse = dagscale.simulate("ER", nodes=6, edges_per_node=0.7, samples=300, random_state=1000)
    assert learnt not in " ".join(dagscale.discover(sparse.table, n_jobs=1).notes)
