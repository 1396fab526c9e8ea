"""Small problems: a child, its parents and their main effects."""

import numpy as np
import pytest

from dagscale.models.gp.features import main_effects


def standardised(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def make_problem(n=80, p=2, seed=1000, noise=0.5):
    """A child of p correlated parents through an interaction and a line."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, p))
    Z[:, -1] += 0.5 * Z[:, 0]
    y = np.sin(1.5 * Z[:, 0]) * np.cos(Z[:, -1]) + 0.5 * Z[:, -1] + noise * rng.normal(size=n)
    Z, y = standardised(Z), standardised(y)
    return Z, y, np.hstack([main_effects(z) for z in Z.T])


@pytest.fixture
def problem():
    return make_problem
