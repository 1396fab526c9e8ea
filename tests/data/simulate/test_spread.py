"""Noise whose spread depends on the parents, and noise that multiplies."""

import numpy as np
import pytest

from dagscale.data.simulate import simulate
from dagscale.data.simulate.multiplicative import multiplied
from dagscale.data.simulate.spread import LOG_SPREAD, log_linear, scaled, smooth
from dagscale.runtime.errors import InputError

EDGE = [[0, 1], [0, 0]]


@pytest.mark.parametrize("spread", [log_linear, smooth])
def test_the_spread_is_positive_of_the_promised_variation_and_one_for_sources(spread):
    rng = np.random.default_rng(0)
    s = spread(rng.normal(size=(20_000, 3)), rng)
    assert (s > 0).all()
    assert np.log(s).std() == pytest.approx(LOG_SPREAD, rel=0.05)
    assert (spread(np.empty((10, 0)), rng) == 1).all()


def test_scaled_noise_keeps_its_variance_and_has_the_given_spread():
    rng = np.random.default_rng(1)
    z, s = rng.normal(size=100_000), rng.uniform(0.5, 3, 100_000)
    e = scaled(z, s)
    assert e.var() == pytest.approx(1, abs=0.03)
    assert np.allclose(e / z / s, 1 / np.sqrt(np.mean(s**2)))


def spread_told_by_parent(noise, **options):
    """R² of |residual| on twenty bins of the parent, for a mechanism that is known."""
    made = simulate(
        EDGE, samples=20_000, noise=noise, mechanism=lambda P, rng, scale: np.sin(P[:, 0]), **options
    )
    x, y = made.table.to_numpy().T
    size = np.abs(y - np.sin(x))
    bins = np.searchsorted(np.quantile(x, np.linspace(0.05, 0.95, 19)), x)
    means = np.array([size[bins == b].mean() for b in range(20)])[bins]
    return means.var() / size.var()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("noise", ["location-scale", "heteroscedastic"])
def test_residuals_spread_with_the_parents(noise, seed):
    assert spread_told_by_parent(noise, random_state=seed) > 0.1


@pytest.mark.parametrize("noise", ["gaussian", "exponential", "gamma"])
def test_residuals_of_additive_noise_do_not(noise):
    assert spread_told_by_parent(noise) < 0.01


def test_serial_dependence_leaves_the_spread_to_the_parents():
    assert spread_told_by_parent("location-scale", autoregressive=0.9) > 0.1


def test_multiplied_is_the_closed_form():
    P = np.random.default_rng(0).uniform(0.1, 3, (50_000, 3))
    x = multiplied(P, 0.7, 0.0, np.random.default_rng(1))
    e = np.log(x) - np.log(P.sum(axis=1))
    assert (e >= 0).all()
    assert e.mean() == pytest.approx(0.7 * np.sqrt(2 / np.pi), abs=0.01)  # the mean of a half-normal
    assert np.mean(e**2) == pytest.approx(0.49, abs=0.01)


def test_sources_of_multiplicative_noise_are_uniform_with_the_noise_variance():
    x = multiplied(np.empty((100_000, 0)), np.sqrt(1 / 3), 0.0, np.random.default_rng(0))
    assert 0 < x.min() < 0.01
    assert 1.99 < x.max() < 2  # GraN-DAG's U(0, 2)
    assert x.var() == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"autoregressive": 0.8},
        {"hidden": 2},
        {"interventions": 20},
        {"interventions": 20, "intervention_kind": "soft"},
        {"noise_variance": "grandag"},
    ],
)
def test_multiplicative_columns_are_positive(options):
    made = simulate(nodes=10, edges_per_node=2, samples=200, noise="multiplicative", **options)
    assert (made.table.to_numpy() > 0).all()
    parents = made.table.to_numpy() @ made.adjacency
    if not options:
        children = made.adjacency.any(axis=0)
        assert (made.table.to_numpy()[:, children] >= parents[:, children]).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"standardize": "iscm"}, "use standardize=True"),
        ({"post_nonlinear": "cube"}, "post_nonlinear"),
        ({"linear": 0.5}, "linear"),
        ({"discrete": 0.5}, "discrete"),
        ({"graph": "chain", "nodes": 2000, "samples": 3, "noise_variance": 9}, "smaller noise_variance"),
    ],
)
def test_what_multiplicative_noise_cannot_go_with(options, text):
    with pytest.raises(InputError, match=text):
        simulate(noise="multiplicative", **options)
