"""The evidence of an additive fit, by Schwarz's approximation."""

import numpy as np
import pytest

from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.models.splines.strength import schwarz


def test_schwarz_is_the_gain_of_a_regression_less_its_price():
    rng = np.random.default_rng(1000)
    x = rng.normal(size=1000)
    y = x + rng.normal(size=1000)
    fit = AdditiveFit.of(SplineTable.of(np.column_stack([x, y])), 1, np.array([0]), "reml")
    exact = -500 * np.log(1 - np.corrcoef(x, y)[0, 1] ** 2) - 0.5 * np.log(1000)
    assert schwarz(fit) == pytest.approx(exact, abs=4.0)  # a spline that is nearly a line costs a little more
    constant = AdditiveFit.of(SplineTable.of(np.column_stack([x * 0, y])), 1, np.array([0]), "reml")
    assert schwarz(constant) == 0.0
