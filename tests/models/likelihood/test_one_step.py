"""One step towards the likeliest lines: twice as good as least squares on Laplace noise, nothing on normal noise."""

import numpy as np
import pytest

from dagscale.models.dependence import dependence, waves
from dagscale.models.likelihood.one_step import one_step


def left(y, Z):
    """Return what least squares leave of y (n,), the means taken off."""
    Z, y = Z - Z.mean(axis=0), y - y.mean()
    return y - Z @ np.linalg.lstsq(Z, y, rcond=None)[0]


@pytest.mark.parametrize(("shape", "share"), [("laplace", 0.75), ("exponential", 0.5), ("normal", 1.1)])
def test_errors_of_lines_shrink_as_far_as_the_shape_allows(shape, share):
    """Of the variance of least squares maximum likelihood has half on Laplace noise, all of it on normal noise."""
    g = np.random.default_rng(0)
    before, after = [], []
    for _ in range(40):
        Z, noise = g.normal(size=(1000, 3)), getattr(g, shape)(size=1000)
        true = noise - noise.mean()
        plain = left(noise, Z)
        before.append(np.mean((plain - true) ** 2))
        stepped = one_step(plain, Z)
        after.append(np.mean((stepped - stepped.mean() - true) ** 2))
    assert np.mean(after) < share * np.mean(before)


def test_noise_of_many_parents_no_longer_depends_on_the_noise_of_one():
    """Least squares blur the edge of exponential noise, and the blur depends on the parents: a false alarm."""
    g = np.random.default_rng(0)
    alarms = np.zeros(2)
    for _ in range(20):
        Z = g.exponential(size=(1000, 9))
        plain = left(g.exponential(size=1000), Z)
        for k, noise in enumerate((plain, one_step(plain, Z))):
            alarms[k] += dependence(waves(Z[:, [0]]), waves(noise[:, None])).p_values[0, 0] < 0.01
    assert alarms[1] <= 1
    assert alarms[0] >= 3
