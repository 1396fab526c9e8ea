"""The simulated farm: its causes are those it says, and the true effect is what its tables hold."""

import numpy as np
import pytest

from dagscale.data.datasets import load
from dagscale.data.datasets.farm import EDGES, NAMES, _grown, _noise, true_effect_of_fertiliser


def test_a_column_changes_with_its_parents_alone():
    """Rebuild each column from changed noise of another: it moves exactly where a directed path leads."""
    import networkx as nx

    graph = nx.DiGraph(EDGES)
    noise = _noise(50, 1000)
    before = _grown(noise)
    for name in NAMES:
        after = _grown({**noise, name: noise[name] + 0.1})
        moved = {other for other in NAMES if not np.array_equal(before[other], after[other])}
        assert moved == {name, *nx.descendants(graph, name)}


def test_the_effect_is_positive_where_the_plain_regression_is_negative():
    table = load("farm", samples=5000, random_state=1000).table
    assert np.polyfit(table["fertiliser"], table["harvest"], 1)[0] < 0
    assert true_effect_of_fertiliser() > 10
    assert true_effect_of_fertiliser(10) == pytest.approx(10 * true_effect_of_fertiliser(), rel=0.1)


def test_the_values_look_like_a_farm_s():
    table = load("farm").table
    assert list(table.columns) == NAMES
    assert len(table) == 600
    assert (table.min() >= 0).all()
    assert (table["rain"] % 1 == 0).all()
