"""What the shape of noise tells, against known entropies and against a fit by hand."""

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscale
from dagscale.models.gp import Evidence
from dagscale.models.noise.negentropy import RIDGE, negentropy
from dagscale.models.noise.under_graph import CHANCE

EXACT = {
    "normal": 0.0,
    "laplace": 0.5 * np.log(2 * np.pi * np.e) - (1 + 0.5 * np.log(2)),
    "gumbel": 0.5 * np.log(2 * np.pi * np.e * np.pi**2 / 6) - 1 - np.euler_gamma,
    "uniform": 0.5 * np.log(2 * np.pi * np.e / 12),
}


@pytest.mark.parametrize("draw", list(EXACT))
def test_negentropy_is_near_the_exact_one_and_never_above(draw):
    x = getattr(np.random.default_rng(0), draw)(size=50_000)
    assert 0.5 * EXACT[draw] <= negentropy(x) <= EXACT[draw] + 1e-3  # the moments see part of it


def test_residuals_that_are_small_here_and_large_there_are_not_overrated():
    """A fifth of the rows with four times the spread: an expansion to second order has half too much."""
    x = np.random.default_rng(0).normal(size=50_000) * np.repeat([0.5, 2.0], [40_000, 10_000])
    z = np.linspace(-16, 16, 100_001)
    density = (1.6 * np.exp(-2 * z**2) + 0.1 * np.exp(-(z**2) / 8)) / np.sqrt(2 * np.pi)
    entropy = -np.trapezoid(density * np.log(density), z)
    exact = 0.5 * np.log(2 * np.pi * np.e * (0.8 * 0.25 + 0.2 * 4.0)) - entropy
    assert exact == pytest.approx(0.2135, abs=1e-4)
    assert 0.9 * exact < negentropy(x) < exact


@pytest.mark.parametrize("draw", ["laplace", "gumbel", "uniform"])
def test_it_is_the_gain_of_the_likeliest_density_that_another_optimiser_finds(draw):
    x = getattr(np.random.default_rng(1), draw)(size=400)
    z = (x - x.mean()) / x.std()

    def log_ratio(at, z):
        bells = [np.exp(-0.5 * (width * z) ** 2) for width in (1, 0.5, 2)]
        return sum(a * f for a, f in zip(at, [z, z**2, z * bells[0], *bells], strict=True))

    def loss(at):
        total, _ = scipy.integrate.quad(lambda t: np.exp(log_ratio(at, t) - 0.5 * t**2), -8, 8, limit=200)
        return np.log(total / np.sqrt(2 * np.pi)) - log_ratio(at, z).mean() + 0.5 * RIDGE * at @ at

    found = scipy.optimize.minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-6})
    gain = 0.5 * RIDGE * found.x @ found.x - found.fun
    assert negentropy(x) == pytest.approx(gain, abs=1e-4)


@pytest.mark.parametrize("values", [[0, 1], [-1, 0, 1], [0] * 49 + [1], [0, 0, 0, 1e9]])
def test_columns_of_few_values_have_a_finite_one(values):
    x = np.tile(np.array(values, dtype=float), 50)
    assert 0.0 < negentropy(x) < 4.0


@pytest.mark.parametrize("rows", [1480, 2000, 3000, 100_000])
@pytest.mark.parametrize("rest", [0.0, 1.0])
def test_one_row_may_be_any_number_of_deviations_away(rows, rest):
    x = rest * np.random.default_rng(0).laplace(size=rows)
    x[7] = 1e5
    assert 1.0 < negentropy(x) < 6.0


def test_it_tells_the_direction_of_a_wave_whose_noise_is_not_normal():
    """Regressed the wrong way a wave leaves residuals that are small here and large there."""
    made = dagscale.simulate(
        "ER", nodes=20, edges_per_node=1, mechanism="sine", noise="gumbel", samples=1000, random_state=1002
    )
    assert made.adjacency[6, 16]
    shaped = Evidence(made.table.to_numpy()[:, [6, 16]], shaped=True)
    assert shaped.value(1, [0]) - shaped.value(0, [1]) > 20  # an expansion to second order has -40


def test_normal_samples_have_what_chance_has():
    rng = np.random.default_rng(0)
    nats = [500 * negentropy(rng.normal(size=500)) for _ in range(300)]
    assert np.mean(nats) == pytest.approx(CHANCE, abs=0.2)


@pytest.mark.parametrize(("draw", "missed"), [("laplace", 0.003), ("gumbel", 0.012), ("uniform", 0.08)])
def test_the_density_misses_as_little_of_common_noise_as_is_said(draw, missed):
    x = getattr(np.random.default_rng(0), draw)(size=200_000)
    assert EXACT[draw] - negentropy(x) < missed


@given(scale=st.floats(1e-6, 1e6), shift=st.floats(-1e3, 1e3), seed=st.integers(0, 20))
@settings(deadline=None, max_examples=25, derandomize=True)
def test_units_signs_and_origin_do_not_matter(scale, shift, seed):
    x = np.random.default_rng(seed).gumbel(size=200)
    for moved in (scale * (x + shift), -scale * x):
        assert negentropy(moved) == pytest.approx(negentropy(x), rel=1e-6)


def test_a_constant_has_none():
    assert negentropy(np.full(10, 3.0)) == 0.0


def straight(n=600, noise="uniform", seed=1000):
    """A line with noise that is not normal: only the shape knows the direction."""
    draw = getattr(np.random.default_rng(seed), noise)
    x = draw(-1, 1, size=n) if noise == "uniform" else draw(size=n)
    e = draw(-1, 1, size=n) if noise == "uniform" else draw(size=n)
    return np.column_stack([x, x + e])


@pytest.mark.parametrize("noise", ["uniform", "laplace", "gumbel"])
def test_the_shape_tells_the_direction_of_a_line(noise):
    X = straight(noise=noise)
    plain, shaped = Evidence(X), Evidence(X, shaped=True)
    assert abs(plain.value(1, [0]) - plain.value(0, [1])) < 5
    assert shaped.value(1, [0]) - shaped.value(0, [1]) > 10


def test_it_is_what_residuals_have_beyond_the_node():
    X = straight()
    plain, shaped = Evidence(X, clip=np.inf), Evidence(X, clip=np.inf, shaped=True)
    x, y = X.T
    residuals = y - np.polyval(np.polyfit(x, y, 1), x)
    told = len(X) * (negentropy(residuals) - negentropy(y))
    assert shaped.value(1, [0]) - plain.value(1, [0]) == pytest.approx(told, abs=3.0)
    assert shaped.value(1, []) == 0.0


def test_workers_and_the_items_beside_change_nothing():
    X = np.hstack([straight(200), straight(200, seed=1001)])
    items = [(1, (0,)), (1, (0, 2)), (3, (2,)), (0, (1, 2, 3))]
    alone = [Evidence(X, 1, shaped=True).value(*item) for item in items]
    assert Evidence(X, 2, shaped=True)(items) == pytest.approx(alone, abs=1e-9)


def test_torch_batches_agree():
    pytest.importorskip("torch")
    X = np.hstack([straight(600), straight(600, seed=1001)])
    items = [(1, (0,)), (1, (0, 2)), (0, (1, 2, 3))]
    here = Evidence(X, shaped=True)(items)
    assert Evidence(X, device="torch", shaped=True)(items) == pytest.approx(
        here, abs=2.0
    )  # where an optimum is flat, residuals are not
