"""Noise: centred, of the asked variance, with the shape its name promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.data.simulate.noise import NOISES, variance_of

EXCESS_KURTOSIS = {
    "gaussian": 0,
    "laplace": 3,
    "gumbel": 12 / 5,
    "uniform": -6 / 5,
    "exponential": 6,
    "gamma": 3,
}
SKEWNESS = {"gaussian": 0, "laplace": 0, "gumbel": 1.1395, "uniform": 0, "exponential": 2, "gamma": 2**0.5}


@pytest.mark.parametrize("name", sorted(NOISES))
def test_mean_zero_and_variance_one(name):
    rng = np.random.default_rng(0)
    e = NOISES[name](rng.normal(size=(200_000, 2)), rng)
    assert e.mean() == pytest.approx(0, abs=0.02)
    assert e.var() == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("name", sorted(EXCESS_KURTOSIS))
def test_shape(name):
    e = NOISES[name](np.empty((400_000, 0)), np.random.default_rng(0))
    z = (e - e.mean()) / e.std()
    assert np.mean(z**3) == pytest.approx(SKEWNESS[name], abs=0.1)
    assert np.mean(z**4) - 3 == pytest.approx(EXCESS_KURTOSIS[name], abs=0.4)


def test_heteroscedastic_noise_depends_on_its_parents_in_scale_only():
    rng = np.random.default_rng(3)
    P = rng.normal(size=(50_000, 1))
    e = NOISES["heteroscedastic"](P, rng)
    upper, lower = e[P[:, 0] > 1], e[P[:, 0] < -1]
    ratio = upper.std() / lower.std()
    assert max(ratio, 1 / ratio) > 4
    assert abs(np.corrcoef(P[:, 0], e)[0, 1]) < 0.03


def test_heteroscedastic_roots_are_gaussian():
    e = NOISES["heteroscedastic"](np.empty((100_000, 0)), np.random.default_rng(0))
    assert np.mean(e**4) == pytest.approx(3, abs=0.2)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.floats(1e-3, 1e3), st.floats(1, 10), st.booleans(), st.integers(0, 2**32))
def test_variances_lie_where_they_were_asked_to(low, factor, root, seed):
    rng = np.random.default_rng(seed)
    assert variance_of(root, low, rng) == low
    assert low <= variance_of(root, (low, low * factor), rng) <= low * factor
    least = 1 if root else 0.16
    assert least <= variance_of(root, "grandag", rng) <= 2 * least
