"""CAM's greedy search: against a slow version of itself, on known graphs, under knowledge; invariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscale
from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.forward import Blocks, Forward
from dagscale.runtime.resume import Memory
from dagscale.stages.ordering import greedy, shortlist
from dagscale.stages.ordering.greedy import greedy_order
from stress.tables import clusters


def sample(d=7, edges=8, n=300, seed=0):
    """A random additive model over a shuffled order; returns X and its graph."""
    rng = np.random.default_rng(seed)
    places = rng.permutation(d)
    pairs = np.argwhere(np.triu(np.ones((d, d)), 1))
    A = np.zeros((d, d), dtype=bool)
    X = np.zeros((n, d))
    for i, j in pairs[rng.choice(len(pairs), edges, replace=False)]:
        A[places[i], places[j]] = True
    for j in places:
        X[:, j] = rng.standard_normal(n)
        for i in np.flatnonzero(A[:, j]):
            z = X[:, i] / X[:, i].std()
            X[:, j] += rng.choice([-1.5, 1.5]) * (np.sin(2 * z) if rng.random() < 0.5 else np.cos(2 * z))
    return X, A


def reaches(A, start, end):
    return start == end or any(reaches(A, k, end) for k in np.flatnonzero(A[start]))


def slow_search(X, least_gain=2.0, max_parents=20):
    """The same search with every gain computed from scratch, every step, and cycles looked for by walking."""
    n, d = X.shape
    table = SplineTable.of(X)
    blocks = Blocks.of(table)
    parents = [[] for _ in range(d)]
    A = np.zeros((d, d), dtype=bool)
    while True:
        best = (least_gain * np.log(d) / n, None)
        for j in range(d):
            others = np.array([i for i in range(d) if i != j])
            node = Forward(blocks, j, others)
            for i in parents[j]:
                node.add(i)
            for i, gain in zip(others, node.gains(), strict=True):
                if gain > best[0] and not A[i, j] and not reaches(A, j, i) and len(parents[j]) < max_parents:
                    best = (gain, (i, j))
        if best[1] is None:
            return A
        A[best[1]] = True
        parents[best[1][1]].append(best[1][0])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", [{}, {"least_gain": 0.0, "max_parents": 2}])
def test_search_is_the_slow_search(seed, options):
    X, _ = sample(d=5, edges=5, n=200, seed=seed)
    np.testing.assert_array_equal(greedy_order(X, **options)[1], slow_search(X, **options))


@pytest.mark.parametrize("seed", range(4))
def test_finds_sparse_additive_graphs(seed):
    X, A = sample(n=800, seed=seed)
    order, found, gains = greedy_order(X)
    assert (found ^ A).sum() <= 2
    place = np.argsort(order)
    i, j = np.nonzero(A)
    assert (place[i] > place[j]).sum() <= 1
    assert (gains[found] > 0).all()
    assert np.isnan(gains.diagonal()).all()


def test_first_gain_is_half_the_fall_of_log_gcv():
    """On two columns the gain of 0 -> 1 is that of the best smooth fit, up to the grid of lambda."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2))
    X[:, 1] += np.sin(2 * X[:, 0])
    fit = AdditiveFit.of(SplineTable.of(X), 1, [0])
    n, total = 400, X[:, 1].var() * 400
    expected = 0.5 * np.log(total / fit.deviance) + np.log((n - fit.solution.trace) / (n - 1))
    _, found, gains = greedy_order(X)
    assert found[0, 1]
    assert gains[0, 1] == pytest.approx(expected, rel=1e-2)


def test_mask_and_max_parents_are_obeyed():
    X, _ = sample(d=8, edges=16, seed=5)
    mask = np.random.default_rng(0).random((8, 8)) < 0.5
    _, found, gains = greedy_order(X, mask, max_parents=1, least_gain=0.0)
    assert not (found & ~mask).any()
    assert (found.sum(axis=0) <= 1).all()
    np.testing.assert_array_equal(np.isfinite(gains), mask & ~np.eye(8, dtype=bool))


def knowledge(d, rng):
    """Random constraints that a random order satisfies."""
    place = rng.permutation(d)
    forward = place[:, None] < place
    required = forward & (rng.random((d, d)) < 0.15)
    before = required | (forward & (rng.random((d, d)) < 0.15))
    for k in range(d):
        before |= np.outer(before[:, k], before[k])
    allowed = ~np.eye(d, dtype=bool) & ~before.T & ((rng.random((d, d)) < 0.7) | required)
    return Constraints(allowed, required, before)


@settings(deadline=None, max_examples=15, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_knowledge_is_honoured(seed):
    X, _ = sample(d=7, n=80, seed=seed)
    known = knowledge(7, np.random.default_rng(seed))
    order, found, _ = greedy_order(X, None, known, max_parents=3, least_gain=0.5)
    assert sorted(order) == list(range(7))
    assert (found | ~known.required).all()
    assert not (found & ~known.allowed).any()
    place = np.argsort(order)
    for relation in (found, known.before):
        i, j = np.nonzero(relation)
        assert (place[i] < place[j]).all()
    topological_order(found)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=st.integers(0, 1000))
def test_units_and_column_order_do_not_matter(seed):
    X, _ = sample(n=150, seed=seed)
    rng = np.random.default_rng(seed)
    places = rng.permutation(7)
    scales = np.exp(rng.uniform(-6, 6, 7)) * rng.choice([-1, 1], 7)
    order, found, gains = greedy_order(X, least_gain=0.5)
    moved_order, moved, moved_gains = greedy_order((X * scales)[:, places], least_gain=0.5)
    np.testing.assert_array_equal(moved, found[np.ix_(places, places)])
    np.testing.assert_allclose(moved_gains, gains[np.ix_(places, places)], atol=1e-5)
    np.testing.assert_array_equal(places[moved_order], order)


def test_constant_copied_and_binary_columns():
    X, _ = sample(n=200)
    X[:, 0], X[:, 1], X[:, 2] = 1.0, X[:, 3], np.random.default_rng(0).integers(0, 2, 200)
    order, found, gains = greedy_order(X, least_gain=0.0)
    assert sorted(order) == list(range(7))
    assert not found[0].any()
    assert not found[:, 0].any()
    assert np.isfinite(gains[~np.eye(7, dtype=bool)]).all()


@pytest.mark.parametrize("n", [4, 10, 30])
def test_few_rows_do_not_fill_the_graph(n):
    X = np.random.default_rng(n).standard_normal((n, 6))
    order, found, _ = greedy_order(X)
    assert sorted(order) == list(range(6))
    assert found.sum() <= 3


def test_one_column():
    order, found, _ = greedy_order(np.random.default_rng(0).standard_normal((20, 1)))
    assert order.tolist() == [0]
    assert not found.any()


@pytest.mark.parametrize("seed", range(3))
def test_looking_ahead_changes_nothing(seed, monkeypatch):
    X, _ = sample(d=12, edges=30, n=150, seed=seed)
    together = greedy_order(X, least_gain=0.5)
    monkeypatch.setattr(greedy, "AHEAD", 1)
    one_by_one = greedy_order(X, least_gain=0.5)
    for ours, theirs in zip(together, one_by_one, strict=True):
        np.testing.assert_array_equal(ours, theirs)


class Stopped(Exception):
    """The machine went away."""


class Kept(dict):
    """A log in memory that ends the run once it holds so many pieces."""

    most = 10**9

    def recall(self, key):
        return self[key]

    def keep(self, key, piece):
        self[key] = piece
        if len(self) >= self.most:
            raise Stopped


@pytest.mark.parametrize("lists", [False, True])
def test_stopped_anywhere_and_run_again_the_search_goes_on_to_the_same_end(lists, monkeypatch):
    monkeypatch.setattr(greedy, "PART", 3)
    if lists:
        monkeypatch.setattr(greedy, "ALL_PAIRS", 0)
        monkeypatch.setattr(greedy, "LISTED", 3)
        monkeypatch.setattr(shortlist, "CELLS", 600)
    X, _ = sample(d=12, edges=24, n=150)
    undisturbed = greedy_order(X, least_gain=0.5)
    whole = Kept()
    greedy_order(X, least_gain=0.5, memory=Memory(whole))
    assert len(whole) > 6
    for pieces in range(1, len(whole) + 1):
        log = Kept()
        log.most = pieces
        with pytest.raises(Stopped):
            greedy_order(X, least_gain=0.5, memory=Memory(log))
        log.most = 10**9
        again = greedy_order(X, least_gain=0.5, memory=Memory(log))
        assert len(log) == len(whole)
        for ours, theirs in zip(again, undisturbed, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_rows_in_a_few_tight_clusters_are_ordered():
    """Few distinct rows: what a candidate adds to the chosen parents is rounding alone."""
    table = clusters(np.random.default_rng([30, 8]))
    assert sorted(dagscale.discover(table, "cam", n_jobs=1).order) == sorted(table.columns)
