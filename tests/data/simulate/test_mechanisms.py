"""Mechanisms: the covariances and shapes their definitions promise."""

import numpy as np
import pytest

from dagscale.data.simulate import mechanisms
from dagscale.data.simulate.mechanisms import MECHANISMS, standardized
from dagscale.runtime.workers import one_blas_thread

ADDITIVE = ["gp-additive", "sigmoid-additive", "polynomial", "sine", "linear"]


def covariance(mechanism, P, scale, draws=2500):
    rng = np.random.default_rng(0)
    signals = np.array([mechanism(P, rng, scale) for _ in range(draws)])  # (draws, n)
    return signals.T @ signals / draws


def rbf(P, scale):
    return np.exp(-0.5 * ((P[:, None] - P[None]) ** 2).sum(-1) / scale**2)


@pytest.mark.parametrize("scale", [0.7, 2.0])
@pytest.mark.parametrize("exact", [True, False])
def test_gp_draws_have_the_rbf_covariance(scale, exact, monkeypatch):
    P = np.random.default_rng(1).normal(size=(6, 2))
    if not exact:
        monkeypatch.setattr(mechanisms, "EXACT_GP_ROWS", 0)
        monkeypatch.setattr(mechanisms, "FEATURES", 300)
        monkeypatch.setattr(mechanisms, "ROWS_PER_BLOCK", 4)
    found = covariance(MECHANISMS["gp"], P, scale)
    assert np.abs(found - rbf(P, scale)).max() < 0.12  # four standard errors of 2500 draws


@pytest.mark.parametrize("exact", [True, False])
def test_additive_gp_sums_one_kernel_per_parent(exact, monkeypatch):
    P = np.random.default_rng(1).normal(size=(5, 3))
    if not exact:
        monkeypatch.setattr(mechanisms, "EXACT_GP_ROWS", 0)
        monkeypatch.setattr(mechanisms, "FEATURES", 300)
    expected = sum(rbf(P[:, [i]], 1.5) for i in range(3))
    assert np.abs(covariance(MECHANISMS["gp-additive"], P, 1.5) - expected).max() < 0.3


@pytest.mark.parametrize("rows", [400, mechanisms.EXACT_GP_ROWS + 1])
def test_gp_draws_are_as_smooth_by_features_as_by_cholesky(rows):
    x = np.linspace(-3, 3, rows)
    with one_blas_thread():
        slopes = [
            np.gradient(MECHANISMS["gp"](x[:, None], np.random.default_rng(seed), 0.5), x)[:: rows // 40]
            for seed in range(10)
        ]
    # f' has variance 1 / scale² = 4; the jitter adds 2e-6 / (2 dx)² = 0.0022 at 400 rows and features none
    assert np.mean(np.square(slopes)) == pytest.approx(4, rel=0.35)
    assert np.abs(slopes).max() < 12


@pytest.mark.parametrize("name", ADDITIVE)
def test_additive_mechanisms_have_no_interaction(name):
    # on a 2 x 2 grid f(a,b) - f(a,b') - f(a',b) + f(a',b') vanishes for a sum of functions of one parent each
    P = np.array([[0.3, -1.0], [0.3, 0.8], [-0.9, -1.0], [-0.9, 0.8]])
    for seed in range(20):
        f = MECHANISMS[name](P, np.random.default_rng(seed), 1.0)
        assert f[0] - f[1] - f[2] + f[3] == pytest.approx(0, abs=2e-2 if name == "gp-additive" else 1e-12)


@pytest.mark.parametrize("name", ["gp", "mlp"])
def test_joint_mechanisms_have_interactions(name):
    P = np.array([[0.3, -1.0], [0.3, 0.8], [-0.9, -1.0], [-0.9, 0.8]])
    crossed = [
        MECHANISMS[name](P, np.random.default_rng(seed), 1.0) @ np.array([1, -1, -1, 1]) for seed in range(20)
    ]
    assert np.std(crossed) > 0.3


def test_sigmoid_is_bounded_by_its_amplitude_and_monotone():
    x = np.linspace(-1e6, 1e6, 101)[:, None]
    for seed in range(20):
        f = MECHANISMS["sigmoid-additive"](x, np.random.default_rng(seed), 1.0)
        steps = np.diff(f)
        assert (steps > 0).all() or (steps < 0).all()
        assert 1 < np.abs(f).max() < 6


def test_linear_is_linear_with_weights_away_from_zero():
    P = np.random.default_rng(0).normal(size=(50, 4))
    f = MECHANISMS["linear"](P, np.random.default_rng(1), 1.0)
    weights, residual, *_ = np.linalg.lstsq(P, f)
    assert residual < 1e-20
    assert ((np.abs(weights) >= 0.5) & (np.abs(weights) <= 2)).all()


def test_polynomial_is_a_cubic_of_unit_variance_where_nothing_is_clipped():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (400, 1))
    f = MECHANISMS["polynomial"](x, rng, 1.0)
    assert np.abs(np.polynomial.Polynomial.fit(x[:, 0], f, 3)(x[:, 0]) - f).max() < 1e-10
    z = rng.standard_normal((100_000, 1))
    variances = [MECHANISMS["polynomial"](z, np.random.default_rng(seed), 1.0).var() for seed in range(10)]
    assert np.allclose(variances, 1, atol=0.25)  # clipping takes a little from the cubic


def test_standardized_leaves_constant_columns_at_zero():
    Z = standardized(np.column_stack([np.arange(5.0), np.full(5, 7.0)]))
    assert Z[:, 0].std() == pytest.approx(1)
    assert not Z[:, 1].any()
