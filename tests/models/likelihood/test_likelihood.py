"""Closed forms and invariances of the likelihoods."""

import numpy as np
import pytest
from scipy import stats

from dagscale.models.likelihood import density, laplace
from dagscale.models.likelihood.columns import FINE, few_levels, fill_cells, scales_of
from dagscale.models.likelihood.density import shape_evidence
from dagscale.models.likelihood.families import Ordinal
from dagscale.models.likelihood.joint_gain import JointGain
from dagscale.models.likelihood.spline_gain import SplineGain

N = 1000


def rng():
    return np.random.default_rng(5)


def data_gain(X, uneven=False, shaped=True, name="data"):
    return SplineGain(next(s for s in scales_of(X) if s.name == name), uneven, shaped)


@pytest.mark.parametrize(
    ("law", "missed"),
    [(stats.norm(), 3), (stats.expon(), 110), (stats.uniform(), 80), (stats.laplace(), 30), (stats.t(5), 20)],
)
def test_shape_is_negentropy_less_a_bounded_price(law, missed):
    Z = law.rvs((20, N), random_state=rng())
    normal = stats.norm.logpdf((Z - Z.mean(1, keepdims=True)) / Z.std(1, keepdims=True)).sum(1) - N * np.log(
        Z.std(1)
    )
    oracle = law.logpdf(Z).sum(1) - normal
    found = shape_evidence(Z)
    assert (found < oracle + 5).all()
    assert np.mean(oracle - found) < missed


def test_shape_ignores_units_and_is_smooth():
    z = rng().exponential(size=(1, N))
    assert shape_evidence(3.0 * z + 7.0) == pytest.approx(shape_evidence(z), abs=1e-6)
    assert shape_evidence(z + 1e-4 * rng().normal(size=z.shape)) == pytest.approx(shape_evidence(z), abs=1.0)


def test_linear_gaussian_gain_is_that_of_the_correlation():
    g = rng()
    x = g.normal(size=N)
    X = np.stack([x, 0.8 * x + g.normal(size=N)], 1)
    r2 = np.corrcoef(X.T)[0, 1] ** 2
    expected = -0.5 * N * np.log(1 - r2) - 0.5 * np.log(N)
    assert data_gain(X, shaped=False)([(1, (0,))])[0] == pytest.approx(expected, abs=2.5)
    assert data_gain(X)([(1, (0,))])[0] == pytest.approx(expected, abs=6.0)


def test_an_idle_parent_costs_a_line():
    X = rng().normal(size=(N, 2))
    assert -6.0 < data_gain(X)([(1, (0,))])[0] < -1.0


def test_units_and_column_order_do_not_matter():
    g = rng()
    X = g.normal(size=(N, 3))
    X[:, 2] += np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 0]
    one = JointGain(data_gain(X, True))([(2, (0, 1))])[0]
    scaled = JointGain(data_gain(X * [2.0, 1e-3, 50.0] + 4.0, True))([(2, (0, 1))])[0]
    turned = JointGain(data_gain(X[:, ::-1].copy(), True))([(0, (1, 2))])[0]
    assert scaled == pytest.approx(one, abs=1e-3)
    assert turned == pytest.approx(one, abs=1e-3)


def test_location_scale_gain_is_near_the_oracle():
    g = rng()
    x = g.normal(size=N)
    s = 0.7 * x
    y = np.sin(x) + np.exp(s) * g.normal(size=N)
    X = np.stack([x, y], 1)
    grid = np.linspace(-4, 4, 2001)
    weight = stats.norm.pdf(grid) * (grid[1] - grid[0])
    marginal = np.log(stats.norm.pdf(y[:, None], np.sin(grid), np.exp(0.7 * grid)) @ weight).sum()
    oracle = stats.norm.logpdf(y, np.sin(x), np.exp(s)).sum() - marginal
    found = data_gain(X, True)([(1, (0,))])[0]
    even = data_gain(X)([(1, (0,))])[0]
    assert abs(found - oracle) < 0.15 * oracle
    assert found > even + 100


def test_interactions_are_seen_by_the_joint_mean_alone():
    g = rng()
    X = g.normal(size=(N, 3))
    X[:, 2] = X[:, 0] * X[:, 1] + 0.5 * g.normal(size=N)
    additive = data_gain(X)
    assert additive([(2, (0, 1))])[0] < 60
    assert JointGain(additive)([(2, (0, 1))])[0] > 500


def test_jacobians_are_counted():
    """A table of exponentials on the log scale tells what the logarithms do on their own."""
    g = rng()
    u = g.normal(size=(N, 2))
    u[:, 1] += np.sin(2 * u[:, 0])
    plain = data_gain(u)([(1, (0,))])[0]
    logs = data_gain(np.exp(u), name="log")([(1, (0,))])[0]
    assert logs == pytest.approx(plain, abs=5.0)
    assert data_gain(np.exp(u))([(1, (0,))])[0] < logs - 50


def test_scores_have_the_same_reference():
    g = rng()
    u = g.normal(size=(N, 2))
    u[:, 1] += 2 * np.tanh(2 * u[:, 0])
    plain = data_gain(u)([(1, (0,))])[0]
    scores = data_gain(u**3, name="scores")([(1, (0,))])[0]
    assert 0.4 * plain < scores < plain + 10


def test_cells_are_filled_evenly_and_distinct_values_stay():
    g = rng()
    x = g.normal(size=N)
    assert np.array_equal(fill_cells(x), x)
    rounded = np.round(x, 1)
    filled = fill_cells(rounded)
    assert np.abs(filled - rounded).max() <= 0.11
    middle = np.abs(rounded) < 0.5
    assert np.array_equal(np.round(filled[middle], 1), rounded[middle])
    assert np.array_equal(fill_cells(rounded), filled)


def test_rounding_tells_no_direction():
    g = rng()
    both = g.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=N)
    both[:, 1] = np.round(both[:, 1], 1)
    gain = data_gain(both)
    forward, backward = gain([(1, (0,)), (0, (1,))])
    assert abs(forward - backward) < 8


def test_few_values_by_their_frequency():
    assert few_levels(np.repeat([0.0, 1.0], 50)) is not None
    assert few_levels(np.arange(100.0)) is None
    quality = np.repeat([3.0, 4, 5, 6, 7, 8], [10, 53, 681, 638, 199, 18])
    assert few_levels(quality) is not None


@pytest.mark.parametrize("K", [2, 4])
def test_ordinal_gain_is_the_likelihood_ratio(K):
    g = rng()
    x = g.normal(size=2000)
    latent = 1.5 * x + g.logistic(size=2000)
    cuts = np.quantile(latent, np.linspace(0, 1, K + 1)[1:-1])
    y = np.searchsorted(cuts, latent)
    found = laplace.fit(Ordinal(y), x[:, None], np.zeros(1), np.zeros(1, dtype=int))
    bounds = np.concatenate([[-np.inf], cuts, [np.inf]])
    p = stats.logistic.cdf(bounds[y + 1] - 1.5 * x) - stats.logistic.cdf(bounds[y] - 1.5 * x)
    oracle = np.log(p).sum() - np.log(np.bincount(y)[y] / len(y)).sum()
    assert found.gain == pytest.approx(oracle, abs=8)


def test_densities_that_are_given_up_count_for_nothing(monkeypatch):
    g = np.random.default_rng(5)
    Z = np.stack([g.normal(size=500), g.exponential(size=500), g.uniform(size=500), g.laplace(size=500)])
    short = density.shape_evidence(Z)
    alone = np.concatenate([density.shape_evidence(z[None]) for z in Z])
    monkeypatch.setattr(density, "BEHIND", 1e9)
    assert short == pytest.approx(density.shape_evidence(Z), abs=1e-4)
    assert short == pytest.approx(alone, abs=1e-2)


def test_noise_is_that_of_the_spread_that_was_chosen():
    g = np.random.default_rng(6)
    x, w = g.normal(size=(2, 1000))
    X = np.column_stack(
        [x, w, 2.0 * x + np.exp(0.7 * x) * g.normal(size=1000), x + 0.3 * g.normal(size=1000)]
    )
    gain = SplineGain(scales_of(X)[0], True)
    items = [(2, (0,)), (2, (0, 1)), (3, (0,))]
    together = gain(items)
    for item, nats in zip(items, together, strict=True):  # fitted beside others, or alone
        assert SplineGain(gain.scale, gain.uneven)([item])[0] == pytest.approx(nats, abs=1e-2)
    noise, log_spread = gain.noise_and_spread((2, (0,)))
    assert gain.told[2, (0,)].uneven
    assert np.corrcoef(log_spread, x)[0, 1] > 0.95
    assert abs(np.corrcoef(np.abs(noise), x)[0, 1]) < 0.1
    assert not gain.noise_and_spread((3, (0,)))[1].any()


def test_what_is_known_of_children_stays_where_another_scale_leaves_them_as_they_are():
    g = np.random.default_rng(7)
    x, z = np.exp(g.normal(size=(2, 500)))
    X = np.column_stack([x, z, x * z * np.exp(0.3 * g.normal(size=500))])
    data, log = scales_of(X)[:2]
    items = [(0, (2,)), (1, (0, 2)), (2, (0, 1))]
    mixed = data.with_children(log, np.array([False, False, True]))
    for gain, fresh in (
        (SplineGain(data), SplineGain(mixed)),
        (JointGain(SplineGain(data)), JointGain(SplineGain(mixed))),
    ):
        gain(items)
        other = gain.on(mixed)
        assert {(0, (2,)), (1, (0, 2))} <= set(other.told)
        assert (2, (0, 1)) not in other.told
        assert other(items) == pytest.approx(fresh(items), abs=1e-2)
    assert not data.shared(log.of_rank(FINE)).any()
    assert not data.shared(data.of_rank(FINE)).any()


def test_finer_curves_follow_waves_and_cost_smooth_effects_next_to_nothing():
    g = np.random.default_rng(8)
    x = g.uniform(-3, 3, size=N)
    X = np.column_stack([x, np.sin(9 * x) + 0.5 * g.normal(size=N), np.tanh(x) + 0.5 * g.normal(size=N)])
    usual = scales_of(X)[0]
    fine = usual.of_rank(FINE)
    assert fine.basis.width > usual.basis.width
    waves, smooth = SplineGain(fine)([(1, (0,)), (2, (0,))]) - SplineGain(usual)([(1, (0,)), (2, (0,))])
    assert waves > 100
    assert abs(smooth) < 2
