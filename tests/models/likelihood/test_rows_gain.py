"""Rows per child: every child is judged on its own rows, and no other."""

import numpy as np

from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.joint_gain import JointGain
from dagscale.models.likelihood.rows_gain import joint_gain, rows_scales, spline_gain
from dagscale.models.likelihood.spline_gain import SplineGain

ITEMS = [(0, ()), (0, (1,)), (1, (0, 2)), (2, (0,)), (2, (0, 1))]


def _table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    X[:, 1] += X[:, 0] ** 2
    X[:, 2] += X[:, 0] * X[:, 1]
    left_out = np.zeros((150, 3), dtype=bool)
    left_out[100:130, 1], left_out[130:, 2] = True, True
    return X, left_out


def test_each_child_has_the_nats_of_its_own_rows() -> None:
    X, left_out = _table()
    scale = rows_scales(X, left_out)[0]
    additive = spline_gain(scale)
    joint = joint_gain(additive, 1.0)
    for j, parents in ITEMS:
        alone = SplineGain(scales_of(X[~left_out[:, j]])[0])
        item = (j, parents)
        assert np.isclose(additive([item])[0], alone([item])[0])
        assert np.isclose(joint([item])[0], JointGain(alone, 1.0)([item])[0])
        assert additive.told[item] == alone.told[item]


def test_values_that_were_set_tell_nothing_of_their_column() -> None:
    X, left_out = _table()
    changed = X.copy()
    changed[100:130, 1] = 7.0 * np.random.default_rng(1).normal(size=30)
    items = [(1, ()), (1, (0,)), (1, (0, 2))]
    before, after = (spline_gain(rows_scales(V, left_out)[0]) for V in (X, changed))
    assert np.allclose(before(items), after(items))
    assert not np.isclose(before([(2, (1,))])[0], after([(2, (1,))])[0])  # but they tell of its effects


def test_noise_covers_all_rows() -> None:
    X, left_out = _table()
    gain = spline_gain(rows_scales(X, left_out)[0])
    noise = gain.noise((1, (0,)))
    own = gain.part(1).noise((1, (0,)))
    assert np.array_equal(noise[~left_out[:, 1]], own)
    assert np.isin(noise[left_out[:, 1]], own).all()
