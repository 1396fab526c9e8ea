"""Tables whose noise multiplies, end to end; and tables where it does not."""

import numpy as np
import pytest

from dagscale import simulate
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.search.likelihood_search import search
from dagscale.methods.context import Context


def _found(X, **options):
    return search(X, Context(Constraints.none(X.shape[1]), effort="quick", **options))


@pytest.mark.parametrize("standardize", [False, True])
def test_parents_of_a_sum_that_others_hide(standardize):
    drawn = simulate(
        "ER", nodes=10, edges_per_node=4, noise="multiplicative", random_state=1003, standardize=standardize
    )
    truth = drawn.adjacency.astype(bool)
    found = _found(drawn.table.to_numpy())
    assert not (found.graph & truth.T).any()
    assert (found.graph ^ truth).sum() <= 15  # logarithms and normal scores see 20 of the 40 edges
    assert found.lines == found.graph.any(axis=0).sum() == 9
    assert found.notes[0] == "the columns were used as they are"
    assert "noise multiplies: 9 of 9 effects" in found.notes[1]


def test_a_sparse_table_whose_noise_multiplies():
    drawn = simulate(
        "ER", nodes=10, edges_per_node=1, noise="multiplicative", random_state=1001, standardize=True
    )
    assert (_found(drawn.table.to_numpy()).graph ^ drawn.adjacency.astype(bool)).sum() <= 2


@pytest.mark.parametrize("kind", [{}, {"linear": 1.0, "noise": "exponential"}, {"noise": "location-scale"}])
def test_other_noise_is_not_taken_for_it(kind):
    drawn = simulate("ER", nodes=6, edges_per_node=1.5, random_state=1000, standardize=True, **kind)
    found = _found(drawn.table.to_numpy())
    assert found.lines == 0
    assert not any("multiplies" in note for note in found.notes)


def test_too_little_time_leaves_the_graph_as_it_is():
    drawn = simulate("ER", nodes=10, edges_per_node=2, noise="multiplicative", random_state=1000)
    found = _found(drawn.table.to_numpy(), deadline=0.0)
    assert found.late
    assert np.isfinite(found.score)
