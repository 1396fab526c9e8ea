"""p-values of smooth terms: the reference distribution and exact special cases (mgcv itself: test_mgcv)."""

import numpy as np
import pytest
from scipy import stats

from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.testing import tail, wald

# mgcv's psum.chisq(0, c(1.., a, b, -t / m), df = c(1.., 1, 1, m), tol = 1e-12): Davies' algorithm
DAVIES = [
    (1.3, 100, 6.0, 0.02548888184),
    (2.5, 300, 12.0, 0.00552007086),
    (4.05, 1000, 15.0, 0.005164082499),
    (7.7, 30, 9.0, 0.3487017367),
    (2.5, 300, 40.0, 5.253612545e-08),
]


@pytest.mark.parametrize(("rank", "free", "statistic", "expected"), DAVIES)
def test_tail_is_davies(rank, free, statistic, expected):
    found = tail(np.array([[statistic, statistic]]), np.array([rank]), free)[0]
    assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("rank", [1.0, 2.0, 5.0, 9.0])
@pytest.mark.parametrize("free", [1, 2, 10, 990, 20000])
def test_whole_ranks_are_f_tests(rank, free):
    statistics = np.array([[0.01], [1.0], [10.0], [60.0]])
    found = tail(statistics, np.full(4, rank), free)
    np.testing.assert_allclose(found, stats.f.sf(statistics[:, 0] / rank, rank, free), rtol=1e-7)


@pytest.mark.parametrize("k", [1, 3, 8])
def test_tail_is_continuous_in_the_rank(k):
    ranks = np.array([k - 1e-9, k, k + 1e-9])[int(k == 1) :]
    found = tail(np.full((len(ranks), 1), 9.0), ranks, 200)
    np.testing.assert_allclose(found, found[-1], rtol=1e-3)


def test_tail_averages_over_the_statistics():
    both = tail(np.array([[4.0, 9.0]]), np.array([2.4]), 50)
    each = tail(np.array([[4.0], [9.0]]), np.array([2.4, 2.4]), 50)
    assert both[0] == pytest.approx(each.mean())


def one_wald(beta, V, rank):
    return wald(beta[None], V[None], np.array([rank]))[0]


def test_wald_of_full_rank_is_the_quadratic_form():
    rng = np.random.default_rng(0)
    R = rng.standard_normal((5, 5))
    V, beta = R @ R.T, rng.standard_normal(5)
    assert one_wald(beta, V, 5.0) == pytest.approx([beta @ np.linalg.solve(V, beta)] * 2)


def test_wald_of_whole_rank_uses_the_leading_directions():
    V, beta = np.diag([1.0, 4.0, 9.0]), np.array([5.0, 2.0, 3.0])
    assert one_wald(beta, V, 2.0) == pytest.approx([1 + 1] * 2)  # 3^2 / 9 + 2^2 / 4


def test_wald_of_fractional_rank_lies_between_and_has_the_right_mean():
    """For beta ~ N(0, V) the statistic has mean `rank`, whichever the sign."""
    rng = np.random.default_rng(1)
    V = np.diag([5.0, 2.0, 1.0, 0.1])
    draws = rng.standard_normal((20000, 4)) * np.sqrt(np.diag(V))
    statistics = wald(draws, np.broadcast_to(V, (20000, 4, 4)), np.full(20000, 2.3))
    np.testing.assert_allclose(statistics.mean(axis=0), 2.3, rtol=0.02)


def test_a_straight_line_is_tested_by_its_t_test():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    X[:, 0] += 0.3 * X[:, 1]
    fit = AdditiveFit.of(SplineTable.of(X, n_jobs=1), 0, [1, 2], rank=2)
    design = np.column_stack([np.ones(80), X[:, 1:]])
    beta, rss, *_ = np.linalg.lstsq(design, X[:, 0], rcond=None)
    error = np.sqrt(rss[0] / 77 * np.diag(np.linalg.inv(design.T @ design)))
    expected = 2 * stats.t.sf(np.abs(beta / error), 77)
    np.testing.assert_allclose(fit.p_values, expected[1:], rtol=1e-6)


def test_p_values_do_not_depend_on_units_or_column_order():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((300, 4))
    X[:, 0] += np.abs(X[:, 1]) + 0.1 * X[:, 2]
    base = AdditiveFit.of(SplineTable.of(X, n_jobs=1), 0, [1, 2, 3]).p_values
    Y = (X * np.array([1e3, 1e-4, -7.0, 1.0]) + np.array([5.0, -3.0, 1e3, 0.0]))[:, [3, 0, 2, 1]]
    moved = AdditiveFit.of(SplineTable.of(Y, n_jobs=1), 1, [3, 2, 0]).p_values
    np.testing.assert_allclose(moved, base, rtol=1e-3)
