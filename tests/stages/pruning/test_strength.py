"""Pruning by strength, against the same rule written with plain least squares."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.models.splines import SplineTable
from dagscale.stages.pruning.strength import drop_faint


def straight(seed, n=2000):
    """A strong, a faint and a useless parent, and the child's shares of variance they explain."""
    rng = np.random.default_rng(seed)
    parents = rng.normal(size=(n, 3))
    child = parents @ [1.0, 0.15, 0.0] + rng.normal(size=n)
    return np.column_stack([parents, child])


def into_last(d, parents):
    graph = np.zeros((d, d), dtype=bool)
    graph[list(parents), -1] = True
    return graph


def test_strengths_are_those_of_least_squares():
    X = straight(1000)
    kept, strength = drop_faint(SplineTable.of(X), into_last(4, [0, 1, 2]), 0.05)
    assert np.flatnonzero(kept[:, 3]).tolist() == [0]
    lost = [np.corrcoef(X[:, i], X[:, 3])[0, 1] ** 2 for i in range(2)]
    assert np.asarray(strength)[:2, 3] == pytest.approx(lost, abs=0.01)
    assert np.isnan(np.asarray(strength)[kept.T]).all()


def test_the_weaker_of_two_copies_goes_and_the_other_takes_its_place():
    rng = np.random.default_rng(1000)
    x = rng.normal(size=1000)
    X = np.column_stack([x + 0.1 * rng.normal(size=1000), x, x + 0.5 * rng.normal(size=1000)])
    kept, _ = drop_faint(SplineTable.of(X), into_last(3, [0, 1]), 0.05)
    assert np.flatnonzero(kept[:, 2]).tolist() == [1]  # both are faint beside each other


def test_required_edges_stay_however_faint_even_constant_ones():
    X = np.column_stack([np.ones(2000), straight(1000)])
    required = into_last(5, [0, 3])
    kept, strength = drop_faint(SplineTable.of(X), into_last(5, [0, 1, 2, 3]), 0.05, required)
    assert np.flatnonzero(kept[:, 4]).tolist() == [0, 1, 3]
    assert np.asarray(strength)[0, 4] == 0.0


def test_a_graph_without_edges_stays_so():
    kept, strength = drop_faint(SplineTable.of(straight(1000)), np.zeros((4, 4), dtype=bool), 0.05)
    assert not kept.any()
    assert np.isnan(np.asarray(strength)).all()


@given(seed=st.integers(0, 50), least=st.floats(0.0, 0.3))
@settings(deadline=None, max_examples=15, derandomize=True)
def test_units_and_column_order_do_not_matter_and_a_higher_bar_keeps_less(seed, least):
    X = straight(seed, 300)
    graph = into_last(4, [0, 1, 2])
    kept, strength = drop_faint(SplineTable.of(X), graph, least)
    scaled, _ = drop_faint(SplineTable.of(X * [5.0, 0.1, 2.0, 30.0]), graph, least)
    assert np.array_equal(kept, scaled)
    mixed = np.array([2, 0, 3, 1])
    moved, _ = drop_faint(SplineTable.of(X[:, mixed]), graph[np.ix_(mixed, mixed)], least, n_jobs=2)
    assert np.array_equal(kept[np.ix_(mixed, mixed)], moved)
    assert (np.asarray(strength)[kept] >= least).all()
    assert drop_faint(SplineTable.of(X), graph, least + 0.1)[0].sum() <= kept.sum()
