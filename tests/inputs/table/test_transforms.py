"""Logarithms and rank-Gaussian scores."""

import numpy as np
import pytest
from scipy.stats import norm

from dagscale.inputs.table.transforms import apply_transforms, check_transform
from dagscale.runtime.errors import InputError, InputTypeError


def test_log_and_rank_change_their_columns_only():
    X = np.array([[1.0, 3.0, 5.0], [np.e, 1.0, 5.0], [np.e**2, 2.0, 7.0], [np.e**3, 2.0, 1.0]])
    apply_transforms(X, ["a", "b", "c"], {0: "log", 1: "rank"})
    np.testing.assert_allclose(X[:, 0], [0, 1, 2, 3], atol=1e-15)
    np.testing.assert_allclose(X[:, 1], norm.ppf([3.5 / 4, 0.5 / 4, 2 / 4, 2 / 4]), atol=1e-15)  # ties share
    np.testing.assert_array_equal(X[:, 2], [5, 5, 7, 1])


def test_rank_ignores_any_increasing_change_of_unit():
    x = np.random.default_rng(0).normal(size=(200, 1))
    one, other = x.copy(), np.exp(3 * x) + 7
    apply_transforms(one, ["a"], {0: "rank"})
    apply_transforms(other, ["a"], {0: "rank"})
    np.testing.assert_array_equal(one, other)
    assert abs(one.mean()) < 1e-12
    assert abs(one.std() - 1) < 0.02


@pytest.mark.parametrize("value", [0.0, -2.5])
def test_log_names_the_first_value_without_one(value):
    X = np.array([[1.0], [2.0], [value], [-9.0]])
    with pytest.raises(
        InputError, match=rf"column 'dose' holds {value:g} in row 2 .*; shift the column or use 'rank'"
    ):
        apply_transforms(X, ["dose"], {0: "log"})


def test_unknown_transforms_are_refused():
    for fine in (None, "log", "rank", {}, {"a": "log", "b": None}):
        check_transform(fine)
    with pytest.raises(InputError, match="unknown transform 'logs'; did you mean 'log'"):
        check_transform("logs")
    with pytest.raises(InputError, match="unknown transform 'rnk'; did you mean 'rank'"):
        check_transform({"a": "rnk"})
    with pytest.raises(InputTypeError, match="transform must be 'log', 'rank' or a dict"):
        check_transform(3)
    with pytest.raises(InputTypeError, match="transform must be 'log', 'rank' or a dict"):
        check_transform(np.log)
