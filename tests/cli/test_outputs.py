"""What a person reads at the end of a run."""

from dataclasses import replace

import numpy as np
import pytest

from dagscale.cli.outputs import LEGEND, as_document, print_result
from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Knowledge
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.result.certainty import headline
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


def test_open_directions_lead_to_the_questions_on_the_page(result, capsys, tmp_path):
    print_result(result, tmp_path)
    assert "'What you may know' on the report page" in capsys.readouterr().err
    none = np.zeros_like(result.either_way)
    print_result(replace(result, either_way=none), tmp_path)
    assert "What you may know" not in capsys.readouterr().err


def test_a_graph_without_edges_has_no_order_and_no_table(result, capsys):
    none = np.zeros((3, 3), dtype=bool)
    found = Answer((2, 1, 0), none, {}, (), either_way=none, confounded=none, probabilities=none * 0.1)
    empty = Result.from_answer(found, Table(result.sample, ("a", "b", "c"), ()), "auto", {}, {}, None)
    print_result(empty, None, hint=False)
    told = capsys.readouterr().out
    assert told.splitlines()[1:] == ["no links"]
    assert "order" not in repr(empty)
    assert "<table>" not in empty._repr_html_()


def test_the_document_for_machines_says_what_the_page_says(result):
    document = as_document(result, None)
    assert document["summary"] == headline(result)
    assert document["confounded"] == [["a", "c"]]
