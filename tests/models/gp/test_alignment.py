"""Kernels of usual scales: their evidence, and the sets of parents they align with."""

from itertools import combinations

import numpy as np
import pytest

from dagscale.models.gp import Evidence, alignment
from dagscale.models.gp.alignment import Alignment
from dagscale.models.gp.prior import Prior

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
    n = len(X)
    H = np.eye(n) - 1.0 / n
    sets = [(), (1,), (2, 4), (1, 2, 3), (1, 2, 3, 4, 5)]
    expected = []
    for parents in sets:
        E = slow_kernel(X, parents)
        K = np.eye(n) + np.exp(PRIOR.joint[0]) * H @ E @ H
        y = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
        size = y @ np.linalg.solve(K, y) / n
        expected.append(-0.5 * n * np.log(size) - 0.5 * np.linalg.slogdet(K)[1])
    found = Alignment(evidence.columns, PRIOR).evidence(0, sets)
    np.testing.assert_allclose(found, expected, atol=2e-3)
    assert found[0] == pytest.approx(0.0, abs=1e-3)
    assert np.argmax(found) == 3


def test_sets_are_the_best_of_all_where_the_beam_holds_them_all():
    X = table()
    found = aligned(X, clip=np.inf).sets(0, [1, 2, 3, 4, 5])
    strengths = [slow_alignment(X, 0, chosen) for chosen in found]
    assert strengths == sorted(strengths, reverse=True)
    assert {len(chosen) for chosen in found} == {3, 4, 5}  # smaller ones lack too much
    for size in range(1, 6):
        every = sorted(combinations(range(1, 6), size), key=lambda s: -slow_alignment(X, 0, s))
        likely = [s for s in every if slow_alignment(X, 0, s) > alignment.FADED * strengths[0]]
        assert [chosen for chosen in found if len(chosen) == size] == likely[: alignment.BEST]


@pytest.mark.parametrize("joint", [-1.0, np.log(0.99 * alignment.SINGLE)])
def test_single_precision_is_precise_enough(monkeypatch, joint):
    X = np.random.default_rng(1004).normal(size=(600, 7))
    X[:, 0] = np.sin(2.0 * X[:, 1]) * X[:, 2] + 0.1 * X[:, 0]
    prior = Prior(scale=(-2.0, 0.3), joint=(joint, 0.3))
    sets = [(1,), (1, 2), (3, 4), (1, 2, 3, 4, 5, 6)]
    single = aligned(X, prior).evidence(0, sets)
    monkeypatch.setattr(alignment, "SINGLE", 0.0)
    np.testing.assert_allclose(single, aligned(X, prior).evidence(0, sets), atol=0.02)


def test_a_node_that_nothing_aligns_with_has_no_sets():
    seen = set()
    for seed in range(8):
        X = np.random.default_rng(seed).normal(size=(60, 3))
        found = aligned(X, clip=np.inf)
        for j in range(3):
            sets = [(i,) for i in range(3) if i != j] + [tuple(i for i in range(3) if i != j)]
            aligns = max(slow_alignment(X, j, chosen) for chosen in sets) > 0.0
            assert bool(found.sets(j, [i for i in range(3) if i != j])) == aligns
            seen.add(aligns)
    assert seen == {True, False}
    assert found.sets(0, []) == []


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


@pytest.mark.parametrize("rows", [120, 240])
def test_alignment_with_nothing_is_about_standard_normal(monkeypatch, rows):
    """Also where the kernels see only some of the rows that columns were standardised on."""
    monkeypatch.setattr(alignment, "ROWS", 120)
    found = aligned(np.random.default_rng(1001).normal(size=(rows, 16)))
    values = []
    for j in range(16):
        for step in range(1, 6):
            product = found._product(tuple((j + step * k) % 16 for k in range(1, 4)))
            values.append(float(product @ found._weights(j)) / np.sqrt(float(product @ product)))
    assert abs(np.mean(values)) < 0.25
    assert 0.5 < np.std(values) < 1.1
    assert np.abs(values).max() < 4.0


def test_hardly_any_noise_is_no_failure():
    """Kernels eight thousand times the noise are beyond single precision."""
    rng = np.random.default_rng(1002)
    X = rng.normal(size=(500, 5))
    X[:, 4] = np.sin(2.0 * X[:, 0]) * np.cos(X[:, 1]) + 1e-3 * rng.normal(size=500)
    found = aligned(X, Prior(scale=(-1.0, 0.3), joint=(9.0, 0.3)))
    values = found.evidence(4, [(0,), (0, 1), (0, 1, 2), (0, 1, 2, 3)])
    assert np.isfinite(values).all()
    assert np.argmax(values) == 1


def test_short_length_scales_leave_nothing_of_large_sets():
    X = np.random.default_rng(1003).normal(size=(60, 14))
    found = aligned(X, Prior(scale=(4.0, 0.3), joint=(0.0, 0.3)))
    sets = found.sets(0, list(range(1, 14)))
    assert sets
    assert np.isfinite(found.evidence(0, sets)).all()


def test_a_column_that_is_nearly_constant_on_the_rows_in_use(monkeypatch):
    monkeypatch.setattr(alignment, "ROWS", 100)
    for seed in range(6):
        X = np.random.default_rng(seed).normal(size=(800, 4))
        X[:, 0] = 0.0
        X[:2, 0] = 1.0  # two rows of 800: in the hundred, or not
        found = aligned(X)
        assert np.isfinite(found.evidence(1, [(0, 2), (2, 3)])).all()
        assert found.constant[0] or np.isfinite(found.evidence(0, [(1,), (1, 2)])).all()


def test_sets_of_many_columns_are_grown_from_those_that_align_alone(monkeypatch):
    X = np.hstack([table(n=300), np.random.default_rng(7).normal(size=(300, 14))])
    everything = aligned(X).sets(0, list(range(1, 20)))
    monkeypatch.setattr(alignment, "NEAR", 8)
    some = aligned(X).sets(0, list(range(1, 20)))
    alone = [chosen for chosen in everything if len(chosen) == 1]
    assert [chosen for chosen in some if len(chosen) == 1] == alone
    assert max(len(chosen) for chosen in everything) == alignment.MOST
    assert len({i for chosen in some for i in chosen}) <= 8


def test_permuted_columns_and_other_units_give_the_same_sets():
    X = table()
    places = np.array([3, 0, 5, 1, 4, 2])
    where = np.argsort(places)
    moved = X[:, places] * np.array([1e-3, 5.0, -2.0, 1e4, 1.0, -1.0])
    expected = aligned(X).sets(0, [1, 2, 3, 4, 5])
    found = aligned(moved).sets(int(where[0]), [int(where[i]) for i in (5, 3, 1, 2, 4)])
    assert [tuple(sorted(int(places[i]) for i in chosen)) for chosen in found] == expected


@pytest.mark.parametrize("joint", [0.3, 3.5])
def test_torch_finds_the_same(joint):
    pytest.importorskip("torch")
    prior = Prior(scale=(0.2, 0.3), joint=(joint, 0.4))
    here, there = aligned(table(), prior), aligned(table(), prior, device="torch")
    sets = here.sets(0, [1, 2, 3, 4, 5])
    assert there.sets(0, [1, 2, 3, 4, 5]) == sets
    np.testing.assert_allclose(there.evidence(0, sets), here.evidence(0, sets), atol=1e-2)
    assert there.additions(0, (2,), [1, 2, 3]) == here.additions(0, (2,), [1, 2, 3])


def test_many_columns_get_fewer_rows(monkeypatch):
    monkeypatch.setattr(alignment, "MEMORY", 1e5)
    found = aligned(table())
    assert found.n == 91
    assert found.kernels.nbytes <= 1e5
