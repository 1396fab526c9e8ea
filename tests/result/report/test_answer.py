"""What the page says: the first sentence, curves that turn, doubts of single edges, what experiments settle."""

from dataclasses import replace

import numpy as np
import pytest

from dagscale.inputs.conditions import Conditions
from dagscale.result.certainty import headline
from dagscale.result.plot.links import links_of
from dagscale.result.report import questions
from dagscale.result.report.answer import answer, tells_probabilities
from dagscale.result.report.checks import edge_doubts
from dagscale.result.report.conditions import conditions
from dagscale.result.report.curves import turns
from dagscale.result.report.payload import payload
from dagscale.result.report.questions import plain
from dagscale.runtime.progress import silent

X = np.linspace(-2, 2, 32)
SMALL = np.full(32, 0.05)


@pytest.mark.parametrize(
    ("curve", "error", "expected"),
    [
        (X, SMALL, False),
        (X**2, SMALL, True),
        (-(X**2), SMALL, True),
        (np.tanh(3 * X), SMALL, False),
        (X**2, np.full(32, 3.0), False),  # within its error it could be anything
        (X + 0.1 * np.sin(9 * X), SMALL / 50, False),  # ripples below a tenth of the range
        (np.sin(2 * X), SMALL, True),
    ],
)
def test_a_curve_turns_where_it_rises_and_falls_beyond_its_error(curve, error, expected):
    assert turns(curve, error) is expected


def test_pairs_with_a_hidden_cause_are_told_and_drawn_while_a_picture_can_show_them(make_result):
    result = make_result(list("abcdef"), [])
    few, many = np.zeros((6, 6), dtype=bool), ~np.eye(6, dtype=bool)
    few[0, 1] = few[1, 0] = True
    for marked, drawn, said in (
        (few, 1, "1 pair seems to share a hidden cause."),
        (many, 0, "15 pairs seem"),
    ):
        of = replace(result, confounded=marked)
        text = answer(of, None)["sentence"]
        assert text.startswith("No link between the 6 columns is supported by the data.")
        assert said in text
        assert ("too many to draw" in text) == (drawn == 0)
        assert len(payload(of, silent)["hidden"]) == drawn
        assert len(links_of(of)) == drawn


def test_the_sentence_says_no_more_than_the_method(make_result):
    silent_method = make_result(list("abc"), [(0, 1), (1, 2)])
    assert "cam gives each a direction, and does not say how sure" in answer(silent_method, None)["sentence"]
    none = answer(make_result(list("abc"), []), "t.csv")
    assert none["sentence"] == "No link between the 3 columns is supported by the data."
    assert none["title"] == "t.csv"
    sure = np.where(silent_method.adjacency, 0.9, 0.0)
    told = answer(replace(silent_method, probabilities=sure), None)["sentence"]
    assert told == "2 links between 3 columns, and the data support every direction."
    both = silent_method.adjacency | silent_method.adjacency.T
    opened = answer(replace(silent_method, probabilities=0.4 * both, either_way=both), None)
    assert opened["sentence"].endswith("the data support no direction for any of them.")
    assert opened["counts"] == {"columns": 3, "links": 2, "directed": 0, "open": 2, "hidden": 0}


def test_a_check_is_a_doubt_of_the_edges_it_names(make_result):
    result = make_result(["a", "ab", "c", "d"], [(0, 2), (1, 2), (2, 3)])
    told = [
        {"name": "independence", "node": 2, "light": "red", "sentence": "its residual depends on 'ab'"},
        {"name": "linearity", "node": 3, "light": "amber", "sentence": "straight"},
        {"name": "noise", "node": 3, "light": "red", "sentence": "of the column, not of an edge"},
        {"name": "independence", "node": 0, "light": "red", "sentence": "has no parent"},
        {"name": "independence", "node": None, "light": "red", "sentence": "of the table"},
        {"name": "direction", "node": 2, "light": "green", "sentence": "'a' -> 'c' is fine"},
    ]
    doubts = edge_doubts(result, told, {(0, 2): {"heaviest": 0.5}, (2, 3): {"heaviest": 0.1}})
    assert set(doubts) == {(1, 2), (2, 3), (0, 2)}
    assert doubts[0, 2][0]["text"].startswith("one single row carries 50%")
    assert [doubt["light"] for doubt in doubts[2, 3]] == ["amber"]


def test_an_experiment_settles_what_moves(make_result):
    result = make_result(list("abc"), [(0, 1), (1, 2)], rows=600)
    targets = np.zeros((600, 3), dtype=bool)
    targets[:200, 1] = True
    sample = result.sample.copy()
    sample[:200, 1:] += 3
    done = Conditions(targets, np.zeros(600, dtype=np.intp))
    (shown,) = conditions(replace(result, sample=sample, conditions=done))
    assert shown["rows"] == 200
    assert shown["targets"] == [1]
    assert shown["settled"] == ["b → c: c moved when b was set"]
    assert shown["moved"] == [False, True, True]
    spread = np.sqrt(sample[:200].var(0) / 200 + sample[200:].var(0) / 400) / sample[200:].std(0)
    assert shown["errors"][0] == pytest.approx(2 * spread[0], rel=0.2)  # of rounded numbers
    expected = (sample[:200].mean(0) - sample[200:].mean(0)) / sample[200:].std(0)
    assert shown["shifts"] == pytest.approx(expected, abs=0.01)


def test_columns_that_were_set_together_settle_what_moves(make_result):
    result = make_result(list("abcd"), [(0, 2), (1, 2), (2, 3)], rows=600)
    targets = np.zeros((600, 4), dtype=bool)
    targets[:200, :2] = True
    sample = result.sample.copy()
    sample[:200, :3] += 3
    done = Conditions(targets, np.zeros(600, dtype=np.intp))
    result = replace(result, sample=sample, conditions=done)
    (shown,) = conditions(result)
    how = "moved when a and b were set"
    assert shown["settled"] == [f"a → c: c {how}", f"b → c: c {how}"]
    assert "where 'a', 'b' were set (200 rows), 'c' moved by" in str(result.why("a", "c"))
    sample[:200, 1] -= 3
    (shown,) = conditions(result)
    assert shown["settled"] == ["b did not move: this tells no direction"]


def test_a_changed_mechanism_settles_what_moves(make_result):
    result = make_result(list("abc"), [(0, 1), (1, 2)], rows=600)
    where = np.repeat([1, 0, 0], 200)
    sample = result.sample.copy()
    sample[:200, 1:] += 3
    done = Conditions(np.zeros((600, 3), dtype=bool), where, ("control", "warm"))
    result = replace(result, sample=sample, conditions=done, changed={"warm": ["b"]})
    (shown,) = conditions(result)
    assert shown["settled"] == ["b → c: c moved when the mechanism of b changed"]
    assert "where the mechanism of 'b' changed, under 'warm' (200 rows), 'c' moved by" in str(
        result.why("b", "c")
    )
    two = replace(result, changed={"warm": ["b", "c"]})
    assert conditions(two)[0]["settled"] == []
    assert "under 'warm'" not in str(two.why("b", "c"))


def test_environments_show_what_changed(make_result):
    result = make_result(list("abc"), [(0, 1)], rows=90)
    where = np.repeat([0, 1, 2], 30)
    done = Conditions(np.zeros((90, 3), dtype=bool), where, ("control", "warm", "cold"))
    shown = conditions(replace(result, conditions=done, changed={"warm": ["b"], "cold": []}))
    assert {(one["label"], tuple(one["changed"])) for one in shown} == {("warm", (1,)), ("cold", ())}
    assert conditions(result) == []


def test_effects_are_worked_out_until_there_are_many_regressions(make_result, monkeypatch):
    result = make_result(list("abcd"), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    every = payload(result, silent)["effects"]
    monkeypatch.setattr(questions, "MOST_FITS", 3)
    assert len(every) == 6
    assert payload(result, silent)["effects"] == every[:3]  # one set of columns to hold fixed for each


def test_another_graph_and_effects_reach_the_page(make_result):
    result = make_result(list("abcd"), [(0, 1), (1, 2)])
    truth = np.zeros((4, 4), dtype=bool)
    truth[1, 0] = truth[1, 2] = truth[2, 3] = True
    import pandas as pd

    graph = pd.DataFrame(truth, index=list("abcd"), columns=list("abcd"))
    data = payload(result, silent, compare=graph)
    assert data["compare"]["counts"] == {
        "shared": 1,
        "reversed": 1,
        "undirected": 0,
        "added": 0,
        "missing": 1,
    }
    assert {(e["source"], e["target"]) for e in data["effects"]} == {(0, 1), (1, 2), (0, 2)}
    (through,) = [e for e in data["effects"] if (e["source"], e["target"]) == (0, 2)]
    assert through["headline"]


def test_plain_values_can_be_json():
    told = plain({"a": np.float64("nan"), 1: (np.int64(3), 2.34567), "c": None, "d": {"e": "x", "f": ("t",)}})
    assert told == {"a": None, "1": [3, 2.346], "c": None, "d": {"e": "x", "f": ["t"]}}


def test_a_result_without_a_claim_still_tells_how_sure_its_links_are(make_result):
    result = make_result(list("abc"), [(0, 1), (1, 2)])
    table = result.edge_table.assign(probability=0.45, direction=0.5)
    everything = np.asarray(result.adjacency | result.adjacency.T)
    assert tells_probabilities(replace(result, edge_table=table, either_way=everything))
    assert not tells_probabilities(result)


def test_the_sentence_remarks_on_what_the_command_line_remarks_on(make_result):
    notes = (
        "rows are not independent: residuals have a correlation of 0.19",
        "240 of 1599 rows repeat another row exactly; leave out copies",
    )
    result = make_result(list("abc"), [(0, 1)], notes=notes)
    said = "ows are not independent; 240 of 1599 rows repeat another row exactly"
    assert headline(result).endswith(f"; r{said}")
    assert answer(result, None)["sentence"].endswith(f". R{said}.")
