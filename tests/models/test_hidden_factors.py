"""Straight lines with hidden factors: closed forms, regressions, and derivatives by differences."""

import numpy as np

from dagscale.models.hidden_factors import _loss, fit, regressions, varimax


def correlations(seed, d=5, n=300):
    g = np.random.default_rng(seed)
    return np.corrcoef((g.normal(size=(n, d)) @ g.normal(size=(d, d))).T)


def test_without_hidden_nodes_it_is_a_regression_for_every_column():
    R, graph = correlations(1), np.triu(np.ones((5, 5), dtype=bool), 1)
    graph[0, 3] = False
    start = np.zeros((5, 5)), np.ones(5)
    found = fit(R, 300, graph, *start)
    lines, noise = regressions(R, graph)
    np.testing.assert_allclose(found.lines, lines, atol=1e-3)
    assert np.isclose(found.nats, -150 * np.log(noise).sum(), atol=1e-3)


def test_one_factor_of_three_columns_has_a_closed_form():
    """The squared loading of a is r_ab r_ac / r_bc, and the fit is exact."""
    true = np.array([0.9, 0.8, -0.7])
    R = np.outer(true, true)
    np.fill_diagonal(R, 1.0)
    graph = np.zeros((4, 4), dtype=bool)
    graph[3, :3] = True
    lines = np.where(graph, 0.5, 0.0) * [1, 1, -1, 1]
    found = fit(R, 1000, graph, lines, np.ones(4))
    np.testing.assert_allclose(found.lines[3, :3], true, atol=1e-3)
    np.testing.assert_allclose(found.noise[:3], 1 - true**2, atol=1e-3)
    assert np.isclose(found.nats, -500 * np.linalg.slogdet(R)[1], atol=1e-2)


def test_slopes_are_those_of_differences():
    R, g = correlations(2, d=4), np.random.default_rng(3)
    B = np.triu(g.normal(size=(6, 6)), 1)
    B = np.roll(B, 4, axis=(0, 1)) * (np.arange(6) < 4)  # two nodes are hidden, without parents
    B = np.where(np.abs(np.linalg.eigvals(B)).max() < 1e-8, B, 0.0)
    w = np.append(g.uniform(0.5, 2, size=4), [1.0, 1.0])
    _, slopes, by_noise, _ = _loss(R, B, w)
    step = 1e-6
    for i, j in ((4, 0), (5, 2), (0, 3), (2, 1)):
        more, less = B.copy(), B.copy()
        more[i, j], less[i, j] = B[i, j] + step, B[i, j] - step
        assert np.isclose((_loss(R, more, w)[0] - _loss(R, less, w)[0]) / (2 * step), slopes[i, j], atol=1e-5)
    for j in range(4):
        factor = np.where(np.arange(6) == j, np.exp(step), 1.0)
        assert np.isclose(
            (_loss(R, B, w * factor)[0] - _loss(R, B, w / factor)[0]) / (2 * step), by_noise[j], atol=1e-5
        )


def test_the_score_test_foretells_what_a_missing_line_is_worth():
    g = np.random.default_rng(4)
    X = g.normal(size=(2000, 3))
    X[:, 2] += 0.15 * X[:, 0]
    R, none = np.corrcoef(X.T), np.zeros((3, 3), dtype=bool)
    without = fit(R, 2000, none, np.zeros((3, 3)), np.ones(3))
    line = none.copy()
    line[0, 2] = True
    gained = fit(R, 2000, line, np.zeros((3, 3)), np.ones(3)).nats - without.nats
    assert np.isclose(1000 * without.missing[0, 2], gained, rtol=0.1)


def test_varimax_undoes_a_rotation():
    simple = np.kron(np.eye(2), np.full((4, 1), 0.8))
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    back = np.abs(varimax(simple @ turn))
    np.testing.assert_allclose(np.sort(back, axis=1), np.sort(simple, axis=1), atol=1e-6)
