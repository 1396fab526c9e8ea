"""Short lists: the candidates of largest gain, before and after a node has parents."""

import numpy as np
import pytest

from dagscale.models.splines import SplineTable
from dagscale.models.splines import table as table_module
from dagscale.models.splines.forward import Blocks, Forward
from dagscale.stages.ordering import greedy, shortlist
from dagscale.stages.ordering.greedy import greedy_order


def chain(n=300, d=14, seed=0):
    """x_0 -> x_1 -> ... -> x_{d-1}, with a few columns of another kind."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] += 1.2 * np.sin(2 * X[:, j - 1])
    X[:, 7], X[:, 9] = rng.integers(0, 2, n), 1.0
    return X


def lists(X, most, parents=None, least=-np.inf):
    blocks = Blocks.of(SplineTable.of(X, n_jobs=1))
    d = X.shape[1]
    everyone = ~np.eye(d, dtype=bool)
    nodes = [Forward(blocks, j, np.flatnonzero(everyone[:, j])) for j in range(d) if j != 9]
    for node in nodes:
        for parent in (parents or {}).get(node.child, []):
            node.add(parent)
    return nodes, shortlist.shortlist(blocks, nodes, everyone, most, least, n_jobs=1)


@pytest.mark.parametrize("long", [False, True])
def test_lists_the_largest_gains(long, monkeypatch):
    monkeypatch.setattr(table_module, "LONG", 10 if long else 10_000)
    monkeypatch.setattr(shortlist, "CELLS", 500)  # several blocks
    nodes, found = lists(chain(), 3)
    for node, listed in zip(nodes, found, strict=True):
        gains = dict(zip(node.candidates, node.gains(), strict=True))
        assert len(listed) == 3
        rest = [gain for i, gain in gains.items() if i not in listed]
        assert min(gains[i] for i in listed) > max(rest) - 1e-3  # a coarser grid of smoothness


@pytest.mark.parametrize("long", [False, True])
def test_parents_are_taken_off_first(long, monkeypatch):
    monkeypatch.setattr(table_module, "LONG", 10 if long else 10_000)
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 6))
    X[:, 0] += 3 * np.sin(2 * X[:, 1]) + 0.5 * X[:, 2]
    X = np.column_stack([X, rng.standard_normal((400, 4))])
    _, (first, *_) = lists(X, 1)
    assert first.tolist() == [1]
    _, (second, *_) = lists(X, 1, {0: [1]})
    assert second.tolist() == [2]


def test_a_floor_empties_the_lists():
    _, found = lists(chain(), 3, least=10.0)
    assert all(len(listed) == 0 for listed in found)


@pytest.mark.parametrize("seed", range(3))
def test_the_search_from_lists_finds_the_same_graph(seed, monkeypatch):
    X = chain(seed=seed)
    exact = greedy_order(X)
    monkeypatch.setattr(greedy, "ALL_PAIRS", 0)
    monkeypatch.setattr(greedy, "LISTED", 4)
    order, found, gains = greedy_order(X)
    np.testing.assert_array_equal(found, exact[1])
    np.testing.assert_array_equal(order[: len(X[0])].shape, exact[0].shape)
    assert np.isfinite(gains[found]).all()
    assert (~np.isnan(gains)).sum() < 14 * 13


def test_a_parent_hidden_at_first_comes_in_when_lists_are_made_again(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 8))
    X[:, 0] = 5 * np.sin(2 * X[:, 1]) + 0.4 * X[:, 2] + 0.3 * X[:, 0]
    monkeypatch.setattr(greedy, "ALL_PAIRS", 0)
    monkeypatch.setattr(greedy, "LEAST_LISTED", 40.0)
    found = greedy_order(X)[1]
    np.testing.assert_array_equal(np.argwhere(found), [[1, 0], [2, 0]])
    monkeypatch.setattr(greedy, "REFRESHED", 0)
    np.testing.assert_array_equal(np.argwhere(greedy_order(X)[1]), [[1, 0]])


@pytest.mark.parametrize("long", [False, True])
def test_a_device_finds_the_same(long, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(table_module, "LONG", 10 if long else 10_000)
    monkeypatch.setattr(greedy, "ALL_PAIRS", 0)
    monkeypatch.setattr(greedy, "LISTED", 4)
    here, there = (greedy_order(chain(), device=device) for device in ("cpu", "torch"))
    for ours, theirs in zip(here[:2], there[:2], strict=True):
        np.testing.assert_array_equal(theirs, ours)
    np.testing.assert_allclose(there[2], here[2], atol=1e-9)
