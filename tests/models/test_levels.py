"""Children of levels and counts: maximum likelihood against an outside oracle, honest tests, calibrated residuals."""

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.linear_model import LogisticRegression, PoissonRegressor

from dagscale.models.levels import LevelFit
from dagscale.models.splines import AdditiveFit, SplineTable

KINDS = ("continuous", "categorical", "binary", "categorical", "ordinal", "count", "continuous")
DISCRETE = {"binary": 2, "categorical": 3, "ordinal": 4, "count": 5}


def made(seed, n=400, slope=0.0):
    """A number, a category, four children that depend on the number by `slope` alone, and an idle number."""
    rng = np.random.default_rng(seed)
    z, group = rng.normal(size=n), rng.integers(0, 4, n)
    binary = rng.random(n) < 1 / (1 + np.exp(-slope * z))
    category = np.argmax(np.stack([slope * z, 0 * z, -slope * z], 1) + rng.gumbel(size=(n, 3)), 1)
    ordinal = np.digitize(slope * z + rng.logistic(size=n), [-1.0, 0.0, 1.0])
    count = rng.poisson(np.exp(0.5 + slope / 2 * z))
    X = np.column_stack([z, group, binary, category, ordinal, count, rng.normal(size=n)]).astype(float)
    return SplineTable.of(X, kinds=KINDS)


@pytest.mark.parametrize("kind", ["binary", "categorical", "count"])
def test_probabilities_are_those_of_maximum_likelihood(kind):
    table = made(0, n=2000, slope=1.0)
    fit = LevelFit.of(table, DISCRETE[kind], [0, 1])
    y = table.data[:, DISCRETE[kind]]
    effect = fit.partial(0, np.array([-1.0, 0.0, 1.0]))
    if kind == "count":
        oracle = PoissonRegressor(alpha=1e-9, tol=1e-9, max_iter=2000).fit(fit.Z, y)
        fitted = np.exp(fit.fit.alpha + fit.Z @ fit.fit.beta.T)[:, 0]
        np.testing.assert_allclose(fitted, oracle.predict(fit.Z), rtol=0.03)
        np.testing.assert_allclose(np.log(effect.outcome[:, 0]), [0.0, 0.5, 1.0], atol=0.12)
        return
    oracle = LogisticRegression(C=4.0, tol=1e-9, max_iter=5000).fit(fit.Z, y)  # the prior variance
    grid = np.unique(table.data[:, 0], return_index=True)[1][::400]
    expected = np.exp(oracle.predict_log_proba(fit.Z))
    levels = fit.table.data[:, DISCRETE[kind]].astype(int)
    own = expected[np.arange(len(y)), levels]
    low, high = fit.fit.family.limits(fit.fit.alpha, fit.Z @ fit.fit.beta.T)
    np.testing.assert_allclose((high - low)[grid], own[grid], rtol=0.05, atol=0.01)
    np.testing.assert_allclose(effect.outcome.sum(axis=1), 1.0)


@pytest.mark.parametrize("kind", DISCRETE)
def test_parents_that_do_nothing_are_kept_at_the_level_of_the_test(kind):
    p_values = np.array([LevelFit.of(made(seed), DISCRETE[kind], [0, 1, 6]).p_values for seed in range(60)])
    for column in p_values.T:
        assert kstest(column, "uniform").pvalue > 0.001
    assert np.mean(p_values < 0.05) < 0.11


@pytest.mark.parametrize("kind", DISCRETE)
def test_residuals_are_standard_normal_and_strengths_honest(kind):
    table = made(1, n=1500, slope=1.0)
    fit = LevelFit.of(table, DISCRETE[kind], [0, 1, 6])
    assert kstest(fit.residuals, "norm").pvalue > 0.01
    assert fit.p_values[0] < 1e-20
    assert fit.strengths[0] > 0.05 > 0.01 > fit.strengths[1:].max()
    assert fit.signs.tolist() == [0, 0, 0] if kind == "categorical" else [1, 0, 0]


def test_effects_of_levels_are_an_analysis_of_variance():
    rng = np.random.default_rng(3)
    group = rng.integers(0, 5, 300)
    y = np.array([0.0, 3.0, -1.0, 2.0, 0.5])[group] + rng.normal(size=300)
    table = SplineTable.of(np.column_stack([group, y]).astype(float), kinds=("categorical", "continuous"))
    fit = AdditiveFit.of(table, 1, [0])
    means = np.array([y[group == k].mean() for k in range(5)])
    effect = fit.partial(0, np.arange(5.0))
    np.testing.assert_allclose(effect.effect + y.mean(), means, atol=1e-6)
    np.testing.assert_allclose(fit.residuals, y - means[group], atol=1e-6)
    errors = np.sqrt(fit.noise_variance * (1 / np.bincount(group) - 1 / 300))
    np.testing.assert_allclose(effect.standard_error, errors, rtol=1e-6)


def test_long_tables_have_the_same_effects_of_levels():
    rng = np.random.default_rng(4)
    group, z = rng.integers(0, 5, 12_000), rng.normal(size=12_000)
    y = np.array([0.0, 3.0, -1.0, 2.0, 0.5])[group] + z + rng.normal(size=12_000)
    kinds = ("categorical", "continuous", "continuous")
    table = SplineTable.of(np.column_stack([group, z, y]).astype(float), kinds=kinds)
    assert table.Q is None
    fit = AdditiveFit.of(table, 2, [0, 1])
    design = np.column_stack([np.eye(5)[group], z])
    expected = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert np.abs(table.column(2) - fit.residuals + y.mean() - expected).max() < 0.05
    assert (fit.p_values < 1e-20).all()


@pytest.mark.parametrize("child", DISCRETE.values(), ids=DISCRETE)
def test_the_last_parent_alone_has_the_numbers_it_has_among_all(child):
    fit = LevelFit.of(made(7, slope=0.5), child, [6, 1, 0])
    assert fit.last_over(fit.without_last()) == pytest.approx((fit.p_values[-1], fit.strengths[-1]))
