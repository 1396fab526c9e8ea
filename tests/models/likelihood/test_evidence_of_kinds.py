"""Laplace's evidence of children of levels and counts beside importance sampling, which knows nothing of it.

Draws come from Student's t around the fit; that decides how far the sampled integral errs, not what it is.
"""

import numpy as np
import pytest
from scipy import stats

from dagscale.inputs.kinds import BINARY, CATEGORICAL, COUNT, ORDINAL
from dagscale.models.likelihood import laplace
from dagscale.models.likelihood.families import Count, families_of

N, DRAWS, FREE = 150, 2500, 6.0
POISSON = "poisson"


def integral(log_density, centre, covariance, rng):
    """Return the log integral of exp(log_density) over all of its arguments; fail where it is not told to 0.1."""
    law = stats.multivariate_t(centre, 1.2 * covariance, df=FREE, seed=rng)
    at = law.rvs(DRAWS).reshape(DRAWS, len(centre))
    weights = np.array([log_density(one) for one in at]) - law.logpdf(at)
    shares = np.exp(weights - weights.max())
    assert shares.std() / shares.mean() / np.sqrt(DRAWS) < 0.1
    return weights.max() + np.log(shares.mean())


def family_of(kind, predictor, rng):
    """Draw a child whose log odds or log mean is a predictor (n,)."""
    if kind == BINARY:
        return families_of(kind, (rng.logistic(size=N) < predictor).astype(int))[0]
    if kind == POISSON:  # the limit of a large size
        y = rng.poisson(np.exp(0.7 + 0.5 * predictor)).astype(float)
        return Count(y, np.log(y.mean()) + 12.0)
    if kind == COUNT:
        mean = np.exp(1.0 + predictor)
        return Count.of(rng.negative_binomial(1.5, 1.5 / (1.5 + mean)).astype(float))
    return families_of(kind, np.searchsorted([-1.0, 1.0], predictor + rng.logistic(size=N)))[0]


def sampled(found, family, Z, prior, covariance, rng):
    """Return the log evidence of a fit over that of the child alone, both sampled; `prior` are variances (q,).

    Intercepts and thresholds have flat priors in both.
    """
    law, a, m = found.family, len(found.alpha), family.predictors

    def joint(at):
        beta = at[a:].reshape(m, -1)
        there = law.derivatives(at[:a], Z @ beta.T)
        return -np.inf if there is None else there.value + stats.norm.logpdf(beta, 0.0, np.sqrt(prior)).sum()

    def alone(at):
        there = family.derivatives(at, np.zeros((N, m)))
        return -np.inf if there is None else there.value

    whole = integral(joint, np.concatenate([found.alpha, found.beta.ravel()]), covariance, rng)
    null = np.linalg.inv(family.derivatives(family.start(), np.zeros((N, m))).information)
    return whole - integral(alone, family.start(), null, rng)


@pytest.mark.parametrize("kind", [BINARY, CATEGORICAL, ORDINAL, COUNT, POISSON])
def test_a_line_and_a_curve(kind):
    rng = np.random.default_rng(5)
    x = rng.normal(size=N)
    Z = np.column_stack([x, x**2, np.sin(2 * x)])
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    rough, term = np.array([0.0, 1.0, 2.0]), np.array([0, 1, 1])
    family = family_of(kind, 0.8 * x, rng)
    found = laplace.fit(family, Z, rough, term)
    prior = np.where(rough <= 0, family.line_variance, found.tau[term] / np.maximum(rough, 1e-9))
    slow = sampled(found, family, Z, prior, laplace.covariance(found, Z, rough, term), rng)
    assert found.gain > 2.0
    assert found.gain == pytest.approx(slow, abs=0.25)


@pytest.mark.parametrize("kind", [BINARY, CATEGORICAL, ORDINAL, COUNT])
def test_a_process_of_two_parents(kind):
    """Gaussian process classification, and its like for ranks and counts: features of two parents, one variance."""
    rng = np.random.default_rng(6)
    x, z = rng.normal(size=(2, N))
    centres = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    Z = np.exp(-0.5 * ((np.column_stack([x, z])[:, None] - centres) ** 2).sum(axis=2))
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    family = family_of(kind, 1.2 * np.sign(x * z), rng)
    rough, term = np.ones(4), np.zeros(4, dtype=int)
    found = laplace.fit(family, Z, rough, term)
    slow = sampled(found, family, Z, np.full(4, found.tau[0]), laplace.covariance(found, Z, rough, term), rng)
    assert found.gain > 2.0
    assert found.gain == pytest.approx(slow, abs=0.25)
