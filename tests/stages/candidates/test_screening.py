"""Marginal screening in blocks against all pairs at once."""

import numpy as np
import pytest
from scipy import stats

from dagscale.models.splines import SplineTable
from dagscale.stages.candidates import screening
from dagscale.stages.candidates.screening import marginal_screen, pair_p_values


def table(seed=0, n=150, d=30):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[:, 1:] += 0.6 * np.sin(2 * X[:, :-1])
    X[:, 3], X[:, 5] = 1.0, rng.integers(0, 2, n)
    return SplineTable.of(X, n_jobs=1)


def slow_screen(p_values, level, most):
    d = len(p_values)
    smaller = np.minimum(p_values, p_values.T)
    kept = np.zeros((d, d), dtype=bool)
    for j in range(d):
        partners = sorted(range(d), key=lambda i: (smaller[i, j], i))[:most]
        for i in partners:
            kept[i, j] = smaller[i, j] < level / d
    return kept | kept.T


def test_p_values_are_those_of_f_tests():
    splines = table()
    p_values = pair_p_values(splines)
    y, Q = splines.X[:, 7], splines.splines(6)
    explained = ((Q.T @ y) ** 2).sum()
    free = 150 - 1 - Q.shape[1]
    f = explained / Q.shape[1] / ((y @ y - explained) / free)
    assert p_values[6, 7] == pytest.approx(stats.f.sf(f, Q.shape[1], free))
    assert (p_values[3] == 1).all()
    assert (p_values.diagonal() == 1).all()
    np.testing.assert_allclose(pair_p_values(splines, np.array([7, 2])), p_values[:, [7, 2]])


@pytest.mark.parametrize("cells", [10**7, 2000])
@pytest.mark.parametrize(("level", "most"), [(0.05, 3), (3.0, 4), (1000.0, 4), (0.05, 40)])
def test_blocks_keep_the_same_pairs(level, most, cells, monkeypatch):
    monkeypatch.setattr(screening, "CELLS", cells)
    for seed in range(3):
        splines = table(seed)
        expected = slow_screen(pair_p_values(splines), level, most)
        np.testing.assert_array_equal(marginal_screen(splines, level, most, n_jobs=1), expected)
