"""Two graphs side by side: every status, open links, columns of one alone, the command and the picture."""

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from dagscale import cli
from dagscale.graphs.dag import topological_order
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.runtime.errors import InputError
from dagscale.stages.answer import Answer

NAMES = list("abcdef")


def made(edges, open_=(), names=NAMES, method="auto"):
    place = {name: k for k, name in enumerate(names)}
    adjacency, either = np.zeros((2, len(names), len(names)), dtype=bool)
    for a, b in edges:
        adjacency[place[a], place[b]] = True
    for a, b in open_:
        either[place[a], place[b]] = either[place[b], place[a]] = True
    X = np.random.default_rng(1000).normal(size=(50, len(names)))
    answer = Answer(topological_order(adjacency), adjacency, {}, (), either_way=either)
    return Result.from_answer(answer, Table(X, tuple(names), ()), method, {}, {}, None)


@pytest.fixture(scope="module")
def result():
    return made(["ab", "bc", "cd", "ae", "ef"], open_=["cd", "ef"])


def statuses(comparison):
    return {f"{row.source}{row.target}": row.status for row in comparison.table.itertuples()}


def test_every_status(result):
    other = made(["ab", "cb", "dc", "fa", "ef"], open_=["ef"])
    found = result.compare(other, "truth")
    assert statuses(found) == {
        "ab": "shared",
        "ef": "shared",
        "bc": "reversed",
        "cd": "undirected",
        "ae": "added",
        "fa": "missing",
    }
    assert found.counts == {"shared": 2, "reversed": 1, "undirected": 1, "added": 1, "missing": 1}
    printed = repr(found)
    assert printed.startswith("auto against truth: 2 shared, 1 reversed, 1 undirected, 1 added, 1 missing")
    assert "undirected (in both, but open in one of them): c -- d" in printed
    assert "missing (only in truth): f -> a" in printed
    assert "<li>" in found._repr_html_()


def test_a_graph_shares_everything_with_itself_and_the_two_sides_mirror(result):
    assert set(statuses(result.compare(result)).values()) == {"shared"}
    other = made(["ab", "cb", "dc", "fa"])
    there, back = result.compare(other).counts, other.compare(result).counts
    assert (there["added"], there["missing"]) == (back["missing"], back["added"])
    assert [there[key] for key in ("shared", "reversed", "undirected")] == [
        back[key] for key in ("shared", "reversed", "undirected")
    ]


def test_other_forms_of_the_other_graph(result, tmp_path):
    edges = [tuple(pair) for pair in ("ab", "bc", "cd", "ae", "ef")]
    wanted = {"shared": 3, "undirected": 2, "reversed": 0, "added": 0, "missing": 0}
    pd.DataFrame(edges, columns=["source", "target"]).to_csv(tmp_path / "edges.csv", index=False)
    for other in (edges, nx.DiGraph(edges), tmp_path / "edges.csv", result.adjacency, result.to_dowhy()):
        wanted_here = (
            {**wanted, "shared": 5, "undirected": 0}
            if isinstance(other, nx.DiGraph) and any(own for _, _, own in other.edges(data="either_way"))
            else wanted
        )
        assert result.compare(other).counts == wanted_here


def test_columns_of_one_alone_are_named_and_not_compared(result):
    other = made(["ab", "bz"], names=["a", "b", "z"])
    found = result.compare(other)
    assert found.only_here == ("c", "d", "e", "f")
    assert found.only_there == ("z",)
    assert statuses(found) == {"ab": "shared"}
    assert "not compared: z" in repr(found)
    with pytest.raises(InputError, match="share no column"):
        result.compare(made(["yz"], names=["y", "z"]))


def test_a_saved_result_and_the_command(result, tmp_path, capsys):
    first, second = tmp_path / "first", tmp_path / "second"
    result.save(first)
    made(["ab", "dc"]).save(second)
    assert cli._exit_code(["compare", str(first), str(second), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads(json.dumps(result.compare(second, "second").to_dict() | {"here": "first"}))
    assert document["counts"]["undirected"] == 1
    assert cli._exit_code(["compare", str(first), str(second)]) == 0
    assert "first against second: 1 shared" in capsys.readouterr().out


def test_the_picture_has_a_line_for_every_link_and_a_legend(result):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = result.compare(made(["ab", "cb", "fa"])).plot()
    assert sum(type(patch).__name__ == "PathPatch" for patch in ax.patches) == 6
    said = {text.get_text() for text in ax.get_legend().get_texts()}
    assert {"shared (1)", "reversed (1)", "only in auto (1)"} < said
    assert any(text.startswith("only in this result (") for text in said)
    pyplot.close(ax.figure)
    pyplot.close(made([]).compare(made([])).plot().figure)
