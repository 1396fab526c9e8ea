"""Conditions of wide tables, on narrow ones: what changed is told after the search."""

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.table import read_table
from dagscale.methods.auto.method import auto
from dagscale.methods.auto.wide_experiments import search_wide
from dagscale.methods.context import Context

GRAPH = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)
NAMES = list("abcd")


@pytest.fixture(scope="module")
def drawn() -> dagscale.Simulation:
    graph = pd.DataFrame(GRAPH.astype(int), index=NAMES, columns=NAMES)
    sets = dict.fromkeys(NAMES, 40)
    return dagscale.simulate(
        graph, samples=400, linear=1.0, interventions=sets, standardize=True, random_state=1000
    )


def answered(table: pd.DataFrame, **told: str):
    read = read_table(table, **told)
    context = Context(Constraints.none(4), n_jobs=1, effort="quick", conditions=read.conditions)
    return search_wide(read.X, context, 0.001, auto)


def test_directions_are_settled_and_sure(drawn: dagscale.Simulation) -> None:
    found = answered(drawn.table.assign(done=drawn.targets), interventions="done")
    assert np.array_equal(found.adjacency, drawn.adjacency)
    assert not found.either_way.any()
    assert found.disputes == ()
    assert found.probabilities[found.adjacency].min() > 0.8
    assert any("rows in which nothing was set" in note for note in found.notes)


def test_unknown_targets_are_found(drawn: dagscale.Simulation) -> None:
    found = answered(
        drawn.table.assign(where=[label or "obs" for label in drawn.targets]), environment="where"
    )
    assert found.changed[1:].diagonal().all()
    assert found.changed.sum() <= 6  # a link that observations cannot direct may cost two changes more
