"""What a prompt and a notebook show beside the edges, and the page in a frame."""

import html
import re

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.stages.answer import Answer


def made(notes=(), open_=(), hidden=()):
    names = ("a", "b", "<c>")
    adjacency, either, confounded = np.zeros((3, 3, 3), dtype=bool)
    adjacency[0, 1] = adjacency[1, 2] = True
    for pairs, cells in ((open_, either), (hidden, confounded)):
        for i, j in pairs:
            cells[i, j] = cells[j, i] = True
    rng = np.random.default_rng(1000)
    X = rng.standard_t(2, size=(200, 3))
    X[:, 1] += X[:, 0]
    answer = Answer(topological_order(adjacency), adjacency, {}, (), either_way=either, confounded=confounded)
    return Result.from_answer(answer, Table(X, names, tuple(notes)), "cam", {}, {}, None)


def test_nothing_is_said_where_there_is_nothing_to_say():
    assert "open directions" not in repr(made())
    assert "note:" not in repr(made())


def test_open_directions_hidden_causes_and_notes_are_shown():
    result = made(
        notes=["column <z> was left out"] + [f"note {k}" for k in range(9)], open_=[(1, 2)], hidden=[(0, 2)]
    )
    text = repr(result)
    assert "open directions: b -- <c>; result.ask() says" in text
    assert "hidden common causes suspected: a <-> <c>" in text
    assert "note: column <z> was left out" in text
    assert "and 2 more notes in result.notes" in text
    markup = result._repr_html_()
    assert "open directions: b -- &lt;c&gt;" in markup
    assert "<z>" not in markup


def test_a_notebook_runs_the_checks_and_names_those_that_failed():
    result = made()
    assert "checks that failed" not in repr(result)  # a prompt computes nothing
    failed = [check.name for check in result.diagnostics.overall if check.light == "red"]
    assert failed
    assert f"checks that failed: {', '.join(failed)}" in made()._repr_html_()
    assert f"checks that failed: {', '.join(failed)}" in repr(result)


def test_the_frame_holds_the_whole_page(tmp_path):
    result = made()
    frame = result.show(height=300)
    found = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" style="[^"]*height:300px[^"]*" title="[^"]*"></iframe>',
        frame._repr_html_(),
    )
    assert found
    assert html.unescape(found.group(1)).startswith("<!doctype html>".upper()) or "<html" in html.unescape(
        found.group(1)
    )
    assert "result.report(" in repr(frame)
