"""Average effects against closed forms: slopes, their errors, uneven noise, units."""

import numpy as np
import pytest

from dagscale.models.average_effect import by_curve, by_line


def confounded(rng, n, uneven=False):
    z = rng.normal(size=n)
    x = np.sin(z) + 0.7 * rng.normal(size=n)
    y = 0.5 * x + np.tanh(x) + z**2 + rng.normal(size=n) * (0.5 + np.abs(x) if uneven else 1.0)
    return x[:, None], z[:, None], y[:, None]


def test_the_line_is_least_squares_with_white_s_errors():
    rng = np.random.default_rng(1000)
    x, z, y = confounded(rng, 300)
    A = np.column_stack([np.ones(300), x, z])
    b = np.linalg.solve(A.T @ A, A.T @ y[:, 0])
    bread = np.linalg.inv(A.T @ A)
    e = y[:, 0] - A @ b
    cov = bread @ (A.T * e**2) @ A @ bread * 300 / 297
    found = by_line(y, x, z)
    assert found.effect[0, 0] == pytest.approx(b[1])
    assert found.error[0, 0] == pytest.approx(np.sqrt(cov[1, 1]))


def test_intervals_of_the_curve_cover_the_average_derivative_under_uneven_noise():
    rng = np.random.default_rng(1001)
    many, _, _ = confounded(rng, 400_000)
    truth = float(np.mean(0.5 + 1 - np.tanh(many) ** 2))
    hits = []
    for _ in range(60):
        x, z, y = confounded(rng, 400, uneven=True)
        found, _ = by_curve(y, x, z)
        hits.append(abs(found.effect[0, 0] - truth) < 1.96 * found.error[0, 0])
    assert np.mean(hits) >= 0.87  # 0.95 is expected; less than 0.87 happens once in 500


def test_a_line_misses_what_a_bent_confounder_does_and_the_curve_does_not():
    rng = np.random.default_rng(1002)
    z = rng.exponential(size=2000)
    x = z**2 + rng.normal(size=2000)
    y = 1.0 * x + 3 * np.sqrt(z) * 4 + rng.normal(size=2000)
    line, curve = by_line(y[:, None], x[:, None], z[:, None]), by_curve(y[:, None], x[:, None], z[:, None])[0]
    assert abs(line.effect[0, 0] - 1) > 3 * line.error[0, 0]
    assert abs(curve.effect[0, 0] - 1) < 3 * curve.error[0, 0]
    assert abs(curve.effect[0, 0] - 1) < 0.2


def test_units_change_the_numbers_as_they_must():
    rng = np.random.default_rng(1003)
    x, z, y = confounded(rng, 300)
    for estimate in (by_line, lambda *data: by_curve(*data)[0]):
        plain, scaled = estimate(y, x, z), estimate(1e6 * y + 5, 1e-3 * x - 7, 20 * z)
        assert scaled.effect / plain.effect == pytest.approx(1e9, rel=1e-5)
        assert scaled.error / plain.error == pytest.approx(1e9, rel=1e-5)


def test_several_outcomes_at_once_are_as_if_one_by_one():
    rng = np.random.default_rng(1007)
    x, z, y = confounded(rng, 300)
    Y = np.hstack([y, np.exp(-y), (y > 0).astype(float)])
    for estimate in (by_line, lambda *data: by_curve(*data)[0]):
        together = estimate(Y, np.hstack([x, x**2]), z)
        alone = [estimate(Y[:, [k]], np.hstack([x, x**2]), z) for k in range(3)]
        assert together.effect == pytest.approx(np.concatenate([one.effect for one in alone]))
        assert together.error == pytest.approx(np.concatenate([one.error for one in alone]))


def test_indicators_of_levels_give_differences_of_means():
    rng = np.random.default_rng(1004)
    level = rng.integers(0, 3, size=600)
    y = np.array([0.0, 2.0, -1.0])[level] + rng.normal(size=600)
    D = np.stack([level == 1, level == 2], axis=1).astype(float)
    means = [y[level == k].mean() for k in range(3)]
    wanted = [means[1] - means[0], means[2] - means[0]]
    nothing = np.zeros((600, 0))
    assert by_line(y[:, None], D, nothing).effect[0] == pytest.approx(wanted)
    assert by_curve(y[:, None], D, nothing)[0].effect[0] == pytest.approx(wanted, abs=1e-6)


def test_a_cause_that_the_others_determine_has_no_estimate():
    rng = np.random.default_rng(1005)
    z = rng.normal(size=100)
    y = rng.normal(size=(100, 2))
    assert np.isnan(by_line(y, (2 * z + 1)[:, None], z[:, None]).effect).all()
    assert np.isnan(by_curve(y, (2 * z + 1)[:, None], z[:, None])[0].effect).all()


def test_the_curve_follows_the_effect_in_the_table_s_units():
    rng = np.random.default_rng(1006)
    x = 50 + 10 * rng.normal(size=1500)
    y = 3 * np.sin((x - 50) / 10) + 0.2 * rng.normal(size=1500)
    _, curve = by_curve(y[:, None], x[:, None], np.zeros((1500, 0)), steps=40)
    truth = 3 * np.sin((curve.x - 50) / 10)
    truth -= (3 * np.sin((x - 50) / 10)).mean()
    assert curve.x[0] == pytest.approx(np.quantile(x, 0.01))
    assert np.abs(curve.effect - truth).max() < 0.25
    assert np.mean(np.abs(curve.effect - truth) < 2.5 * curve.error) > 0.8
