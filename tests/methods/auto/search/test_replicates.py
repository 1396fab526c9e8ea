"""Rows that show one draw again: families are recognised; rounding, copies and spikes are not taken for them."""

import numpy as np
import pytest

from dagscale.methods.auto.search.likelihood_search import search
from dagscale.methods.auto.search.replicates import repeated


def families(rng, many=150, size=6):
    """Parents' heights to half an inch, `size` children each; columns father, mother, child."""
    parents = np.repeat(np.round(rng.normal(68, 2.5, size=(many, 2)) * 2) / 2, size, axis=0)
    child = parents @ [0.4, 0.3] + 20 + rng.normal(0, 2.2, size=len(parents))
    return np.column_stack([parents, np.round(child, 1)])


def test_each_draw_of_a_family_is_kept_once():
    X = families(np.random.default_rng(1000))
    again = repeated(X)
    draws = len(np.unique(X[:, :2], axis=0))
    assert (~again[:, 0]).sum() == (~again[:, 1]).sum() == draws
    assert len(np.unique(X[~again[:, 0], :2], axis=0)) == draws
    assert not again[:, 2].any()


def test_categories_are_no_families():
    X = families(np.random.default_rng(1000))
    assert not repeated(X, ("categorical", "continuous", "continuous")).any()


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1, 0.3, 1.0])
def test_rounded_relations_are_no_families(noise):
    g = np.random.default_rng(1000)
    x, e = g.normal(size=(2, 1000))
    for y in (2.54 * x, x**3 / 4, -x, 0.0 * x):
        assert not repeated(np.round(np.column_stack([x, y + noise * e]) * 8)).any()


def test_a_spike_in_two_columns_is_no_family():
    g = np.random.default_rng(1000)
    X = np.round(g.normal(10, 3, size=(400, 2)))
    X[:60] = 0.0
    assert not repeated(X).any()


def test_children_do_not_cause_what_their_family_shares():
    for seed in (1000, 1001, 1002):
        found = search(families(np.random.default_rng(seed)))
        assert found.repeats
        assert not found.graph[2].any()
        assert found.graph[:2, 2].all()


def test_units_that_are_named_mark_what_never_differs_within_one():
    """A trait of few values, which repeats by chance as well, is known to be one draw a person."""
    g = np.random.default_rng(1000)
    person = np.repeat(np.arange(40), 5)
    sex, wage = g.integers(0, 2, 40)[person].astype(float), g.normal(size=200)
    X, kinds = np.column_stack([sex, wage]), ("binary", "continuous")
    assert not repeated(X, kinds).any()
    again = repeated(X, kinds, person[:, None])
    assert not again[:, 1].any()
    assert (np.bincount(person[~again[:, 0]]) == 1).all()
    assert not repeated(X[:30], kinds, person[:30, None]).any()  # six persons tell nothing
