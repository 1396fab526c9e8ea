import numpy as np
import pytest

from dagscale.models.gp import Evidence
from dagscale.stages.pruning.evidence import prune, shares

N = 250
TRUTH = np.zeros((6, 6), dtype=bool)
TRUTH[[0, 1], 2] = True  # a pure interaction
TRUTH[2, 3] = True  # a curve
TRUTH[[3, 0], 4] = True  # two lines
ORDER_MASK = np.triu(np.ones((6, 6), dtype=bool), 1)


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(1004)
    X = rng.normal(size=(N, 6))
    X[:, 2] = 1.5 * np.sin(1.5 * X[:, 0]) * np.sin(1.5 * X[:, 1]) + 0.4 * X[:, 2]
    X[:, 3] += 1.5 * np.cos(2 * X[:, 2])
    X[:, 4] = 0.8 * X[:, 3] - 0.8 * X[:, 0] + 0.5 * X[:, 4]
    return X * [1, 100, 0.01, 1, 1, 1]


@pytest.fixture(scope="module")
def evidence(X):
    return Evidence(X, n_jobs=1)


def test_finds_the_graph_of_an_order(X, evidence):
    adjacency, lost = prune(X, ORDER_MASK, np.log(N), n_jobs=1, evidence=evidence)
    np.testing.assert_array_equal(adjacency, TRUTH)
    assert np.isnan(lost[~ORDER_MASK]).all()
    assert (lost[TRUTH] > np.log(N)).all()
    assert (lost[ORDER_MASK & ~TRUTH] < np.log(N)).all()


def test_what_kept_edges_lose_is_their_evidence(X, evidence):
    adjacency, lost = prune(X, ORDER_MASK, np.log(N), n_jobs=1, evidence=evidence)
    for i, j in np.argwhere(adjacency):
        parents = set(np.flatnonzero(adjacency[:, j]).tolist())
        expected = evidence.value(j, parents) - evidence.value(j, parents - {int(i)})
        assert lost[i, j] == pytest.approx(expected)


def test_required_edges_stay(X, evidence):
    required = np.zeros_like(TRUTH)
    required[1, 5] = True
    adjacency, lost = prune(X, ORDER_MASK, np.log(N), required, 1, evidence=evidence)
    np.testing.assert_array_equal(adjacency, TRUTH | required)
    assert lost[1, 5] < np.log(N)


def test_parents_that_together_are_not_worth_their_penalty_go():
    """Two parents that only work together, each worth the penalty beside the other, not twice it."""

    class Joint:
        def __call__(self, items):
            return np.array([8.0 if len(parents) == 2 else 0.0 for _, parents in items])

        def lost_without(self, items):
            return [np.full(len(parents), 8.0 if len(parents) == 2 else 0.0) for _, parents in items]

    mask = np.zeros((3, 3), dtype=bool)
    mask[[0, 1], 2] = True
    assert not prune(np.zeros((5, 3)), mask, 7.0, evidence=Joint())[0].any()
    assert prune(np.zeros((5, 3)), mask, 3.0, evidence=Joint())[0].sum() == 2


def test_lost_without_a_new_fit_is_an_upper_bound(evidence):
    items = [(2, (0, 1)), (4, (0, 1, 3)), (5, ())]
    quick = evidence.lost_without(items)
    assert quick[2].shape == (0,)
    for (j, parents), nats in zip(items, quick, strict=True):
        for i, bound in zip(parents, nats, strict=True):
            refitted = evidence.value(j, parents) - evidence.value(j, set(parents) - {i})
            assert refitted < bound + 2.0  # both are local optima


def test_shares_tell_an_interaction_from_a_line(evidence):
    total, alone = shares(evidence, TRUTH)
    assert np.isnan(total[~TRUTH]).all()
    assert total[0, 2] > 0.5
    assert alone[0, 2] < 0.2  # nothing without its partner
    assert alone[3, 4] > 0.2
    assert total[3, 4] == pytest.approx(alone[3, 4], abs=0.25)


def test_progress_reaches_the_end(X, evidence):
    said = []
    prune(
        X,
        TRUTH,
        2.0,
        progress=lambda label, done, total: said.append((label, done, total)),
        evidence=evidence,
    )
    assert said[-1][1] == said[-1][2]


def test_no_candidates():
    adjacency, lost = prune(np.random.default_rng(0).normal(size=(50, 3)), np.zeros((3, 3), dtype=bool), 3.0)
    assert not adjacency.any()
    assert np.isnan(lost).all()
