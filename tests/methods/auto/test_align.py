"""Sets of many parents, found by the kernels of usual scales."""

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest

import dagscale
from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.auto import align, processes, searcher
from dagscale.methods.auto.align import Aligner, best_set
from dagscale.methods.auto.climb import climb
from dagscale.methods.auto.searcher import Searcher
from dagscale.methods.context import Context
from dagscale.models.gp import Evidence
from dagscale.models.gp.alignment import Alignment
from dagscale.models.gp.prior import Prior

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


def offered(graph, evidence, known, **settings):
    offers = Aligner(Alignment(evidence.columns, PRIOR), known, **settings)
    return offers(graph, range(len(graph)), PENALTY)


def test_finds_six_parents_that_climbing_does_not():
    X, truth = hidden_table(roots=8, seed=1004)
    evidence, nothing = Evidence(X, n_jobs=1), np.zeros_like(truth)
    climbed = climb(nothing, evidence, truth, PENALTY)
    assert not np.array_equal(climbed, truth)  # a trap, even with only true edges to add
    offers = offered(nothing, evidence, Constraints.none(9), n_jobs=1)
    assert offers[8] == (8, tuple(np.flatnonzero(truth[:, 8]).tolist()))


def test_knowledge_and_the_graphs_order_are_obeyed(hidden):
    evidence, truth = hidden
    parents = np.flatnonzero(truth[:, 9]).tolist()
    other = next(i for i in range(9) if i not in parents)
    names = list("abcdefghij")
    known = Knowledge(required=[(names[other], "j")], forbidden=[(names[parents[0]], "j")]).resolve(names)
    offer = dict(offered(known.required.copy(), evidence, known, n_jobs=1))[9]
    assert other in offer
    assert parents[0] not in offer
    graph = np.zeros_like(truth)
    graph[9, parents[1]] = True  # its child, wrongly: no candidate while it is one
    assert parents[1] not in dict(offered(graph, evidence, Constraints.none(10), n_jobs=1))[9]


def test_workers_change_nothing_and_progress_is_told(hidden):
    evidence, truth = hidden
    nothing, told = np.zeros_like(truth), []
    one = offered(nothing, evidence, Constraints.none(10), n_jobs=1)
    two = offered(nothing, evidence, Constraints.none(10), n_jobs=2, progress=lambda *what: told.append(what))
    assert one == two
    assert told[-1] == ("likeliest graph: interactions of parents", 10, 10)


def test_nodes_that_plainly_have_the_best_set_are_asked_again_only_if_something_is_new(monkeypatch):
    X, truth = hidden_table(parents=3, seed=1005)
    asked = []

    def counted(alignment, node, *task):
        asked.append(node)
        return best_set(alignment, node, *task)

    monkeypatch.setattr(align, "best_set", counted)
    offers = Aligner(Alignment(Evidence(X, n_jobs=1).columns, PRIOR), Constraints.none(10), n_jobs=1)
    graph, parents = np.zeros_like(truth), np.flatnonzero(truth[:, 9]).tolist()
    other = next(i for i in range(9) if i not in parents)
    graph[9, other] = True  # its child, wrongly
    assert dict(offers(graph, [3, 9], PENALTY)) == {3: (), 9: tuple(parents)}
    assert asked == [3, 9]
    graph[parents, 9] = True
    assert offers(graph, [3, 9], PENALTY) == [(3, ())]  # it has none: there may be some yet
    graph[9, other] = False  # may be a parent now
    assert dict(offers(graph, [9], PENALTY)) == {9: tuple(parents)}
    graph[parents[0], 9] = False  # it has lost one
    assert dict(offers(graph, [9], PENALTY)) == {9: tuple(parents)}
    graph[parents[0], 9] = True
    monkeypatch.setattr(align, "SETTINGS", replace(align.SETTINGS, plain=1e6))
    assert dict(offers(graph, [9], PENALTY)) == {9: tuple(parents)}
    assert asked == [3, 9, 3, 9, 9, 9]


def test_a_required_parent_makes_others_tell():
    """A product of two columns, neither of which tells anything alone."""
    rng = np.random.default_rng(1006)
    X = rng.normal(size=(300, 4))
    X[:, 3] = np.sign(X[:, 0]) * X[:, 1] + 0.2 * rng.normal(size=300)
    alignment = Alignment(Evidence(X, n_jobs=1).columns, PRIOR)
    assert best_set(alignment, 3, (0, 1, 2), (0,), PENALTY)[0] == (0, 1)


def test_noise_gets_no_parents():
    X = np.random.default_rng(1001).normal(size=(200, 8))
    alignment = Alignment(Evidence(X, n_jobs=1).columns, PRIOR)
    for j in range(8):
        others = tuple(i for i in range(8) if i != j)
        assert best_set(alignment, j, others, (), 2.0) == ((), pytest.approx(0.0, abs=1e-3))
    assert best_set(alignment, 0, (), (), 2.0) == ((), 0.0)
    assert best_set(alignment, 0, (1, 2), (2,), 2.0)[0] == (2,)


def test_a_constant_column_and_a_spent_budget_get_nothing(hidden):
    X, truth = hidden_table()
    X[:, 0] = 1.0
    alignment = Alignment(Evidence(X, n_jobs=1).columns, PRIOR)
    assert best_set(alignment, 0, tuple(range(1, 10)), (), PENALTY) == ((), 0.0)
    nothing = np.zeros_like(truth)
    assert offered(nothing, hidden[0], Constraints.none(10), out_of_time=lambda: True) == []
    looks = iter([False, False, True])  # one worker looks at the clock before every node
    two = offered(nothing, hidden[0], Constraints.none(10), n_jobs=1, out_of_time=lambda: next(looks))
    assert [j for j, _ in two] == [0, 1]


def test_columns_without_parents_are_offered_those_that_hide():
    """Two children show their two parents, which tell the scales; of a third none of six shows."""
    X, truth = hidden_table(n=400, roots=9, children=2, parents=2, noise=0.5, seed=1003)
    rng = np.random.default_rng(5)
    apart = ((X[:, None, 1:7] - X[None, :, 1:7]) ** 2).sum(axis=2)
    process = np.linalg.cholesky(np.exp(-0.5 * apart) + 1e-9 * np.eye(400)) @ rng.normal(size=400)
    X = np.column_stack([X, process + 0.5 * rng.normal(size=400)])
    graph = np.pad(truth, (0, 1))
    search = Searcher(Evidence(X, n_jobs=1), Context(Constraints.none(12), n_jobs=1))
    informed = search.informed(graph)
    found = informed.align_roots(graph)
    assert np.flatnonzero(found[:, 11]).tolist() == [1, 2, 3, 4, 5, 6]
    assert np.array_equal(found[:, 9:11], graph[:, 9:11])  # they have parents, and were not asked
    assert search.informed(np.zeros_like(graph)) is None  # no edge tells of scales
    spent = Searcher(informed.evidence, Context(Constraints.none(12), n_jobs=1, deadline=0.0))
    assert np.array_equal(spent.align_roots(graph), graph)


def test_kernels_are_let_go_of(hidden, monkeypatch):
    """They may take a gigabyte, and `auto` keeps a search while it makes the next."""
    made = []

    def watched(*arguments):
        alignment = Alignment(*arguments)
        made.append(weakref.ref(alignment))
        return alignment

    monkeypatch.setattr(searcher, "Alignment", watched)
    search, truth = informed_search(hidden)
    search.align(np.zeros_like(truth))
    gc.collect()
    assert len(made) == 1
    assert made[0]() is None


def informed_search(hidden):
    evidence, truth = hidden
    return Searcher(evidence._changed("prior", prior=PRIOR), Context(Constraints.none(10), n_jobs=1)), truth


@pytest.mark.parametrize("changes", [True, False])
def test_scales_are_learnt_again_only_from_another_graph(hidden, monkeypatch, changes):
    search, truth = informed_search(hidden)
    learnt = []
    monkeypatch.setattr(Searcher, "informed", lambda self, graph: learnt.append(graph.copy()))
    told_by = np.zeros_like(truth) if changes else truth
    _, found, _ = processes._aligned(search, search, told_by, truth, np.zeros_like(truth))
    assert np.array_equal(found, truth)
    assert len(learnt) == changes


def test_auto_finds_sets_that_hide_in_a_dense_graph():
    X, truth = hidden_table(n=200, roots=8, children=5, parents=4, noise=0.3, seed=1002)
    found = dagscale.discover(X, n_jobs=2)
    topological_order(found.adjacency)
    assert "equally smooth" in " ".join(found.notes)
    assert dagscale.metrics.shd(truth, found.adjacency) <= 3
