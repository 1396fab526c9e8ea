"""Discrete columns: their kinds, their values, and that children are made from the levels."""

import numpy as np
import pandas as pd
import pytest

from dagscale.data.simulate import simulate
from dagscale.data.simulate.discrete import cut, draw_kinds

ALL = np.ones(10_000, dtype=bool)


def test_kinds_come_in_turn_and_fill_the_share():
    kinds = draw_kinds(20, 0.6, np.random.default_rng(0))
    assert sorted(kinds) == ["binary"] * 4 + ["categorical"] * 4 + ["continuous"] * 8 + ["count"] * 4
    assert draw_kinds(5, 0.0, np.random.default_rng(0)) == ["continuous"] * 5


@pytest.mark.parametrize("seed", range(5))
def test_levels_and_counts(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(5, 3, 10_000)
    assert cut(x, "continuous", ALL, rng) is x
    binary = cut(x, "binary", ALL, rng)
    assert set(binary) == {0, 1}
    assert 0.29 < binary.mean() < 0.71
    assert x[binary == 0].max() < x[binary == 1].min()
    three = cut(x, "categorical", ALL, rng)
    assert np.bincount(three.astype(int)).min() > 1900
    ranges = sorted((x[three == level].min(), x[three == level].max()) for level in range(3))
    assert ranges[0][1] < ranges[1][0]
    assert ranges[1][1] < ranges[2][0]
    count = cut(x, "count", ALL, rng)
    # the mean of a Poisson with log-normal rate: 3 exp(0.5² / 2)
    assert count.mean() == pytest.approx(3 * np.exp(1 / 8), rel=0.05)
    assert (count == np.rint(count)).all()


def test_the_codes_of_categories_have_no_order():
    x = np.random.default_rng(0).normal(size=10_000)
    lowest = {cut(x, "categorical", ALL, np.random.default_rng(seed))[x.argmin()] for seed in range(30)}
    assert lowest == {0, 1, 2}


def test_the_table_has_values_that_pandas_and_people_read():
    made = simulate(nodes=9, edges_per_node=1, samples=200, discrete=0.5, random_state=1)
    assert list(made.kinds) == made.names == list(made.table.columns)
    for name, kind in made.kinds.items():
        column = made.table[name]
        if kind == "categorical":
            assert list(column.cat.categories) == ["a", "b", "c"]
            assert not column.cat.ordered
        elif kind == "continuous":
            assert column.dtype == np.float64
        else:
            assert column.dtype == np.int64
            assert column.min() >= 0
    assert set(made.kinds.values()) == {"continuous", "binary", "categorical", "count"}


def test_without_discrete_columns_all_stay_floats():
    made = simulate(nodes=4, samples=10)
    assert made.kinds is None
    assert (made.table.dtypes == np.float64).all()


@pytest.mark.parametrize("seed", range(4))
def test_children_see_the_levels(seed):
    def silent(P, rng):
        return rng.standard_normal(len(P)) if P.shape[1] == 0 else np.zeros(len(P))

    star = np.zeros((6, 6))
    star[0, 1:] = 1
    made = simulate(star, samples=300, noise=silent, mechanism="sine", discrete=0.5, random_state=seed)
    if made.kinds["X0"] == "continuous":
        return
    for child in (name for name in made.names[1:] if made.kinds[name] == "continuous"):
        assert made.table.groupby("X0", observed=True)[child].nunique().max() == 1


@pytest.mark.parametrize("how", [True, "iscm"])
def test_scaling_and_errors_leave_levels_alone(how):
    options = {"nodes": 9, "samples": 100, "discrete": 0.5, "random_state": 4}
    made = simulate(standardize=how, measurement_error=0.3, **options)
    for name, kind in made.kinds.items():
        if kind in ("binary", "count"):
            assert made.table[name].dtype == np.int64
        elif kind == "continuous" and how is True:
            assert made.table[name].std(ddof=0) == pytest.approx(1)
    pd.testing.assert_frame_equal(
        made.table, simulate(standardize=how, measurement_error=0.3, **options).table
    )
