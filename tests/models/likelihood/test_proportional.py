"""Lines times noise: gradients, a slow twin, weak parents of a sum, and what stays as it was."""

from copy import copy

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import skewnorm

from dagscale.models.likelihood import proportional
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.density import log_density
from dagscale.models.likelihood.proportional import ProportionalGain, fit_line, may_be_proportional, reference
from dagscale.models.likelihood.spline_gain import SplineGain


def _sums(n=1000, seed=0):
    """Three positive columns and their sum times exp |e|, standardised; the second parent is a tenth of the first."""
    rng = np.random.default_rng(seed)
    a = np.exp(rng.normal(size=n))
    b = 0.03 * np.exp(rng.normal(size=n))
    other = np.exp(rng.normal(size=n))
    X = np.column_stack([a, b, other, (a + b) * np.exp(np.abs(rng.normal(size=n)))])
    return (X - X.mean(axis=0)) / X.std(axis=0)


def _ready(P, y):
    P, y = P - P.min(axis=0), y - y.min()
    return np.column_stack([np.ones(len(y)), P / P.mean(axis=0)]), y, 1e-4


@pytest.mark.parametrize("alpha", [-4.0, 0.5, 30.0])
def test_gradients(alpha):
    X = _sums(300)
    Q, y, low = _ready(X[:, :2], X[:, 3])
    theta = np.array([0.1, 1.0, 0.2, -5.0, -0.2, alpha])
    g, H = proportional._scored(Q, proportional._likelihood(Q, y, low, theta), theta)
    for k in range(len(theta)):
        step = 1e-6 * np.eye(len(theta))[k]
        up, down = (proportional._likelihood(Q, y, low, theta + s).nats for s in (step, -step))
        assert np.isclose(g[k], (up - down) / 2e-6, rtol=1e-3, atol=1e-2)
    assert np.linalg.eigvalsh(H).min() > -1e-6 * np.trace(H)


def test_the_likelihood_is_that_of_the_skew_normal_distribution():
    X = _sums(300)
    Q, y, low = _ready(X[:, :2], X[:, 3])
    theta = np.array([0.1, 1.0, 0.2, -5.0, -0.2, 3.0])
    Y = y + low + np.exp(-5.0)
    expected = skewnorm.logpdf(np.log(Y / (Q @ theta[:3])), 3.0, scale=np.exp(-0.2)).sum() - np.log(Y).sum()
    ours = proportional._likelihood(Q, y, low, theta).nats - 0.5 * len(y) * np.log(2.0 * np.pi)
    assert np.isclose(ours, expected)


def test_no_slow_search_finds_more():
    X = _sums()
    P, y = X[:, :2], X[:, 3]
    found = fit_line(P, y)
    y = y - y.min()
    Q = np.column_stack([np.ones(len(y)), P - P.min(axis=0)])

    def loss(theta):
        Y, line = y + np.exp(theta[3]), Q @ np.exp(theta[:3])
        return np.log(Y).sum() - skewnorm.logpdf(np.log(Y / line), 100.0, scale=np.exp(theta[4])).sum()

    best = np.inf
    for seed in range(3):
        start = np.array([-4.0, 0.0, -3.0, -6.0, 0.0]) + 0.2 * np.random.default_rng(seed).normal(size=5)
        best = min(
            best, minimize(loss, start, method="Nelder-Mead", options={"maxiter": 4000, "maxfev": 4000}).fun
        )
    slow = 0.5 * len(y) * (1.0 + np.log(2.0 * np.pi)) - best - 0.5 * np.log(len(y))
    assert found.nats > slow - 1.0


def test_a_weak_parent_of_a_sum_is_seen():
    scale = scales_of(_sums())[0]
    plain = SplineGain(scale, True)
    gain = ProportionalGain(plain, scale)
    less, more, wrong = gain([(3, (0,)), (3, (0, 1)), (3, (0, 1, 2))])
    assert more - less > 10.0 > 0.0 > wrong - more
    assert less > plain([(3, (0, 1))])[0] + 100.0
    assert gain.told[3, (0, 1)].uneven
    assert np.corrcoef(gain.noise((3, (0, 1))), scale.parents[:, 0])[0, 1] < 0.1


def test_rows_add_up_to_what_items_tell():
    scale = scales_of(_sums())[0]
    gain = ProportionalGain(SplineGain(scale, True), scale)
    items = [(3, (0,)), (3, (0, 1))]
    nats = gain(items)
    rows = []
    for item in items:
        noise, log_spread = gain.noise_and_spread(item)
        rows.append((log_density(noise[None])[0] - log_spread).sum())
    assert abs((nats[1] - nats[0]) - (rows[1] - rows[0])) < 0.5 * (nats[1] - nats[0]) + 10.0


def test_additive_noise_loses_nothing_but_the_choice():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 800))
    X = np.column_stack([a, b, np.sin(2.0 * a) + b + 0.5 * rng.normal(size=800)])
    scale = scales_of(X)[0]
    plain = SplineGain(scale, True)
    gain, items = ProportionalGain(plain, scale), [(2, (0,)), (2, (0, 1)), (0, ())]
    assert np.allclose(gain(items), plain(items) - np.array([np.log(2.0), np.log(2.0), 0.0]))
    assert not gain.proportional
    assert np.array_equal(gain.noise((2, (0, 1))), plain.noise((2, (0, 1))))
    graph = np.zeros((3, 3), dtype=bool)
    graph[:2, 2] = True
    assert not may_be_proportional(scale, graph)
    assert not may_be_proportional(scale, ~graph & False)


def test_a_marginal_of_its_own_is_no_reason_for_parents():
    """Uniform columns end more sharply than their densities of free shape say: no parent may earn by that."""
    rng = np.random.default_rng(2)
    scale = scales_of(rng.uniform(size=(1000, 2)))[0]
    gain = ProportionalGain(SplineGain(scale, True), scale)
    assert gain([(0, (1,))])[0] < 0.0


def test_constants_and_few_values_stay_as_they_are():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=300), np.ones(300), rng.integers(0, 3, size=300)])
    scale = scales_of(X)[0]
    plain = SplineGain(scale)
    items = [(1, (0,)), (2, (0,)), (0, (1,))]
    gain = ProportionalGain(plain, scale)
    assert np.array_equal(gain(items[:2]), plain(items[:2]))
    assert np.isfinite(gain(items[2:])).all()


def test_formulas_and_copies_have_a_finite_worth():
    rng = np.random.default_rng(4)
    a, b = np.exp(rng.normal(size=(2, 300)))
    scale = scales_of(np.column_stack([a, a, b, a + b]))[0]
    gain = ProportionalGain(SplineGain(scale), scale)
    assert np.isfinite(gain([(0, (1,)), (0, (1, 2)), (2, (0, 1)), (3, (0, 1, 2)), (0, (3,))])).all()
    assert gain.told[3, (0, 1, 2)].left < 1e-4


def test_its_reference_is_what_other_likelihoods_are_over_and_no_call_changes_it():
    scale = scales_of(_sums())[0]
    early, late = (ProportionalGain(SplineGain(scale, True), scale) for _ in range(2))
    alone = early.noise_and_spread((3, ()))
    late([(3, (0, 1))])
    assert all(np.array_equal(a, b) for a, b in zip(alone, late.noise_and_spread((3, ())), strict=True))
    items = [(3, (0, 1)), (3, ()), (0, ())]
    over = reference(late, items)
    assert over[0] > 10.0  # standardised: the logarithm of a moved origin alone is a better marginal
    assert not over[1:].any()
    assert not reference(late.gain, items).any()
    assert copy(late).marginals == late.marginals


def test_a_parent_that_does_not_vary_is_worth_nothing_to_levels():
    g = np.random.default_rng(1000)
    X = np.column_stack([g.normal(size=(300, 2)), np.zeros(300), np.ones(300)])
    X[:, 2] = X[:, 0] + X[:, 1] + g.logistic(size=300) > 0
    kinds = ("continuous", "continuous", "binary", "continuous")
    gain = SplineGain(scales_of(X, kinds)[0])
    item = (2, (0, 1, 3))
    gain([item])
    assert len(gain.told[item].idle) == 3
    assert gain.told[item].idle[2] <= 0.0 < min(gain.told[item].idle[:2])
