"""Strengths and signs against closed forms and against plain refits."""

from types import SimpleNamespace

import numpy as np
import pytest

from dagscale.graphs.dag import topological_order
from dagscale.models.splines import SplineTable
from dagscale.result.edges import edge_table
from dagscale.stages.answer import Answer


def edge_effects(X, adjacency, n_jobs=None):
    """Strength and sign of every edge as read off the edge table, (d, d) both, 0 where there is none."""
    d = X.shape[1]
    table = edge_table(X, list(range(d)), Answer(topological_order(adjacency), adjacency), n_jobs)
    strength, sign = np.zeros((d, d)), np.zeros((d, d), dtype=int)
    ends = tuple(table[side].to_numpy(dtype=int) for side in ("source", "target"))
    strength[ends], sign[ends] = table["strength"], table["sign"]
    return strength, sign


def _fit(P, y):
    """Strength and sign of each column of P as a parent of y."""
    X = np.column_stack([P, y])
    adjacency = np.zeros((X.shape[1], X.shape[1]), dtype=bool)
    adjacency[:-1, -1] = True
    strength, sign = edge_effects(X, adjacency)
    return SimpleNamespace(strength=strength[:-1, -1], sign=sign[:-1, -1])


def test_independent_parents_have_the_share_they_contribute():
    rng = np.random.default_rng(1000)
    P = rng.normal(size=(2000, 3))
    parts = np.stack([2 * P[:, 0], P[:, 1] ** 2, np.sin(2 * P[:, 2])], axis=1)
    y = parts.sum(axis=1) + rng.normal(size=len(P))
    share = parts.var(axis=0) / y.var()
    assert _fit(P, y).strength == pytest.approx(share, abs=0.03)


def test_strength_of_correlated_parents_is_the_loss_of_a_plain_refit():
    rng = np.random.default_rng(1001)
    a = rng.normal(size=2000)
    P = np.stack([a, 0.8 * a + 0.6 * rng.normal(size=2000)], axis=1)
    y = np.tanh(2 * P[:, 0]) + 0.5 * P[:, 1] + 0.5 * rng.normal(size=2000)

    def unexplained(columns):
        powers = np.hstack([P[:, columns] ** k for k in range(1, 8)])
        powers = np.column_stack([np.ones(len(y)), powers])
        return np.sum((y - powers @ np.linalg.lstsq(powers, y, rcond=None)[0]) ** 2)

    total = len(y) * y.var()
    loss = [
        (unexplained([1]) - unexplained([0, 1])) / total,
        (unexplained([0]) - unexplained([0, 1])) / total,
    ]
    # The refit may also smooth the other parent less, so that it loses slightly less.
    assert _fit(P, y).strength == pytest.approx(loss, abs=0.02)


def test_straight_lines_give_omega_squared():
    rng = np.random.default_rng(1002)
    x = rng.integers(0, 2, size=400).astype(float)  # two values: a line is all there is
    y = x + rng.normal(size=400)
    r2 = np.corrcoef(x, y)[0, 1] ** 2
    n = len(x)
    noise = (1 - r2) * n / (n - 2)
    assert _fit(x[:, None], y).strength[0] == pytest.approx((r2 * n - noise) / n, rel=1e-6)


def test_a_useless_parent_has_no_strength_on_average():
    rng = np.random.default_rng(1003)
    strengths = [_fit(rng.normal(size=(100, 1)), rng.normal(size=100)).strength[0] for _ in range(40)]
    assert np.mean(strengths) < 0.01  # uncorrected R² would be about 0.03


@pytest.mark.parametrize(
    ("effect", "sign"),
    [(np.exp, 1), (lambda x: -(x**3), -1), (lambda x: x**2, 0), (lambda x: np.cos(2 * x), 0), (np.tanh, 1)],
)
def test_sign_is_that_of_the_average_slope(effect, sign):
    rng = np.random.default_rng(1004)
    x = rng.normal(size=1500)
    y = effect(x) + 0.3 * rng.normal(size=1500)
    assert _fit(x[:, None], y).sign[0] == sign


@pytest.mark.parametrize("rows", [2, 5, 30])
def test_any_table_gives_shares_between_zero_and_one(rows):
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, 12))
    X[:, 3] = 1.0  # constant
    X[:, 4] = X[:, 5]  # copy
    adjacency = np.triu(np.ones((12, 12), dtype=bool), 1)
    strength, sign = edge_effects(X, adjacency)
    assert np.isfinite(strength).all()
    assert ((strength >= 0) & (strength <= 1)).all()
    assert set(np.unique(sign)) <= {-1, 0, 1}
    assert not strength[~adjacency].any()
    assert not strength[3].any()
    assert not strength[:, 3].any()


def test_units_column_order_and_workers_do_not_matter():
    rng = np.random.default_rng(1006)
    X = rng.normal(size=(300, 5))
    X[:, 4] += X[:, 0] ** 2 + X[:, 1]
    adjacency = np.triu(np.ones((5, 5), dtype=bool), 1)
    strength, sign = edge_effects(X, adjacency, n_jobs=1)
    shuffled = rng.permutation(5)
    again, sign_again = edge_effects(
        1e3 * X[:, shuffled] + 7, adjacency[np.ix_(shuffled, shuffled)], n_jobs=2
    )
    assert again == pytest.approx(strength[np.ix_(shuffled, shuffled)], abs=1e-6)
    assert (sign_again == sign[np.ix_(shuffled, shuffled)]).all()


def test_edge_table_is_sorted_by_strength_and_reads_evidence_at_the_edges():
    rng = np.random.default_rng(1007)
    X = rng.normal(size=(500, 3))
    X[:, 2] += 0.5 * X[:, 0] + 2 * X[:, 1]
    adjacency = np.zeros((3, 3), dtype=bool)
    adjacency[[0, 1], 2] = True
    evidence = np.arange(9.0).reshape(3, 3)
    table = edge_table(X, [("a", 1), 2, "c"], Answer(np.arange(3), adjacency, {"p_value": evidence}))
    assert list(table.columns) == ["source", "target", "strength", "sign", "p_value"]
    assert list(table["source"]) == [2, ("a", 1)]
    assert list(table["p_value"]) == [5.0, 2.0]
    assert table["strength"].is_monotonic_decreasing


def test_a_graph_without_edges_gives_an_empty_table_of_the_same_columns():
    found = Answer(np.arange(2), np.zeros((2, 2), dtype=bool), {"p_value": np.zeros((2, 2))})
    table = edge_table(np.random.default_rng(0).normal(size=(30, 2)), ["a", "b"], found)
    assert len(table) == 0
    assert list(table.columns) == ["source", "target", "strength", "sign", "p_value"]


def test_splines_of_other_columns_are_not_taken_for_these():
    rng = np.random.default_rng(0)
    X = np.exp(2 * rng.normal(size=(300, 2)))
    X[:, 1] += X[:, 0]
    adjacency = np.array([[False, True], [False, False]])

    def strength(splines):
        found = Answer(np.array([0, 1]), adjacency, splines=splines)
        return edge_table(X, ["a", "b"], found, n_jobs=1)["strength"][0]

    expected = strength(None)
    assert strength(SplineTable.of(5 * X + 1, n_jobs=1)) == pytest.approx(expected, rel=1e-6)
    assert strength(SplineTable.of(np.log(X), n_jobs=1)) == pytest.approx(expected, rel=1e-9)
