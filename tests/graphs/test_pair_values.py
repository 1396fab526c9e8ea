"""Numbers of a few pairs read like the array they stand for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscale
from dagscale.graphs import pair_values as pairs
from dagscale.graphs.pair_values import (
    PairValues,
    pair_values,
    pairs_with_numbers,
    restored,
)


def both(seed, d=9, m=17):
    rng = np.random.default_rng(seed)
    places = rng.choice(d * d, m, replace=False)
    parents, children, numbers = places // d, places % d, rng.normal(size=m)
    dense = pair_values(d, parents, children, numbers)
    sorting = np.lexsort((parents, children))
    return dense, PairValues((d, d), parents[sorting], children[sorting], numbers[sorting])


@settings(deadline=None, max_examples=20, derandomize=True)
@given(seed=st.integers(0, 1000), m=st.integers(0, 30))
def test_reads_like_the_array(seed, m):
    dense, sparse = both(seed, m=m)
    np.testing.assert_array_equal(np.asarray(sparse), dense)
    i, j = np.random.default_rng(seed).integers(0, 9, (2, 40))
    np.testing.assert_array_equal(sparse[i, j], dense[i, j])
    np.testing.assert_array_equal(sparse[i, 3], dense[i, 3])
    np.testing.assert_array_equal(sparse[:, 4], dense[:, 4])
    np.testing.assert_array_equal(sparse[2], dense[2])
    np.testing.assert_array_equal(sparse[dense > 0], dense[dense > 0])
    assert repr(float(sparse[1, 2])) == repr(float(dense[1, 2]))
    ours, theirs = pairs_with_numbers(sparse), pairs_with_numbers(dense)
    assert {*zip(*map(tuple, ours), strict=True)} == {*zip(*map(tuple, theirs), strict=True)}


def test_comes_back_from_its_fields():
    dense, sparse = both(1)
    fields = (sparse.shape, sparse.parents, sparse.children, sparse.numbers)
    np.testing.assert_array_equal(np.asarray(restored(fields)), dense)
    assert restored(dense) is dense


@pytest.mark.parametrize("options", [{"method": "cam"}, {"method": "das"}])
def test_results_of_many_columns_say_the_same(options, monkeypatch, tmp_path):
    made = dagscale.simulate(nodes=8, samples=200, random_state=1000)
    usual = dagscale.discover(made.table, **options)
    monkeypatch.setattr(pairs, "DENSE", 0)
    wide = dagscale.discover(made.table, **options)
    assert isinstance(wide.trail[-1].statistic, PairValues)
    wide.save(tmp_path / "wide")
    for result in (wide, dagscale.Result.load(tmp_path / "wide")):
        assert isinstance(result.trail[-1].statistic, PairValues)
        assert result.edges.equals(usual.edges)
        for a in made.names:
            for b in made.names:
                if a != b:
                    assert str(result.why(a, b)) == str(usual.why(a, b))
    wide.report(tmp_path / "wide.html")
