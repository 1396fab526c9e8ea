"""One node's fit: curves, errors, degrees of freedom, and the ways the engine takes to the same answer."""

import numpy as np
import pytest

from dagscale.models.splines import AdditiveFit, SplineTable, basis_rank
from dagscale.models.splines import table as table_module


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((600, 5))
    X[:, 0] = 10 + 2 * (np.sin(2 * X[:, 1]) + 0.7 * X[:, 2]) + 0.5 * rng.standard_normal(600)
    return X


@pytest.fixture(scope="module")
def fit(X):
    return AdditiveFit.of(SplineTable.of(X, n_jobs=1), 0, [1, 2, 3])


def test_effects_and_residuals_add_up(X, fit):
    np.testing.assert_allclose(X[:, 0], X[:, 0].mean() + fit.effects.sum(axis=1) + fit.residuals)
    assert fit.residuals @ fit.residuals == pytest.approx(fit.deviance, rel=1e-6)
    np.testing.assert_allclose(fit.effects.mean(axis=0), 0, atol=1e-10)


def test_noise_variance_and_degrees_of_freedom(fit):
    assert fit.noise_variance == pytest.approx(0.25, rel=0.15)
    assert fit.edf.sum() == pytest.approx(fit.solution.trace - 1)
    assert (fit.edf <= fit.reference_edf + 1e-9).all()
    assert fit.edf[0] > 5
    assert fit.edf[1] < 3


def test_curves_are_recovered_within_their_errors(X, fit):
    # 31 points of the middle of the data, where a pointwise band has its nominal level on average
    x = np.linspace(-1.5, 1.5, 31)
    truth = {1: 2 * np.sin(2 * x) - 2 * np.sin(2 * X[:, 1]).mean(), 2: 1.4 * (x - X[:, 2].mean()), 3: 0 * x}
    for parent, curve in truth.items():
        partial = fit.partial(parent, x)
        outside = np.abs(partial.effect - curve) > 3 * partial.standard_error
        assert outside.mean() < 0.1
        assert partial.standard_error.max() < 0.3


def test_curves_pass_through_the_fitted_values(X, fit):
    for t, parent in enumerate(fit.parents):
        np.testing.assert_allclose(fit.partial(parent, X[:, parent]).effect, fit.effects[:, t], atol=1e-9)


def test_curves_are_the_thin_plate_spline_between_the_data(X, fit):
    """Off the data the effect is sum_b delta_b |x - x_b|^3 + a + b x, delta read off by interpolation."""
    knots = np.sort(X[:, 1])
    effect = fit.partial(1, knots).effect
    n = len(knots)
    E, T = np.abs(knots[:, None] - knots) ** 3, np.column_stack([np.ones(n), knots])
    system = np.block([[E, T], [T.T, np.zeros((2, 2))]])
    coefficients = np.linalg.solve(system, np.concatenate([effect, [0, 0]]))
    x = np.array([-4.0, -0.333, 0.1, 1.234, 4.0])  # beyond the data as well
    expected = np.abs(x[:, None] - knots) ** 3 @ coefficients[:n] + coefficients[n] + coefficients[n + 1] * x
    np.testing.assert_allclose(fit.partial(1, x).effect, expected, atol=1e-5)


def test_a_number_of_points_means_the_range_of_the_data(X, fit):
    partial = fit.partial(2, 50)
    assert len(partial.x) == len(partial.effect) == len(partial.standard_error) == 50
    assert partial.x[[0, -1]] == pytest.approx([X[:, 2].min(), X[:, 2].max()])


def test_the_kept_gram_changes_nothing(X, fit, monkeypatch):
    monkeypatch.setattr(table_module, "WHOLE_GRAM", 0)
    again = AdditiveFit.of(SplineTable.of(X, n_jobs=1), 0, [1, 2, 3])
    assert again.table.gram is None
    np.testing.assert_allclose(again.p_values, fit.p_values, rtol=1e-6)


def test_constant_and_binary_parents():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 4))
    X[:, 1], X[:, 2] = 3.0, rng.integers(0, 2, 100)
    X[:, 0] += 2 * X[:, 2]
    fit = AdditiveFit.of(SplineTable.of(X, n_jobs=1), 0, [1, 2, 3])
    assert fit.parents == (2, 3)
    assert fit.p_values[0] < 1e-6
    assert fit.partial(2, np.array([0.0, 1.0])).effect @ [-1, 1] == pytest.approx(2, abs=0.7)


def test_no_parents_leave_the_centred_child(X):
    fit = AdditiveFit.of(SplineTable.of(X, n_jobs=1), 0, [])
    assert fit.p_values.shape == fit.edf.shape == (0,)
    np.testing.assert_allclose(fit.residuals, X[:, 0] - X[:, 0].mean())
    assert fit.noise_variance == pytest.approx(X[:, 0].var(ddof=1))


@pytest.mark.parametrize(
    ("n", "p", "rank"),
    [(1000, 1, 10), (1000, 33, 10), (1000, 34, 10), (1000, 40, 9), (1000, 100, 4), (1000, 200, 2), (9, 1, 3)],
)
def test_basis_rank_is_cams_rule(n, p, rank):
    assert basis_rank(n, p) == rank
