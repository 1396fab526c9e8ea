"""Children of many categories: the quick way to a fit agrees with Newton's method, and idle parents are not fitted."""

from unittest.mock import patch

import numpy as np
import pytest

from dagscale.models.likelihood import categories, laplace
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.families import Categorical
from dagscale.models.likelihood.spline_gain import SplineGain


@pytest.fixture(scope="module")
def table():
    """A child of many levels that the first two of three parents act on."""
    rng = np.random.default_rng(0)
    parents = rng.standard_normal((600, 3))
    drive = np.sin(2 * parents[:, 0]) + parents[:, 1] + 0.7 * rng.standard_normal(600)
    return parents, drive


def _gain(table, levels):
    parents, drive = table
    y = np.searchsorted(np.quantile(drive, np.linspace(0, 1, levels + 1)[1:-1]), drive)
    X = np.column_stack([parents, y])
    kinds = ("continuous",) * 3 + ("categorical",)
    return SplineGain(scales_of(X, kinds)[0])


def _by_newton_alone(discrete, item):
    family, (Z, rough, term) = discrete.families[item[0]][0], discrete._design(item)
    m, q = family.predictors, Z.shape[1]
    null = family.derivatives(family.start(), np.zeros((len(Z), m)))
    at = family.start(), np.zeros((m, q)), np.full(term.max() + 1, laplace.START)
    return laplace._newton(family, Z, rough, term, null, at)


@pytest.mark.parametrize("parents", [(0,), (1,), (0, 1), (0, 1, 2)])
def test_the_quick_way_ends_where_newtons_method_does_in_fewer_steps(table, parents):
    discrete = _gain(table, 5).discrete
    item = (3, parents)
    with patch.object(laplace, "_step", side_effect=laplace._step) as steps:
        exact = _by_newton_alone(discrete, item)
        alone = steps.call_count
        quick = discrete._fits(item)[0]
    assert quick.gain == pytest.approx(exact.gain, abs=0.2)
    assert quick.left == pytest.approx(exact.left, abs=0.01)
    assert steps.call_count - alone < alone


@pytest.mark.parametrize("parents", [(0,), (0, 1), (0, 1, 2)])
def test_very_many_categories_end_near_by(table, parents):
    discrete = _gain(table, 12).discrete
    exact = _by_newton_alone(discrete, (3, parents))
    with patch.object(laplace, "_step", side_effect=laplace._step) as steps:
        quick = discrete._fits((3, parents))[0]
    assert exact.gain > 20
    assert quick.gain == pytest.approx(exact.gain, abs=0.5, rel=0.02)
    assert steps.call_count <= 2  # one for this fit, one for the child alone


def test_an_idle_parent_is_not_fitted_and_costs_what_its_fit_would(table):
    gain = _gain(table, 12)
    both = gain([(3, (0, 1))])[0]
    with patch.object(laplace, "fit", side_effect=AssertionError):
        told = gain([(3, (0, 1, 2))])[0]
    fitted = gain.discrete._mixed((3, (0, 1, 2)), gain.discrete._fits((3, (0, 1, 2))))[0]
    assert told < both
    assert told == pytest.approx(fitted, abs=2.0)  # of 260


def test_a_parent_that_tells_something_promises_it():
    rng = np.random.default_rng(1)
    z = rng.standard_normal((500, 2))
    y = np.searchsorted([-1.0, -0.3, 0.4, 1.1], z[:, 0] + rng.standard_normal(500))
    family, none = Categorical.of(y), np.zeros((500, 0))
    one = [
        categories.promised(
            family, family.start(), np.zeros((500, 4)), none, z[:, [k]], np.ones(1), np.zeros(1, int)
        )
        for k in (0, 1)
    ]
    assert one[0] > 30
    assert one[1] < 2
