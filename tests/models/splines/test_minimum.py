"""The way to a minimum of GCV: its pieces against slow versions, and where it has to end."""

import numpy as np
import pytest

from dagscale.models.splines import SplineTable, minimum
from dagscale.models.splines.minimum import RHO_RANGE, STRIDES, smooth
from dagscale.models.splines.smoothing import gcv, gcv_derivatives, gcv_gradient, solve


def example(seed=0, n=200, p=6):
    """Terms of no, straight and wiggly effect, one of them of fewer splines than the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p + 1))
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] += 0.5 * X[:, 1]
    X[:, 0] += np.sin(3 * X[:, 1]) + 0.3 * X[:, 2] + 0.2 * X[:, 3] ** 2
    return SplineTable.of(X, n_jobs=1).equations(0, range(1, p + 1), 10)


def test_gradient_is_that_of_the_derivatives():
    equations = example()
    s = solve(equations, np.linspace(-4, 12, 6))
    np.testing.assert_allclose(gcv_gradient(equations, s), gcv_derivatives(equations, s)[0], rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_walk_is_that_of_whole_fits(seed):
    equations = example(seed)
    s = solve(equations, np.random.default_rng(seed).uniform(-3, 6, 6))
    downhill = -np.sign(gcv_gradient(equations, s))
    rho = s.rho.copy()
    for j in range(6):
        value, base = gcv(equations, solve(equations, rho)), rho[j]
        for stride in STRIDES:
            trial = rho.copy()
            trial[j] = base + downhill[j] * stride
            if not (lower := gcv(equations, solve(equations, trial))) < value:
                break
            rho, value = trial, lower
    assert not np.array_equal(rho, s.rho)
    np.testing.assert_allclose(minimum._walked(equations, s), rho)


def test_straightened_terms_are_lines():
    equations = example()
    straight = np.array([False, True, False, True, False, False])
    fewer = equations.straightened(straight)
    assert list(fewer.widths) == [*np.where(straight, 1, equations.widths)]
    rho = np.where(straight, 35.0, 2.0)
    whole, lines = solve(equations, rho), solve(fewer, rho)
    assert lines.deviance == pytest.approx(whole.deviance, rel=1e-9)
    assert lines.trace == pytest.approx(whole.trace, rel=1e-9)
    np.testing.assert_allclose(lines.beta[fewer.starts], whole.beta[equations.starts], rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_ends_where_no_direction_leads_down(seed):
    equations = example(seed)
    s = smooth(equations)
    gradient, hessian = gcv_derivatives(equations, s)
    inside = np.abs(s.rho) < RHO_RANGE
    np.testing.assert_allclose(gradient[inside], 0, atol=1e-5)
    assert np.linalg.eigvalsh(hessian[np.ix_(inside, inside)]).min() > 0
    assert not inside.all()  # terms without effect have become lines
    assert (gradient[~inside] * s.rho[~inside] <= 0).all()


def test_terms_taken_as_lines_too_early_come_back(monkeypatch):
    """With the bar so low that wiggly terms pass for lines on the way, the end is a minimum all the same."""
    equations = example()
    monkeypatch.setattr(minimum, "LINE", -RHO_RANGE)
    s = smooth(equations)
    gradient = gcv_gradient(equations, s)
    np.testing.assert_allclose(gradient[np.abs(s.rho) < RHO_RANGE], 0, atol=1e-5)
    assert s.trace > 10
