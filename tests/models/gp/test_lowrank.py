import numpy as np
import pytest

from dagscale.models.gp.exact import Exact
from dagscale.models.gp.lowrank import LowRank, inducing_rows

ALL = np.arange(1)


def exact(Z, y, F):
    return Exact(Z[None], y[None], F[None], np.ones((1, Z.shape[1])))


@pytest.mark.parametrize(("p", "m"), [(1, 9), (2, 45), (3, 110)])
def test_loss_is_close_to_the_exact_one_where_the_slack_is_small(problem, p, m):
    Z, y, F = problem(n=150, p=p)
    theta = np.r_[np.zeros(p), 0.5, -1.0, -2.0][None]
    rows, left = inducing_rows(Z, np.exp(theta[0, :p]), np.exp(theta[0, p]), 1e-6, m)
    assert len(rows) == m
    low = LowRank(Z, y, F, lambda _: rows)
    loss, noise = low.value(theta, ALL)
    assert low.slack == pytest.approx(left, rel=1e-3)
    true = exact(Z, y, F).value(theta, ALL)
    assert true.loss[0] < loss[0] + low.slack  # Titsias' bound
    assert abs(loss[0] - true.loss[0]) < low.slack
    assert noise[0] >= true.noise[0]


def test_rows_are_chosen_again_where_their_slack_is_too_much(problem):
    Z, y, F = problem(n=150, p=2)
    asked = []

    def choose(theta):
        asked.append(theta)
        return inducing_rows(Z, np.exp(theta[:2]), np.exp(theta[2]), 0.1, 150)[0]

    low = LowRank(Z, y, F, choose, 0.5)
    near = np.array([[-3.0, -3.0, 0.0, -1.0, -2.0]])
    far = np.array([[-1.5, -1.5, 0.0, -1.0, -2.0]])
    low.value(near, ALL)
    few = low.rank
    low.value(near + 0.01, ALL)
    assert low.slack < 0.5
    assert len(asked) == 1
    assert low.value(far, ALL).loss[0] == pytest.approx(exact(Z, y, F).value(far, ALL).loss[0], abs=0.2)
    assert low.rank > few
    assert len(asked) == 2
    assert not low.refused


def test_too_much_slack_is_refused(problem):
    Z, y, F = problem(n=150, p=3)
    theta = np.array([[0.0, 0.0, 0.0, 0.5, -1.0, -2.0]])
    for none_or_few in (np.arange(0), np.arange(5)):
        low = LowRank(Z, y, F, lambda _, rows=none_or_few: rows)
        assert low.value(theta, ALL).loss[0] == np.inf
        assert low.refused


def test_all_rows_inducing_is_exact(problem):
    Z, y, F = problem(n=60, p=2)
    theta = np.array([[0.3, -0.2, 0.5, -1.0, -2.0]])
    bound = LowRank(Z, y, F, lambda _: np.arange(60))
    whole = exact(Z, y, F)
    assert bound.value(theta, ALL).loss == pytest.approx(whole.value(theta, ALL).loss, abs=1e-4)
    for mine, other in zip(bound.derivatives(ALL), whole.derivatives(ALL), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(("p", "m"), [(1, 12), (3, 110)])
def test_gradient_is_the_numerical_one(problem, p, m):
    Z, y, F = problem(n=150, p=p)
    theta = np.r_[np.linspace(-1, 0.5, p), 0.7, -1.2, -2.0][None]
    bound = LowRank(Z, y, F, lambda _: np.arange(m))
    bound.value(theta, ALL)
    gradient, _ = bound.derivatives(ALL)
    for k in range(p + 3):
        step = 1e-5 * np.eye(p + 3)[k]
        difference = bound.value(theta + step, ALL).loss - bound.value(theta - step, ALL).loss
        assert gradient[0, k] == pytest.approx(difference[0] / 2e-5, rel=1e-4, abs=1e-4)


def test_inducing_rows_are_as_few_as_the_slack_allows(problem):
    Z, _, _ = problem(n=200, p=2)
    w, l = np.array([1.0, 0.5]), 2.0
    rows, left = inducing_rows(Z, w, l, 0.5, 200)
    fewer, more_left = inducing_rows(Z, w, l, 0.5, len(rows) - 1)
    assert left <= 0.5 < more_left
    np.testing.assert_array_equal(rows[:-1], fewer)
    E = np.exp(-0.5 * (w * (Z[:, None] - Z) ** 2).sum(axis=2))
    C = E[:, rows]
    nystrom = C @ np.linalg.solve(E[np.ix_(rows, rows)], C.T)
    assert 0.5 * l * np.trace(E - nystrom) == pytest.approx(left, rel=1e-6)
