"""The table of splines."""

import numpy as np
import pytest

from dagscale.models.splines import AdditiveFit, SplineTable


@pytest.mark.parametrize("layout", ["C", "F"])
def test_columns_not_asked_for_get_no_splines_and_change_nothing(layout):
    X = np.asarray(np.random.default_rng(0).standard_normal((80, 4)), order=layout)
    before = X.copy()
    whole, some = SplineTable.of(X), SplineTable.of(X, only=np.array([True, False, True, False]))
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(some.widths > 0, [True, False, True, False])
    for i in (0, 2):
        np.testing.assert_array_equal(some.splines(i), whole.splines(i))
    fits = [AdditiveFit.of(table, 2, [0]).p_values for table in (whole, some)]
    np.testing.assert_array_equal(*fits)
