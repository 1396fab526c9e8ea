"""Kernels of usual scales: their evidence, and the sets of parents they align with."""

from itertools import combinations

import numpy as np
import pytest

from dagscale.evidence import Evidence, alignment
from dagscale.evidence.alignment import Alignment
from dagscale.evidence.prior import Prior

PRIOR = Prior(scale=(0.2, 0.3), joint=(0.3, 0.4))


def table(n=150, d=6, seed=1000):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] = np.sin(2.0 * X[:, 1]) * np.cos(2.0 * X[:, 2]) * X[:, 3] + 0.3 * rng.normal(size=n)
    return X


def aligned(X, prior=PRIOR, **settings):
    return Alignment(Evidence(X, n_jobs=1, **settings).columns, prior)


def slow_kernel(X, parents):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    apart = sum(((Z[:, None, i] - Z[None, :, i]) ** 2 for i in parents), np.zeros((len(X), len(X))))
    return np.exp(-0.5 * np.exp(PRIOR.scale[0]) * apart)


def slow_alignment(X, node, parents):
    """t(S), over all pairs of rows at once."""
    y = (X[:, node] - X[:, node].mean()) / X[:, node].std()
    n, E = len(y), slow_kernel(X, parents)
    above = np.triu_indices(n, 1)
    return ((np.outer(y, y) + 1.0 / (n - 1)) * E)[above].sum() / np.sqrt((E[above] ** 2).sum())


def test_evidence_is_that_of_a_process_with_these_parameters():
    X = table()
    evidence = Evidence(X, n_jobs=1, clip=np.inf)
    y, n = evidence.columns.values[0], len(X)
    H = np.eye(n) - 1.0 / n
    rows = np.argsort(np.random.default_rng(0).permutation(n))  # the columns' rows are shuffled
    sets = [(), (1,), (2, 4), (1, 2, 3), (1, 2, 3, 4, 5)]
    expected = []
    for parents in sets:
        E = slow_kernel(X, parents)
        K = np.eye(n) + np.exp(PRIOR.joint[0]) * H @ E @ H
        y = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
        size = y @ np.linalg.solve(K, y) / n
        expected.append(-0.5 * n * np.log(size) - 0.5 * np.linalg.slogdet(K)[1])
    assert len(rows) == n
    found = Alignment(evidence.columns, PRIOR).evidence(0, sets)
    np.testing.assert_allclose(found, expected, atol=2e-3)
    assert found[0] == pytest.approx(0.0, abs=1e-3)
    assert np.argmax(found) == 3


def test_sets_are_the_best_of_all_where_the_beam_holds_them_all():
    X = table()
    found = aligned(X, clip=np.inf).sets(0, [1, 2, 3, 4, 5])
    for size in (1, 2, 3):
        every = sorted(combinations(range(1, 6), size), key=lambda s: -slow_alignment(X, 0, s))
        assert [chosen for chosen in found if len(chosen) == size] == every[: alignment.BEST]
    strengths = [slow_alignment(X, 0, chosen) for chosen in found]
    assert strengths == sorted(strengths, reverse=True)


def test_additions_come_best_first_and_leave_out_the_parents():
    X = table()
    norms = {i: np.sqrt((slow_kernel(X, [i])[np.triu_indices(len(X), 1)] ** 2).sum()) for i in range(1, 6)}
    above = np.triu_indices(len(X), 1)

    def gain(i):
        y = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
        weights = np.outer(y, y) + 1.0 / (len(X) - 1)
        return (weights * slow_kernel(X, [1, i]))[above].sum() / norms[i]

    found = aligned(X, clip=np.inf).additions(0, (1,), [1, 2, 3, 4, 5])
    assert found == sorted([2, 3, 4, 5], key=lambda i: -gain(i))


def test_alignment_with_nothing_is_about_standard_normal():
    X = np.random.default_rng(1001).normal(size=(120, 9))
    values = np.array([slow_alignment(X, 0, s) for s in combinations(range(1, 9), 4)])
    more = [slow_alignment(X, j, tuple((j + k) % 9 for k in (1, 3, 4, 6))) for j in range(9)]
    values = np.concatenate([values, more])
    assert abs(values.mean()) < 0.5
    assert 0.5 < values.std() < 1.3
    assert np.abs(values).max() < 4.5


def test_permuted_columns_and_other_units_give_the_same_sets():
    X = table()
    places = np.array([3, 0, 5, 1, 4, 2])
    where = np.argsort(places)
    moved = X[:, places] * np.array([1e-3, 5.0, -2.0, 1e4, 1.0, -1.0])
    expected = aligned(X).sets(0, [1, 2, 3, 4, 5])
    found = aligned(moved).sets(int(where[0]), [int(where[i]) for i in (5, 3, 1, 2, 4)])
    assert [tuple(sorted(int(places[i]) for i in chosen)) for chosen in found] == expected


def test_torch_finds_the_same():
    pytest.importorskip("torch")
    here, there = aligned(table()), aligned(table(), device="torch")
    sets = here.sets(0, [1, 2, 3, 4, 5])
    assert there.sets(0, [1, 2, 3, 4, 5]) == sets
    np.testing.assert_allclose(there.evidence(0, sets), here.evidence(0, sets), atol=1e-2)
    assert there.additions(0, (2,), [1, 2, 3]) == here.additions(0, (2,), [1, 2, 3])


def test_many_columns_get_fewer_rows(monkeypatch):
    monkeypatch.setattr(alignment, "MEMORY", 1e5)
    found = aligned(table())
    assert found.n == 91
    assert found.kernels.nbytes <= 1e5
