"""Searches end between a few items and the next, wherever the deadline finds them; looks at the clock are counted."""

import time
from itertools import count

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.search import within
from dagscale.methods.auto.search.loop import climb, greedy
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.proposers import Scene, exchange, single
from dagscale.methods.auto.search.within import Within
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.clock import BudgetSpent

D = 8


@pytest.fixture(scope="module")
def X():
    table = np.random.default_rng(1000).normal(size=(120, D))
    for j in range(1, D):
        table[:, j] += np.sin(table[:, :j]).sum(axis=1)
    return table


def test_without_a_deadline_all_items_are_asked_for_at_once(X):
    gain, asked = SplineGain(scales_of(X)[0]), []

    def noted(items):
        asked.append(len(items))
        return gain(items)

    items = [(j, (i,)) for i in range(D) for j in range(D) if i != j] * 3
    np.testing.assert_array_equal(Within(noted, np.inf)(items), gain(items))
    assert asked == [len(items)]
    asked.clear()
    np.testing.assert_array_equal(Within(noted, time.monotonic() + 1e6)(items), gain(items))
    assert max(asked) <= within.AT_ONCE
    with pytest.raises(BudgetSpent):
        Within(noted, 0.0)(items)


@pytest.mark.parametrize("looks", [0, 1, 3, 10, 30])
def test_searches_stop_at_the_first_look_after_the_deadline(X, looks, monkeypatch):
    """However many looks at the clock they were given, no more items are fitted afterwards than between two looks."""
    scene = Scene(Constraints.none(D), Constraints.none(D).allowed, D)
    gain, seen = SplineGain(scales_of(X)[0]), []
    objective = Objective(gain, D, 1.5)
    look = count()

    def late(_):
        seen.append(len(gain.told))
        return next(look) >= looks

    monkeypatch.setattr(within, "late", late)
    graph = climb(greedy(objective, scene, 1e9), objective, scene, (single, exchange), 1e9)
    after = len(gain.told)
    assert after - seen[-1] <= 0  # the last look found it late, and nothing was fitted then
    assert np.diff(seen).max(initial=0) <= within.AT_ONCE
    dagscale.graphs.dag.topological_order(graph)


@pytest.mark.parametrize("levels", [0, 7])
def test_a_budget_is_kept_by_the_clock_of_the_processor(X, levels, monkeypatch):
    table = pd.DataFrame(X, columns=list("abcdefgh"))
    for name in "aceg" if levels else "":
        table[name] = "level " + pd.qcut(table[name], levels, labels=False).astype(str)
    dagscale.discover(table.head(60), n_jobs=1, time_budget=0.1)  # imports
    monkeypatch.setattr(time, "monotonic", time.process_time)
    began = time.process_time()
    result = dagscale.discover(table, n_jobs=1, time_budget=1.0)
    assert time.process_time() - began < 3.0
    assert result.adjacency.shape == (D, D)
