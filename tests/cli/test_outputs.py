"""What a person reads at the end of a run."""

from dataclasses import replace

import numpy as np
import pytest

from dagscale.cli.outputs import LEGEND, print_result
from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Knowledge
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.stages.answer import Answer


@pytest.fixture
def result():
    """a -> b with a sure direction, b -- c open, a and c with a hidden cause."""
    adjacency, open_, hidden = np.zeros((3, 3, 3), dtype=bool)
    adjacency[0, 1] = adjacency[1, 2] = open_[1, 2] = open_[2, 1] = hidden[0, 2] = hidden[2, 0] = True
    sure = np.array([[0, 0.9, 0], [0, 0, 0.5], [0, 0.4, 0]])
    X = np.random.default_rng(1000).normal(size=(100, 3))
    found = Answer(
        topological_order(adjacency),
        adjacency,
        {},
        (),
        either_way=open_,
        confounded=hidden,
        probabilities=sure,
    )
    return Result.from_answer(found, Table(X, ("a", "b", "c"), ()), "auto", {}, {}, None)


def test_hidden_causes_are_named_and_columns_explained(result, capsys):
    print_result(result, None, hint=False)
    told = capsys.readouterr().out
    assert "2 links: 1 direction supported, 1 open; 1 pair seems to share a hidden cause" in told
    assert "hidden common causes suspected: a <-> c" in told
    assert "one order that fits, causes first: a < b < c" in told
    assert LEGEND in told
    assert all(len(line) <= 120 for line in LEGEND.splitlines())


def test_directions_that_were_known_are_not_said_to_be_supported_by_the_data(result, capsys):
    known = replace(result, knowledge=Knowledge(tiers=[["a"], ["b", "c"]]))
    print_result(known, None, hint=False)
    told = capsys.readouterr().out
    assert "1 direction supported or known, 1 open" in told
    assert "known" in next(line for line in told.splitlines() if line.split()[:2] == ["a", "->"])
