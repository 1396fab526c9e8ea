"""The evidence with length scales integrated out: against closed forms, grids and the same in other units."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.models.gp import Evidence
from dagscale.models.gp.exact import Exact
from dagscale.models.gp.fitting import bounds
from dagscale.models.gp.optimise import Values, minimise
from dagscale.models.gp.prior import Informed, Prior, likeliest

PRIOR = Prior(scale=(0.4, 0.5), joint=(0.1, 0.6))


def dense_table(n=300, seed=1001):
    """0, 1, 2 sources; 3 and 4 smooth functions of all that comes before; 5 alone."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 3] = np.sin(1.5 * X[:, 0] + X[:, 1]) * np.cos(X[:, 2]) + 0.4 * rng.normal(size=n)
    X[:, 4] = np.cos(X[:, 0] + 1.5 * X[:, 3]) * np.sin(X[:, 1] + 0.5) + 0.4 * rng.normal(size=n)
    return X


ITEMS = [(3, (0, 1, 2)), (4, (0, 1, 3))]
ASKED = [*ITEMS, (3, (0, 1)), (3, (0, 1, 2, 5)), (4, (5,)), (5, ())]


class Quadratic:
    """Losses ½ (theta - at)' A (theta - at), whose integral over a normal prior is known."""

    def __init__(self, A, at):
        self.A, self.at = A, at

    def value(self, theta, which):
        self.away = theta - self.at
        loss = 0.5 * np.einsum("bi,ij,bj->b", self.away, self.A, self.away)
        return Values(loss, np.ones(len(which)))

    def derivatives(self, kept):
        return self.away[kept] @ self.A, np.tile(self.A, (len(kept), 1, 1))


@given(seed=st.integers(0, 10_000), p=st.integers(1, 4))
@settings(deadline=None, max_examples=40, derandomize=True)
def test_the_integral_of_a_parabola_is_exact(seed, p):
    rng = np.random.default_rng(seed)
    A = np.zeros((p + 3, p + 3))
    R = rng.normal(size=(p + 1, p + 1))
    A[: p + 1, : p + 1] = R @ R.T  # v and a, which have no prior, do not matter here
    at = rng.normal(size=p + 3)
    informed = Informed(Quadratic(A, at), PRIOR, np.ones((1, p), dtype=bool))
    found = minimise(informed, np.zeros((1, p + 3)), bounds(np.ones((1, p), dtype=bool)), 1e-9)
    got = found.values.loss[0] + informed.volume(found.curvature)[0]
    mean = np.array([PRIOR.scale[0]] * p + [PRIOR.joint[0]])
    T2 = np.diag([PRIOR.scale[1] ** 2] * p + [PRIOR.joint[1] ** 2])
    B, away = A[: p + 1, : p + 1], (mean - at[: p + 1])
    inner = np.eye(p + 1) + B @ T2
    expected = 0.5 * np.linalg.slogdet(inner)[1] + 0.5 * away @ np.linalg.solve(inner, B @ away)
    assert got == pytest.approx(expected, abs=1e-6)


def test_the_gradient_is_that_of_the_value():
    Z, y, F = Evidence(dense_table(80), n_jobs=1).columns.problem(ITEMS[0])
    present = np.ones((1, 3), dtype=bool)
    informed = Informed(Exact(Z[None], y[None], F[None], np.ones((1, 3))), PRIOR, present)
    theta, one = np.array([[0.3, -0.5, 0.1, 0.2, -2.0, -1.0]]), np.arange(1)
    informed.value(theta, one)
    gradient = informed.derivatives(one)[0][0]
    for k in range(6):
        step = np.zeros((1, 6))
        step[0, k] = 1e-5
        slope = (informed.value(theta + step, one).loss - informed.value(theta - step, one).loss)[0] / 2e-5
        assert gradient[k] == pytest.approx(slope, abs=1e-4)


def test_laplace_is_close_to_the_integral_on_a_grid():
    """One parent, v and a switched off: log w and log l summed over a fine grid, each by the exact loss."""
    X = dense_table(120)[:, [0, 3]]
    evidence = Evidence(X, n_jobs=1)
    Z, y, F = evidence.columns.problem((1, (0,)))
    exact, one = Exact(Z[None], y[None], F[None], np.ones((1, 1))), np.arange(1)
    informed = Informed(exact, PRIOR, np.ones((1, 1), dtype=bool))
    box = bounds(np.ones((1, 1), dtype=bool))
    low = np.concatenate([box.low[:2], [-12.0, -12.0]])
    box = type(box)(low, np.concatenate([box.high[:2], [-11.9, -11.9]]), box.present)
    found = minimise(informed, np.array([[0.0, 0.0, -12.0, -12.0]]), box, 1e-4)
    laplace = -(found.values.loss[0] + informed.volume(found.curvature)[0])
    (mw, sw), (ml, sl) = PRIOR.scale, PRIOR.joint
    w, l = np.linspace(mw - 4 * sw, mw + 4 * sw, 41), np.linspace(ml - 4 * sl, ml + 4 * sl, 41)
    logs = np.array(
        [
            -exact.value(np.array([[a, b, -12.0, -12.0]]), one).loss[0]
            - 0.5 * ((a - mw) / sw) ** 2
            - 0.5 * ((b - ml) / sl) ** 2
            for a in w
            for b in l
        ]
    )
    cell = (w[1] - w[0]) * (l[1] - l[0]) / (2 * np.pi * sw * sl)
    integral = np.log(cell) + logs.max() + np.log(np.exp(logs - logs.max()).sum())
    assert laplace == pytest.approx(integral, abs=0.3)


@pytest.mark.parametrize("spread", [0.2, 0.8])
def test_mean_and_spread_are_told_from_errors(spread):
    rng = np.random.default_rng(1003)
    errors = rng.choice([0.1, 0.3, 1.0, 10.0], size=400)
    x = 0.7 + spread * rng.normal(size=400) + errors * rng.normal(size=400)
    mean, found = likeliest(x, errors)
    assert mean == pytest.approx(0.7, abs=0.15)
    assert found == pytest.approx(spread, rel=0.25)
    assert np.std(x) > 3 * found  # which is what they look like to someone who forgets the errors


def test_where_nothing_is_known_scales_may_be_anything():
    mean, spread = likeliest(np.zeros(0), np.zeros(0))
    assert mean == 0.0
    assert spread == pytest.approx(1.0, rel=0.05)
    assert likeliest(np.array([2.0, 2.0]), np.array([0.1, 0.1]))[1] > 0.3  # two that agree prove little


def test_an_idle_parent_costs_and_a_true_one_gains():
    evidence = Evidence(dense_table(), n_jobs=1).with_prior(ITEMS)
    whole, _, fewer, more, idle, alone = evidence(ASKED)
    assert whole > fewer + 5
    assert more < whole - 1
    assert idle < 0
    assert alone == 0


@pytest.mark.parametrize(
    ("units", "exact"),
    [([1, -1, 1, 1, -1, 1], True), ([3.0, -1.0, 0.01, 20.0, -5.0, 1.0], False)],
)
def test_units_signs_and_places_of_columns_do_not_matter(units, exact):
    """Signs and places change the prior by rounding alone; other units by the tolerance of the fits."""
    X = dense_table()
    places = np.array([4, 2, 0, 5, 1, 3])
    where = np.argsort(places)
    moved = [(int(where[j]), tuple(int(where[i]) for i in parents)) for j, parents in ASKED]
    plain = Evidence(X, n_jobs=1).with_prior(ITEMS)
    other = Evidence((X * units)[:, places], n_jobs=1).with_prior(moved[:2])
    assert other.prior.scale == pytest.approx(plain.prior.scale, abs=1e-9 if exact else 0.02)
    np.testing.assert_allclose(other(moved), plain(ASKED), atol=0.1)


def test_a_batch_on_torch_has_the_same_values():
    pytest.importorskip("torch")
    here = Evidence(dense_table(), n_jobs=1).with_prior(ITEMS)
    there = Evidence(dense_table(), device="torch").with_prior(ITEMS)
    assert there.prior.scale == pytest.approx(here.prior.scale, abs=0.1)
    there.prior = here.prior  # the same numbers from here on
    np.testing.assert_allclose(there(ASKED), here(ASKED), atol=0.3)


def test_the_likelihoods_evidence_is_not_touched():
    evidence = Evidence(dense_table(), n_jobs=1)
    before = evidence(ASKED)
    informed = evidence.with_prior(ITEMS)
    informed(ASKED)
    np.testing.assert_array_equal(evidence(ASKED), before)
