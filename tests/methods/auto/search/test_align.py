"""Sets of many parents, found by the kernels of usual scales."""

import numpy as np
import pytest

import dagscale
from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.auto.search import align
from dagscale.methods.auto.search.align import Aligner, best_set
from dagscale.methods.auto.search.loop import climb
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.processes import ProcessGain
from dagscale.methods.auto.search.proposers import Scene, single
from dagscale.models.gp import Evidence
from dagscale.models.gp.alignment import Alignment
from dagscale.models.gp.prior import Prior
from dagscale.runtime.clock import BudgetSpent

PENALTY = 1.0
PRIOR = Prior(scale=(0.0, 0.3), joint=(0.0, 0.3))


def hidden_table(n=300, roots=9, children=1, parents=6, noise=0.5, seed=1000):
    """Columns of noise, and children that are each a Gaussian process of some of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, roots + children))
    truth = np.zeros((roots + children, roots + children), dtype=bool)
    for j in range(roots, roots + children):
        chosen = rng.choice(roots, parents, replace=False)
        truth[chosen, j] = True
        apart = ((X[:, None, chosen] - X[None, :, chosen]) ** 2).sum(axis=2)
        process = np.linalg.cholesky(np.exp(-0.5 * apart) + 1e-9 * np.eye(n)) @ rng.normal(size=n)
        X[:, j] = process + noise * rng.normal(size=n)
    return X, truth


@pytest.fixture(scope="module")
def hidden():
    X, truth = hidden_table()
    return Evidence(X, n_jobs=1), truth


def scene_of(known):
    return Scene(known, known.allowed, 20)


def offered(graph, evidence, known, **settings):
    aligner = Aligner(Alignment(evidence.columns, PRIOR), **settings)
    return dict(aligner.offers(graph, scene_of(known), PENALTY))


def test_finds_six_parents_that_climbing_does_not():
    X, truth = hidden_table(roots=8, seed=1004)
    evidence, nothing, free = Evidence(X, n_jobs=1), np.zeros_like(truth), Constraints.none(9)
    objective = Objective(ProcessGain(evidence.given_prior(PRIOR)), 9, PENALTY)
    only_true = Scene(free, truth, 20)
    climbed = climb(nothing, objective, only_true, (single,))
    assert not np.array_equal(climbed, truth)  # a trap, even with only true edges to add
    aligner = Aligner(Alignment(evidence.columns, PRIOR), n_jobs=1)
    (change,) = aligner(nothing, scene_of(free), objective)
    assert set(change) == {8}
    assert len(set(change[8]) & set(np.flatnonzero(truth[:, 8]))) >= 5
    assert np.array_equal(climb(nothing, objective, scene_of(free), (single, aligner)), truth)


def test_knowledge_and_the_graphs_order_are_obeyed(hidden):
    evidence, truth = hidden
    parents = np.flatnonzero(truth[:, 9]).tolist()
    names = list("abcdefghij")
    known = Knowledge(forbidden=[(names[parents[0]], "j")]).resolve(names)
    assert parents[0] not in offered(np.zeros_like(truth), evidence, known, n_jobs=1).get(9, ())
    graph = np.zeros_like(truth)
    graph[9, parents[1]] = True  # its child, wrongly: no candidate while it is one
    assert parents[1] not in offered(graph, evidence, Constraints.none(10), n_jobs=1).get(9, ())


def test_offers_that_close_a_cycle_are_left_out():
    """Two columns that are copies but for noise would each be the other's best parent."""
    rng = np.random.default_rng(1008)
    x = rng.normal(size=200)
    X = np.column_stack([x, np.sin(2 * x) + 0.1 * rng.normal(size=200)])
    evidence = Evidence(X, n_jobs=1)
    objective = Objective(ProcessGain(evidence.given_prior(PRIOR)), 2, PENALTY)
    aligner = Aligner(Alignment(evidence.columns, PRIOR), n_jobs=1)
    (change,) = aligner(np.zeros((2, 2), dtype=bool), scene_of(Constraints.none(2)), objective)
    assert change == {1: (0,)}


def test_workers_change_nothing_and_progress_is_told(hidden):
    evidence, truth = hidden
    nothing, told = np.zeros_like(truth), []
    one = offered(nothing, evidence, Constraints.none(10), n_jobs=1)
    two = offered(nothing, evidence, Constraints.none(10), n_jobs=2, progress=lambda *what: told.append(what))
    assert one == two
    assert told[-1] == ("likeliest graph: interactions of parents", 10, 10)


def test_nodes_are_asked_again_only_if_a_candidate_is_new_or_a_parent_gone(monkeypatch):
    X, truth = hidden_table(parents=3, seed=1005)
    asked = []

    def counted(alignment, node, *task):
        asked.append(node)
        return best_set(alignment, node, *task)

    monkeypatch.setattr(align, "best_set", counted)
    monkeypatch.setattr(align, "is_dense", lambda graph: True)  # all nodes are asked
    aligner = Aligner(Alignment(Evidence(X, n_jobs=1).columns, PRIOR), n_jobs=1)
    graph, parents = np.zeros_like(truth), np.flatnonzero(truth[:, 9]).tolist()
    other = next(i for i in range(9) if i not in parents)
    graph[9, other] = True  # its child, wrongly
    scene = scene_of(Constraints.none(10))
    assert dict(aligner.offers(graph, scene, PENALTY))[9] == tuple(parents)
    assert asked == list(range(10))
    aligner.offers(graph, scene, PENALTY)
    assert len(asked) == 10  # all offers stand
    graph[9, other] = False  # may be a parent now; 9 may be one of the others, too
    aligner.offers(graph, scene, PENALTY)
    assert asked[10:] == [9]
    graph[9, parents[0]] = True  # a parent of its offer is its child now
    aligner.offers(graph, scene, PENALTY)
    assert 9 in asked[11:]


def test_in_a_sparse_graph_only_columns_without_parents_are_asked(hidden):
    evidence, truth = hidden
    graph = np.zeros_like(truth)
    graph[0, 1] = True
    aligner = Aligner(Alignment(evidence.columns, PRIOR), n_jobs=1)
    aligner.offers(graph, scene_of(Constraints.none(10)), PENALTY)
    assert sorted(aligner.made) == [j for j in range(10) if j != 1]


def test_a_required_parent_makes_others_tell():
    """A product of two columns, neither of which tells anything alone."""
    rng = np.random.default_rng(1006)
    X = rng.normal(size=(300, 4))
    X[:, 3] = np.sign(X[:, 0]) * X[:, 1] + 0.2 * rng.normal(size=300)
    alignment = Alignment(Evidence(X, n_jobs=1).columns, PRIOR)
    assert best_set(alignment, 3, (0, 1, 2), (0,), PENALTY) == (0, 1)


def test_noise_gets_no_parents():
    X = np.random.default_rng(1001).normal(size=(200, 8))
    alignment = Alignment(Evidence(X, n_jobs=1).columns, PRIOR)
    for j in range(8):
        others = tuple(i for i in range(8) if i != j)
        assert best_set(alignment, j, others, (), 2.0) == ()
    assert best_set(alignment, 0, (), (), 2.0) == ()
    assert best_set(alignment, 0, (1, 2), (2,), 2.0) == (2,)


def test_a_constant_column_gets_nothing_and_a_spent_budget_ends_the_work(hidden, monkeypatch):
    X, truth = hidden_table()
    X[:, 0] = 1.0
    alignment = Alignment(Evidence(X, n_jobs=1).columns, PRIOR)
    assert best_set(alignment, 0, tuple(range(1, 10)), (), PENALTY) == ()
    looks = iter([False, False, True])  # one worker looks at the clock before every node
    monkeypatch.setattr(align, "late", lambda deadline: next(looks))
    aligner = Aligner(Alignment(hidden[0].columns, PRIOR), n_jobs=1)
    with pytest.raises(BudgetSpent):
        aligner.offers(np.zeros_like(truth), scene_of(Constraints.none(10)), PENALTY)
    assert sorted(aligner.made) == [0, 1]


def test_auto_finds_sets_that_hide_in_a_dense_graph():
    X, truth = hidden_table(n=200, roots=8, children=5, parents=4, noise=0.3, seed=1002)
    found = dagscale.discover(X, n_jobs=2)
    topological_order(found.adjacency)
    assert "equally smooth" in " ".join(found.notes)
    assert dagscale.metrics.shd(truth, found.adjacency) <= 3
