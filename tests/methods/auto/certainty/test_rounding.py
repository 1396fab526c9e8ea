"""Rounded and capped values show no direction: pairs that fit both ways stay open, and curves are still claimed."""

import numpy as np
import pytest

import dagscale
from dagscale.methods.auto.certainty.shape_trust import spiked
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.rows_gain import rows_scales

n = 500


def rounded(x, steps):
    """Values of x (n,) on a grid of so many steps between its 2% and its 98% quantile."""
    low, high = np.quantile(x, [0.02, 0.98])
    return np.round((x - low) / (high - low) * steps)


def line(seed):
    """Two columns that are normal together: no shape tells a direction."""
    g = np.random.default_rng(seed)
    x = g.normal(size=n)
    return x, 0.9 * x + 0.6 * g.normal(size=n)


def directions(columns):
    result = dagscale.discover(np.column_stack(columns), effort="quick", n_jobs=1)
    return result.adjacency & ~result.either_way


COARSE = {
    "8 steps": lambda x: rounded(x, 8),
    "15 steps, saturating": lambda x: rounded(np.tanh(x), 15),
    "15 steps, skewed": lambda x: rounded(np.exp(0.7 * x), 15),
    "capped": lambda x: np.clip(x, -1.2, 1.2),
    "limit of detection": lambda x: np.maximum(x, -0.8),
}


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("fault", COARSE)
def test_a_fault_of_measurement_at_one_end_is_no_direction(fault, end):
    for seed in range(1000, 1004):
        columns = list(line(seed))
        columns[end] = COARSE[fault](columns[end] / columns[end].std())
        assert not directions(columns).any()


@pytest.mark.parametrize("end", [0, 1])
def test_a_wave_is_claimed_with_either_end_rounded(end):
    g = np.random.default_rng(1000)
    x = g.normal(size=n)
    columns = [x, np.sin(2 * x) + 0.3 * g.normal(size=n)]
    columns[end] = rounded(columns[end], 15)
    assert directions(columns).tolist() == [[False, True], [False, False]]


def test_filled_columns_have_the_same_values_in_both_roles():
    g = np.random.default_rng(1000)
    fine, levels = g.exponential(size=n), np.arange(n) % 3
    X = np.column_stack([rounded(fine, 30) + 2.0, fine, levels])
    kinds = ("continuous", "continuous", "categorical")
    for scale in scales_of(X, kinds):
        assert scale.rounded.tolist() == [True, False, False]
        filled = scale.filled()
        assert np.array_equal(filled.parents[:, 0], scale.children[:, 0])
        assert np.array_equal(filled.parents[:, 1:], scale.parents[:, 1:])
        assert np.array_equal(filled.children, scale.children)
    left_out = np.zeros(X.shape, dtype=bool)
    left_out[: n // 2, 1] = True
    for rows in rows_scales(X, left_out, kinds):
        assert rows.rounded.tolist() == [True, False, False]
        for part, own in zip(rows.filled().parts, rows.parts, strict=True):
            assert np.array_equal(part.parents, own.filled().parents)


def test_spikes_are_values_of_many_rows_among_others():
    x = np.random.default_rng(1000).normal(size=n)
    assert spiked(np.maximum(x, -1.0))
    assert spiked(np.where(x > 1.0, 0.0, x))
    assert spiked(np.clip(x, -1.2, 1.2))
    heaped = np.where(np.arange(n) % 3, np.round(2.0 * x), 2.0 * x)
    for whole in (
        x,
        rounded(x, 8),
        rounded(x, 100),
        np.maximum(x, -2.5),
        np.arange(n) % 3,
        np.zeros(n),
        heaped,
    ):
        assert not spiked(whole)
