"""What the shape of noise tells, against known entropies and against a fit by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.evidence import Evidence
from dagscale.evidence.shape import negentropy

EXACT = {
    "normal": 0.0,
    "laplace": 0.5 * np.log(2 * np.pi * np.e) - (1 + 0.5 * np.log(2)),
    "gumbel": 0.5 * np.log(2 * np.pi * np.e * np.pi**2 / 6) - 1 - np.euler_gamma,
    "uniform": 0.5 * np.log(2 * np.pi * np.e / 12),
}


@pytest.mark.parametrize("draw", list(EXACT))
def test_negentropy_is_near_the_exact_one_and_ranks_alike(draw):
    x = getattr(np.random.default_rng(0), draw)(size=50_000)
    assert 0.3 * EXACT[draw] <= negentropy(x) <= 1.4 * EXACT[draw] + 1e-4  # two moments see part of it


def test_normal_samples_have_about_one_nat_in_all():
    rng = np.random.default_rng(0)
    nats = [500 * negentropy(rng.normal(size=500)) for _ in range(300)]
    assert np.mean(nats) == pytest.approx(1.0, abs=0.2)


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
