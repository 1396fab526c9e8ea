"""Noise as a parent: the likelihood beside it is the one of a table that has it as a column."""

import numpy as np
import pytest

from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.rows_gain import joint_gain, rows_scales, spline_gain
from dagscale.models.likelihood.shared_noise import beside_noises, giving, noises_beside

ITEMS = [(2, ()), (2, (0,)), (2, (0, 1)), (3, (0,))]


def table(n=300):
    g = np.random.default_rng(0)
    h, *x = g.normal(size=(5, n))
    return np.column_stack([x[0], x[1] + h, np.sin(x[0]) + h + 0.3 * x[2], x[0] + 0.5 * x[3]]), h


@pytest.mark.parametrize("interacting", [False, True])
def test_a_noise_is_worth_what_the_column_would_be(interacting):
    X, h = table()

    def gain(columns):
        plain = spline_gain(scales_of(columns)[0])
        return joint_gain(plain, 1.0) if interacting else plain

    shared = giving(beside_noises(gain(X), h[:, None] / h.std()), {2: (0,)})
    whole = gain(np.column_stack([X, h]))
    items = [(j, (*parents, 4)) if j == 2 else (j, parents) for j, parents in ITEMS]
    np.testing.assert_allclose(shared(ITEMS), whole(items), rtol=1e-6)
    np.testing.assert_allclose(shared.noise((2, (0,))), whole.noise((2, (0, 4))), atol=1e-6)
    assert len(shared.told[2, (0, 1)].idle) in (0, 2)  # numbers of the table's columns alone


def test_noises_add_up_and_stay_with_their_children():
    X, h = table()
    plain = spline_gain(scales_of(X)[0])
    once = giving(beside_noises(plain, h[:, None]), {2: (0,)})
    twice = beside_noises(once, X[:, [1]] - h[:, None])
    assert (noises_beside(plain), noises_beside(once), noises_beside(twice)) == (0, 1, 2)
    np.testing.assert_allclose(twice(ITEMS), once(ITEMS), rtol=1e-9)
    both = giving(twice, {1: (1,), 2: (1,)})
    assert both([(1, ())])[0] > 10.0
    np.testing.assert_allclose(both([(3, (0,))]), plain([(3, (0,))]), rtol=1e-9)


def test_every_child_has_the_noise_of_its_own_rows():
    X, h = table()
    left_out = np.zeros(X.shape, dtype=bool)
    left_out[:100, 2] = True
    rows = giving(beside_noises(spline_gain(rows_scales(X, left_out)[0]), h[:, None]), {2: (0,)})
    few = giving(beside_noises(spline_gain(scales_of(X[100:])[0]), h[100:, None]), {2: (0,)})
    np.testing.assert_allclose(rows([(2, (0,))]), few([(2, (0,))]), rtol=1e-9)
    assert len(rows.noise((2, (0,)))) == len(X)
