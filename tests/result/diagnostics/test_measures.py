"""The measurements behind the checks against slow versions, closed forms and their promised levels."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.inputs.knowledge import Constraints
from dagscale.models.dependence import WAVES, dependence, spread, waves
from dagscale.models.outliers import far_out
from dagscale.models.splines import SplineTable
from dagscale.result.diagnostics.effect_shape import added, curvature, interaction, orthonormal
from dagscale.result.diagnostics.margins import log_likelihood, margins
from dagscale.result.diagnostics.normality import anderson_darling, shape
from dagscale.result.diagnostics.residuals import fit_nodes, joint_fit
from dagscale.result.diagnostics.sorting import sortability, strongest, trivial_sorts


def rng(seed=1000):
    return np.random.default_rng(seed)


def test_waves_are_the_cosine_transform_and_only_see_ranks():
    x = rng().normal(size=(50, 1))
    W = waves(x)[:, :, 0]
    np.testing.assert_allclose(W @ W.T, np.eye(WAVES), atol=1e-12)
    np.testing.assert_allclose(W.sum(axis=1), 0, atol=1e-12)
    ranks = np.argsort(np.argsort(x[:, 0]))
    for k in range(WAVES):
        cosine = np.cos((k + 1) * np.pi * (ranks + 0.5) / 50) * np.sqrt(2 / 50)
        np.testing.assert_allclose(np.abs(W[k]), np.abs(cosine), atol=1e-12)
    np.testing.assert_allclose(np.abs(waves(np.exp(x))[:, :, 0]), np.abs(W), atol=1e-12)


def test_dependence_of_few_values_and_constants():
    X = np.column_stack([np.arange(40) % 2, np.arange(40) % 3, np.zeros(40), rng().normal(size=40)]).astype(
        float
    )
    W = waves(X)
    assert [int(w.any(axis=0)[0]) for w in W] == [1, 0, 0, 0]
    found = dependence(W, W)
    assert (found.p_values[2] == 1).all()
    assert found.p_values[0, 0] < 1e-8
    assert found.size[0, 0] == pytest.approx(np.sqrt((39 - 1) / 39))


def test_dependence_has_its_level_and_sees_trend_spread_and_no_units():
    level = []
    for seed in range(1000, 1030):
        Z = rng(seed).normal(size=(200, 8)) ** 3  # heavy tails must not matter
        p = dependence(waves(Z[:, :4]), waves(Z[:, 4:])).p_values
        level.extend((p < 0.05).ravel())
    assert 0.02 < np.mean(level) < 0.09
    x = rng().normal(size=(400, 1))
    noise = rng(1).normal(size=(400, 1))
    assert dependence(waves(x), waves(x**2 + 0.5 * noise)).p_values[0, 0] < 1e-6
    assert spread(waves(x), waves(np.exp(0.5 * x) * noise)).p_values[0, 0] < 1e-6
    assert spread(waves(x), waves(noise)).p_values[0, 0] > 1e-3


@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=st.integers(1000, 9999), p=st.integers(1, 3), q=st.integers(1, 4))
def test_added_block_is_the_textbook_f_test(seed, p, q):
    g = rng(seed)
    A, B, y = g.normal(size=(60, p)), g.normal(size=(60, q)), g.normal(size=60)
    found = added(orthonormal([A], 60), B, y)

    def rss(*blocks):
        design = np.column_stack([np.ones(60), *blocks])
        return float(np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2))

    small, large, free = rss(A), rss(A, B), 60 - 1 - p - q
    assert found.free == free
    assert found.gain == pytest.approx(small - large)
    expected = scipy.stats.f.sf((small - large) / q / (large / free), q, free)
    assert found.p_value == pytest.approx(expected, rel=1e-6)


def test_added_block_of_copies_adds_nothing():
    A = rng().normal(size=(50, 2))
    assert added(orthonormal([A], 50), A[:, :1] * 2, rng(1).normal(size=50)).p_value == 1.0


def test_curvature_tells_lines_from_curves():
    x = rng().normal(size=(500, 2))
    noise = rng(1).normal(size=500)
    straight = SplineTable.of(np.column_stack([x, x @ [1.0, -2.0] + noise]), n_jobs=1)
    bent = SplineTable.of(np.column_stack([x, x[:, 0] + 2 * x[:, 1] ** 2 + noise]), n_jobs=1)
    both = np.array([0, 1])
    assert curvature(straight, 2, both).share < 0.02
    assert curvature(straight, 2, both).edges.min() > 0.001
    found = curvature(bent, 2, both)
    assert found.edges[1] < 1e-12
    assert found.edges[0] > 0.001
    # x^2 of variance 2 with weight 2 against a line of variance 1
    assert found.share == pytest.approx(8 / 9, abs=0.05)


def test_curvature_and_interaction_keep_their_level():
    curved, crossed = [], []
    for seed in range(1000, 1080):
        g = rng(seed)
        x = g.normal(size=(150, 2))
        table = SplineTable.of(np.column_stack([x, x.sum(axis=1) + g.normal(size=150)]), n_jobs=1)
        curved.extend(curvature(table, 2, np.array([0, 1])).edges)
        crossed.append(interaction(table, 2, np.array([0, 1])).p_value)
    assert 0.015 < np.mean(np.array(curved) < 0.05) < 0.1
    assert np.mean(np.array(crossed) < 0.05) < 0.11


def test_interaction_finds_the_pair_and_its_share():
    g = rng()
    x = g.normal(size=(1000, 3))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.5 * g.normal(size=1000)
    table = SplineTable.of(np.column_stack([x, y]), n_jobs=1)
    found = interaction(table, 3, np.array([0, 1, 2]))
    assert found.pair == (1, 2)
    splines = np.column_stack([np.ones(1000), *(table.term(i, 10)[0] for i in range(3))])
    both = np.column_stack([x[:, 1] * x[:, 2], y])
    product, rest = (both - splines @ np.linalg.lstsq(splines, both, rcond=None)[0]).T
    gain = (product @ rest) ** 2 / (product @ product)
    assert found.share == pytest.approx(gain / (1000 * y.var()), abs=0.01)
    assert found.edges[0] > 1e-3
    assert found.edges[1:].max() < 1e-12
    assert interaction(table, 3, np.array([0])) is None


def test_too_many_parents_for_the_rows_are_not_tested_for_products():
    X = rng().normal(size=(40, 12))
    assert interaction(SplineTable.of(X, n_jobs=1), 11, np.arange(11)) is None


def test_joint_fit_takes_up_what_additive_fits_leave():
    g = rng()
    P = g.normal(size=(800, 2))
    left = np.sin(2 * P[:, 0] * P[:, 1])
    fitted = joint_fit(P, left + 0.3 * g.normal(size=800))
    assert np.mean((left - fitted) ** 2) < 0.15 * left.var()
    noise = g.normal(size=800)
    assert np.mean(joint_fit(P, noise) ** 2) < 0.1


def test_margin_is_the_cost_of_the_reversed_graph():
    g = rng()
    a = g.normal(size=300)
    b = np.sin(2 * a) + 0.5 * g.normal(size=300)
    c = b**2 + 0.5 * g.normal(size=300)
    X = np.column_stack([a, b, c])
    table = SplineTable.of(X, n_jobs=1)
    A = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)

    def rss(child, parents):
        design = np.column_stack([np.ones(300), *(table.term(i, 10)[0] for i in parents)])
        return np.sum((X[:, child] - design @ np.linalg.lstsq(design, X[:, child], rcond=None)[0]) ** 2)

    expected = 150 * np.log(rss(0, [1]) * rss(1, []) / rss(0, []) / rss(1, [0]))
    found = margins(table, A, n_jobs=1)
    assert found[0, 1] == pytest.approx(expected, rel=1e-6)
    assert found[0, 1] > 30
    assert margins(table, A.T, n_jobs=1)[1, 0] == pytest.approx(-expected, rel=0.3)
    assert np.isnan(found).sum() == 7
    with_detour = A.copy()
    with_detour[0, 2] = True
    assert np.isnan(margins(table, with_detour, n_jobs=1)[0, 2])  # a -> b -> c holds it
    assert log_likelihood(table, 0, np.array([], dtype=int), 10) == pytest.approx(
        -150 * np.log(np.sum((a - a.mean()) ** 2))
    )


def test_margin_of_a_linear_gaussian_pair_is_nothing():
    for seed in range(1000, 1010):
        g = rng(seed)
        a = g.normal(size=500)
        table = SplineTable.of(np.column_stack([a, a + g.normal(size=500)]), n_jobs=1)
        assert abs(margins(table, np.array([[False, True], [False, False]]), n_jobs=1)[0, 1]) < 12


def test_anderson_darling_against_published_critical_values_and_its_level():
    # Stephens' table for estimated mean and variance: A* = 0.752 at 5%, 1.035 at 1%
    for star, level in ((0.752, 0.05), (1.035, 0.01)):
        p = np.exp(1.2937 - 5.709 * star + 0.0186 * star**2)
        assert p == pytest.approx(level, rel=0.05)
    p_values = []
    for seed in range(1000, 1400):
        z = rng(seed).normal(size=100)
        p_values.append(anderson_darling((z - z.mean()) / z.std(ddof=1)))
    assert 0.03 < np.mean(np.array(p_values) < 0.05) < 0.08
    assert 0.4 < np.median(p_values) < 0.6


def test_shape_of_known_distributions():
    uniform = shape(rng().uniform(size=4000))
    assert uniform.kurtosis == pytest.approx(-1.2, abs=0.05)
    assert uniform.p_value < 1e-10
    exponential = shape(rng().exponential(size=20000))
    assert exponential.skewness == pytest.approx(2, abs=0.2)
    assert shape(np.full(30, 7.5)).p_value == 1.0


def test_far_out_rows():
    x = rng().normal(size=(1000, 3))
    x[:4, 1] = 50
    x[:, 2] = 0
    x[:5, 2] = 1  # a rare binary value: no scale from the median deviation
    share = far_out(x)
    assert share[0] == 0
    assert share[1] == 0.004
    assert far_out(x * 1e9 + 5)[1] == 0.004


def test_sortability_of_a_chain():
    A = np.eye(4, k=1, dtype=bool)
    assert sortability(np.array([1.0, 2, 3, 4]), A) == (1.0, 6)
    assert sortability(np.array([4.0, 3, 2, 1]), A) == (0.0, 6)
    assert sortability(np.ones(4), A) == (0.5, 6)
    value, pairs = sortability(np.ones(4), np.zeros((4, 4), dtype=bool))
    assert np.isnan(value)
    assert pairs == 0


def test_trivial_sort_finds_what_variance_betrays():
    g = rng()
    X = g.normal(size=(400, 5))
    for j in range(1, 5):
        X[:, j] += X[:, j - 1] ** 2 / max(1, X[:, j - 1].std())
    X *= 10.0 ** np.arange(5)  # variance gives the order away
    A = np.eye(5, k=1, dtype=bool)
    table = SplineTable.of(X / X.std(axis=0), n_jobs=1)
    by_variance, _ = trivial_sorts(X, A, Constraints.none(5), 0.001, table, n_jobs=1)
    assert by_variance.sortability == 1
    assert not by_variance.descending
    assert by_variance.common == 4
    backwards, _ = trivial_sorts(1 / X.std(axis=0) ** 2 * X, A, Constraints.none(5), 0.001, table, n_jobs=1)
    assert backwards.sortability == 0
    assert backwards.descending


def test_strongest_candidates_are_those_of_largest_share():
    g = rng()
    X = g.normal(size=(200, 6))
    X[:, 5] = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.1 * g.normal(size=200)
    mask = np.zeros((6, 6), dtype=bool)
    mask[:5, 5] = True
    kept = strongest(SplineTable.of(X, n_jobs=1), mask, 2)
    assert kept.sum() == 2
    assert kept[[0, 1], 5].all()


def test_fits_are_the_same_for_any_number_of_workers_and_survive_constants():
    g = rng()
    X = g.normal(size=(100, 4))
    X[:, 2] = 0
    X[:, 3] += X[:, 0] * X[:, 1]
    A = np.zeros((4, 4), dtype=bool)
    A[:3, 3] = True
    A[0, 2] = True
    table = SplineTable.of(X, n_jobs=1)
    one, two = fit_nodes(table, A, 1), fit_nodes(table, A, 2)
    assert [list(fit.parents) for fit in one] == [[], [], [], [0, 1]]
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.residual, b.residual)


def test_levels_as_parents_are_not_called_straight_lines():
    """A category has no curve, so that linearity says nothing of the direction of its edges."""
    import dagscale

    g = np.random.default_rng(1000)
    x, city = g.normal(size=300), g.choice(["a", "b", "c"], 300)
    y = np.sin(2 * x) + 2.0 * (city == "a") + 0.3 * g.normal(size=300)
    table = {"x": x, "city": city, "y": y}
    known = dagscale.Knowledge(tiers=[["x", "city"], ["y"]])
    result = dagscale.discover(table, method="cam", knowledge=known, n_jobs=1)
    assert {("x", "y"), ("city", "y")} <= set(result.graph.edges)
    linearity = [check for check in result.diagnostics.checks if check.name == "linearity"]
    assert linearity
    assert all(check.verdict == "ok" for check in linearity)
