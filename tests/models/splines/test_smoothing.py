"""Penalised fits and the choice of smoothness against closed forms, numerical derivatives and brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize

from dagscale.models.splines import SplineTable
from dagscale.models.splines.minimum import RHO_RANGE, smooth
from dagscale.models.splines.smoothing import CRITERIA, gcv, reml, solve


def example(seed=0, n=150, p=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, max(p, 2) + 1))
    X[:, 2] += 0.5 * X[:, 1]
    X[:, 0] += np.sin(2 * X[:, 1]) + 0.3 * X[:, 2] ** 2
    table = SplineTable.of(X, n_jobs=1)
    Z = np.hstack([table.term(i, 10)[0] for i in range(1, p + 1)])
    return table.X[:, 0], Z, table.equations(0, range(1, p + 1), 10)


def test_solution_is_the_penalised_least_squares_fit():
    y, Z, equations = example()
    rho = np.array([-1.0, 0.5, 3.0])
    W = np.diag(np.repeat(np.exp(rho), 9) * equations.penalty)
    hat = Z @ np.linalg.solve(Z.T @ Z + W, Z.T)
    s = solve(equations, rho)
    np.testing.assert_allclose(Z @ s.beta, hat @ y, atol=1e-7)
    assert s.deviance == pytest.approx(((y - hat @ y) ** 2).sum(), rel=1e-8)
    assert s.trace == pytest.approx(1 + np.trace(hat), rel=1e-8)
    assert s.log_determinant == pytest.approx(np.linalg.slogdet(Z.T @ Z + W)[1], rel=1e-7)
    np.testing.assert_allclose(s.M, s.P @ equations.G @ s.P, atol=1e-7)
    np.testing.assert_allclose(s.leverage, np.diag(s.P @ equations.G), atol=1e-7)


def test_no_penalty_is_ordinary_least_squares():
    y, Z, equations = example()
    fitted = Z @ np.linalg.lstsq(Z, y, rcond=None)[0]
    np.testing.assert_allclose(Z @ solve(equations, np.full(3, -40.0)).beta, fitted, atol=1e-6)


def test_infinite_penalty_is_linear_regression():
    y, Z, equations = example()
    lines = Z[:, equations.starts]
    fitted = lines @ np.linalg.lstsq(lines, y, rcond=None)[0]
    np.testing.assert_allclose(Z @ solve(equations, np.full(3, 40.0)).beta, fitted, atol=1e-6)


def test_reml_is_the_restricted_likelihood_of_the_mixed_model():
    """-2 log integral of the likelihood over the line's coefficients, wiggles being random effects."""
    y, Z, equations = example(n=60, p=2)
    penalised = equations.penalty > 0
    lines = np.column_stack([np.ones(len(y)), Z[:, ~penalised]])
    degrees = len(y) - lines.shape[1]

    def marginal(rho):
        variances = np.repeat(np.exp(-rho), 9)[penalised] / equations.penalty[penalised]
        V = np.eye(len(y)) + (Z[:, penalised] * variances) @ Z[:, penalised].T
        inner = lines.T @ np.linalg.solve(V, lines)
        residual = y - lines @ np.linalg.solve(inner, lines.T @ np.linalg.solve(V, y))
        energy = residual @ np.linalg.solve(V, residual)
        return degrees * np.log(energy) + np.linalg.slogdet(V)[1] + np.linalg.slogdet(inner)[1]

    first, second = np.array([0.0, 1.0]), np.array([-2.0, 4.0])
    ours = [len(y) * reml(equations, solve(equations, rho)) for rho in (first, second)]
    assert ours[0] - ours[1] == pytest.approx(marginal(first) - marginal(second), rel=1e-6)


@pytest.mark.parametrize("criterion", ["gcv", "reml"])
def test_derivatives_are_those_of_finite_differences(criterion):
    _, _, equations = example(seed=3)
    value, derivatives = CRITERIA[criterion]
    rho = np.array([-2.0, 1.0, 4.0])
    gradient, hessian = derivatives(equations, solve(equations, rho))
    for j, step in enumerate(1e-4 * np.eye(3)):
        ahead, behind = solve(equations, rho + step), solve(equations, rho - step)
        slope = (value(equations, ahead) - value(equations, behind)) / 2e-4
        assert gradient[j] == pytest.approx(slope, rel=1e-4, abs=1e-8)
        bend = (derivatives(equations, ahead)[0] - derivatives(equations, behind)[0]) / 2e-4
        np.testing.assert_allclose(hessian[j], bend, rtol=1e-3, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_one_term_ends_at_the_minimum_of_a_fine_grid(seed):
    _, _, equations = example(seed=seed, p=1)
    grid = np.linspace(-RHO_RANGE, RHO_RANGE, 1601)
    values = np.array([gcv(equations, solve(equations, np.array([rho]))) for rho in grid])
    found = gcv(equations, smooth(equations))
    # several minima may be as good as another: then the least smooth one is taken
    assert found <= values.min() + 1 / equations.n
    assert min(abs(found - v) for v in values[_minima(values)]) < 1e-6


def _minima(values):
    walled = np.pad(values, 1, constant_values=np.inf)
    return (values <= walled[:-2]) & (values <= walled[2:])


@pytest.mark.parametrize("criterion", ["gcv", "reml"])
@pytest.mark.parametrize("seed", range(4))
def test_several_terms_end_in_a_good_minimum(criterion, seed):
    _, _, equations = example(seed=seed, p=4, n=300)
    value, derivatives = CRITERIA[criterion]
    s = smooth(equations, criterion)
    gradient, _ = derivatives(equations, s)
    inside = np.abs(s.rho) < RHO_RANGE
    np.testing.assert_allclose(gradient[inside], 0, atol=1e-6)
    rng = np.random.default_rng(seed)
    others = [
        minimize(
            lambda rho: value(equations, solve(equations, rho)),
            rng.uniform(-4, 8, 4),
            jac=lambda rho: derivatives(equations, solve(equations, rho))[0],
            bounds=[(-RHO_RANGE, RHO_RANGE)] * 4,
        ).fun
        for _ in range(5)
    ]
    assert value(equations, s) <= min(others) + 2 / equations.n


def test_copies_of_a_column_do_not_break_the_fit():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    X[:, 2] = X[:, 1]
    X[:, 0] += np.sin(X[:, 1])
    table = SplineTable.of(X, n_jobs=1)
    both, one = (smooth(table.equations(0, parents, 10)) for parents in ([1, 2], [1]))
    assert both.deviance == pytest.approx(one.deviance, rel=0.05)


def test_a_perfect_fit_stays_finite():
    x = np.random.default_rng(0).standard_normal(100)
    table = SplineTable.of(np.column_stack([2 * x + 1, x]), n_jobs=1)
    s = smooth(table.equations(0, [1], 10))
    assert 0 < s.deviance < 1e-9 * (table.X[:, 0] @ table.X[:, 0])
