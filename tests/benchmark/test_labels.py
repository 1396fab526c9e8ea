"""Rows that are told the targets of experiments, or not, or wrongly, and what is made of it."""

import numpy as np
import pytest

from dagscale.benchmark.cases import Case, Experiments, problem
from dagscale.benchmark.judge import judge_problem
from dagscale.benchmark.labels import exchanged, told
from dagscale.benchmark.rows import answer, parse_row
from dagscale.runtime.errors import InputError

SETTINGS = (("edges_per_node", 1), ("graph", "ER"), ("linear", 1.0), ("samples", 150))
CASE = Case("linear", 5, settings=SETTINGS, experiments=Experiments(5, rows=40))


def test_experiments_are_drawn_and_identify_the_case():
    data = problem(CASE, 1000)
    assert data.targets.shape == (150 + 5 * 40, 5)
    assert data.targets.sum(axis=0).tolist() == [40] * 5
    assert CASE.parameters()["experiments"] == {"columns": 5, "rows": 40, "together": 1, "kind": "perfect"}
    two = Experiments(3, rows=40, together=2).arguments()["interventions"]
    assert two == {("X0", "X1"): 40, ("X1", "X2"): 40, ("X2", "X0"): 40}


def test_what_a_row_is_told():
    data = problem(CASE, 1000)
    by = {labels: told(data.table, data.targets, labels, 0) for labels in ("known", "observed", "none")}
    assert by["known"][1]["interventions"] is data.targets
    assert len(by["observed"][0]) == 150
    assert by["none"][0] is data.table
    table, options, _ = told(data.table, data.targets, "unknown", 0)
    assert options == {"environment": "experiment"}
    assert set(table["experiment"]) == {"obs", *data.table.columns}


def test_one_label_in_five_is_wrong_and_at_least_two():
    few, many = [f"X{k}" for k in range(5)], [f"X{k}" for k in range(20)]
    assert len(exchanged(["", *few], 0)) == 2
    wrong = exchanged(many, 0)
    assert len(wrong) == 4
    assert set(wrong) == set(wrong.values())
    assert all(right != given for right, given in wrong.items())


def test_what_is_said_of_the_labels_is_judged():
    data = problem(CASE, 1000)
    found = {
        labels: judge_problem(data, answer(parse_row(f"auto:effort=quick,labels={labels}"), data, 0))
        for labels in ("unknown", "wrong", "known")
    }
    assert found["unknown"]["changed_f1"] > 0.9
    assert (found["wrong"]["wrong_named"], found["wrong"]["right_accused"]) == (1.0, 0)
    assert found["unknown"]["shd"] == found["known"]["shd"] == 0
    assert not {"changed_f1", "wrong_named"} & found["known"].keys()


def test_labels_that_cannot_be_told():
    with pytest.raises(InputError, match="choose from known, observed, none, unknown, wrong"):
        parse_row("auto:labels=some")
    plain = problem(Case("linear", 5, settings=SETTINGS), 1000)
    assert plain.targets is None
    with pytest.raises(InputError, match="this one has none"):
        answer(parse_row("auto:labels=unknown"), plain, 0)
    assert np.array_equal(told(plain.table, None, "known", 0)[0], plain.table)
