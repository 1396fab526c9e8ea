import numpy as np
import pytest
from scipy.stats import kstest, spearmanr

from dagscale.models.gp import Evidence
from dagscale.models.gp.exact import Exact

ALL = np.arange(1)


def table(n=300, seed=1012):
    """Column 0 has parents 1 (line) and 2, 3 (3, even, modulates 2); 4 .. 9 are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    X[:, 0] = 0.7 * X[:, 1] + np.sin(1.5 * X[:, 2]) * (X[:, 3] ** 2 - 1) + 0.5 * rng.normal(size=n)
    return X


@pytest.fixture(scope="module")
def evidence():
    return Evidence(table(), n_jobs=1)


def test_slope_is_the_derivative_for_one_more_parent(evidence):
    parents, new = (1, 2), 3
    slope = evidence.slopes(0, parents)[new]
    fit = evidence.fits([(0, parents)])[0]
    columns = evidence.columns
    Z = columns.values[[*parents, new]].T
    F = np.hstack(list(columns.effects[[*parents, new]]))
    wider = Exact(Z[None], columns.values[0][None], F[None], np.ones((1, 3)))
    log_w = np.log(np.array([1e-9, 2e-9]))
    losses = [wider.value(np.insert(fit.theta, 2, w)[None], ALL).loss[0] for w in log_w]
    assert slope == pytest.approx((losses[0] - losses[1]) / 1e-9, rel=1e-3)


def test_first_parent_is_its_spline_r2():
    """Without parents the statistic is n |Q'y|^2 / |y|^2 up to the cut tails: the order is that of R^2."""
    X = table()
    X[:, 5] += 0.5 * X[:, 0]
    evidence = Evidence(X, n_jobs=1)
    scores = evidence.screen([(0, ())])[0]
    y = evidence.columns.values[0]
    r2 = []
    for i in range(10):
        S = evidence.columns.effects[i][:, 1:7]
        Q = np.linalg.qr(S - S.mean(axis=0))[0]
        r2.append(((Q.T @ y) ** 2).sum() / (y @ y))
    others = np.arange(1, 10)
    assert spearmanr(scores[others], np.array(r2)[others]).statistic > 0.9
    assert scores[0] == 0


def test_sees_even_effects_and_interactions(evidence):
    scores = evidence.screen([(0, (1, 2)), (0, (1,)), (0, (1, 2, 3))])
    assert scores[0].argmax() == 3
    assert scores[0, 3] > 20
    assert evidence.screen([(0, (1, 3))])[0].argmax() == 2
    assert scores[2].max() < np.log(1000)
    np.testing.assert_array_equal(scores[0, [0, 1, 2]], 0)


@pytest.mark.parametrize("noise", ["gaussian", "heavy", "skewed", "discrete"])
def test_p_values_of_useless_columns_are_uniform(noise):
    rng = np.random.default_rng(1003)
    n, d = 250, 260
    draw = {
        "gaussian": lambda: rng.normal(size=(n, d)),
        "heavy": lambda: rng.standard_t(3, size=(n, d)),
        "skewed": lambda: rng.exponential(size=(n, d)),
        "discrete": lambda: rng.integers(0, 4, size=(n, d)).astype(float),
    }[noise]
    X = draw()
    # Given 1 alone, what is left is far from normal: 2 modulates it.
    X[:, 0] = np.sin(2 * X[:, 1]) * (X[:, 2] ** 2 + 0.5) + 0.5 * X[:, 0]
    evidence = Evidence(X, n_jobs=1)
    for parents in ((), (1,), (1, 2)):
        p = np.exp(-evidence.screen([(0, parents)])[0][3:])
        assert (p < 0.001).mean() < 0.01
        assert (p < 0.01).mean() < 0.035
        assert (p < 0.2).mean() < 0.27
        if not parents:  # with parents the better of two forms counts, which is conservative
            assert kstest(p, "uniform").pvalue > 1e-3


def test_constant_columns_are_no_surprise():
    X = table(n=100)
    X[:, 4] = 1.0
    scores = Evidence(X, n_jobs=1).screen([(0, (1,)), (4, ()), (0, (1, 4))])
    assert np.isfinite(scores).all()
    assert not scores[1].any()
    assert not scores[:, 4].any()
    assert Evidence(X, n_jobs=1).screen([]).shape == (0, 10)


def test_fewer_rows_see_the_same_with_less_force(evidence):
    whole, half = evidence.screen([(0, (1, 2))]), evidence.screen([(0, (1, 2))], rows=150)
    assert whole.argmax() == half.argmax() == 3
    assert 5 < half[0, 3] < whole[0, 3]


def test_a_device_gives_the_same_screen():
    pytest.importorskip("torch")
    X = table(n=100)
    here = Evidence(X, n_jobs=1)
    there = Evidence(X, device="torch")
    for item in [(0, (1, 2)), (3, ())]:
        there._fits[item] = here.fits([item])[0]
    np.testing.assert_allclose(
        there.screen([(0, (1, 2)), (3, ())]), here.screen([(0, (1, 2)), (3, ())]), rtol=1e-3
    )
    np.testing.assert_allclose(there.slopes(0, (1, 2)), here.slopes(0, (1, 2)), rtol=1e-6, atol=1e-8)
