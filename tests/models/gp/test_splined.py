"""The better of two models: processes, or additive splines where these describe a node better."""

import numpy as np
import pytest

from dagscale.models.gp import Evidence
from dagscale.models.noise.negentropy import negentropy
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.strength import schwarz


def waves(n=400, p=6, seed=1000):
    """A child of p parents, a fast wave of each: too fast for one process of all of them."""
    rng = np.random.default_rng(seed)
    parents = rng.normal(size=(n, p))
    return np.column_stack([parents, np.sin(4 * parents).sum(axis=1) + 0.5 * rng.normal(size=n)])


def test_schwarz_is_the_gain_of_a_regression_less_its_price():
    rng = np.random.default_rng(1000)
    x = rng.normal(size=1000)
    y = x + rng.normal(size=1000)
    fit = AdditiveFit.of(SplineTable.of(np.column_stack([x, y])), 1, np.array([0]), "reml")
    exact = -500 * np.log(1 - np.corrcoef(x, y)[0, 1] ** 2) - 0.5 * np.log(1000)
    assert schwarz(fit) == pytest.approx(exact, abs=4.0)  # a spline that is nearly a line costs a little more
    constant = AdditiveFit.of(SplineTable.of(np.column_stack([x * 0, y])), 1, np.array([0]), "reml")
    assert schwarz(constant) == 0.0


def test_the_larger_of_the_two_counts():
    X = waves()
    evidence = Evidence(X)
    items = [(6, tuple(range(6))), (6, (0,)), (0, (1,))]
    splines, both = evidence.by_splines(items), evidence.with_splines()(items)
    assert both == pytest.approx(np.maximum(evidence(items), splines), abs=1e-9)
    assert splines[0] > evidence(items)[0] + 10
    noise = evidence.with_splines().fits(items[:1])[0].noise
    assert noise == pytest.approx(0.25 / X[:, 6].var(), rel=0.4)


def test_workers_change_nothing_and_the_first_evidence_stays_as_it_was():
    X = waves(200)
    items = [(6, tuple(range(6))), (6, (0, 1)), (0, (1,))]
    evidence = Evidence(X, 2)
    before = evidence(items)
    both = evidence.with_splines()(items)
    assert np.array_equal(Evidence(X, 1).with_splines()(items), both)
    assert np.array_equal(evidence(items), before)


def test_shape_and_splines_go_together():
    X = waves()
    shaped, plain = Evidence(X, shaped=True).with_splines(), Evidence(X).with_splines()
    fit = AdditiveFit.of(plain.columns.splines, 6, np.arange(6), "reml")
    told = len(X) * (negentropy(fit.residuals) - negentropy(plain.columns.values[6]))
    assert shaped.value(6, range(6)) == pytest.approx(plain.value(6, range(6)) + told)
    assert shaped.value(6, []) == 0.0
