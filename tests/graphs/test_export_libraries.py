"""Open links and hidden causes reach other libraries as what they are there."""

import json
from dataclasses import replace

import networkx
import numpy as np
import pandas as pd
import pytest

from dagscale.graphs.given import as_graph
from dagscale.graphs.parse_dot import parse_dot
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.stages.answer import Answer


def result():
    """a -> b claimed, b - c open, a and c confounded."""
    adjacency = np.zeros((3, 3), dtype=bool)
    adjacency[0, 1] = adjacency[1, 2] = True
    open_, hidden = np.zeros((3, 3), dtype=bool), np.zeros((3, 3), dtype=bool)
    open_[1, 2] = open_[2, 1] = hidden[0, 2] = hidden[2, 0] = True
    table = Table(np.random.default_rng(1000).normal(size=(60, 3)), ("a", "b", "c"), ())
    answer = Answer(np.arange(3), adjacency, either_way=open_, confounded=hidden)
    return Result.from_answer(answer, table, "auto", {}, {}, None)


def test_lingam_has_nan_where_nothing_is_claimed():
    matrix = result().to_lingam()
    expected = np.array([[0, 0, np.nan], [1, 0, np.nan], [np.nan, np.nan, 0]])
    np.testing.assert_array_equal(matrix, expected)


def test_causallearn_gets_tails_and_two_arrows():
    pytest.importorskip("causallearn", reason="causal-learn is not installed: pip install causal-learn")
    edges = result().to_causallearn().get_graph_edges()
    ends = {
        (e.get_node1().get_name(), e.get_endpoint1().name, e.get_endpoint2().name, e.get_node2().get_name())
        for e in edges
    }
    assert ends == {
        ("a", "TAIL", "ARROW", "b"),
        ("b", "TAIL", "TAIL", "c"),
        ("a", "ARROW", "ARROW", "c"),
    }


def test_pgmpy_gets_a_partially_directed_graph():
    pytest.importorskip("pgmpy", reason="pgmpy is not installed: pip install --no-deps pgmpy")
    graph = result().to_pgmpy()
    assert set(graph.directed_edges) == {("a", "b")}
    assert {frozenset(pair) for pair in graph.undirected_edges} == {frozenset("bc")}


def test_pywhy_gets_bidirected_edges():
    pytest.importorskip("pywhy_graphs", reason="pywhy-graphs is not installed: pip install pywhy-graphs")
    edges = result().to_pywhy().edges()
    assert list(edges["directed"]) == [("a", "b")]
    assert {frozenset(pair) for pair in edges["undirected"]} == {frozenset("bc")}
    assert {frozenset(pair) for pair in edges["bidirected"]} == {frozenset("ac")}


def test_networkx_and_dot_tell_links_and_hidden_causes():
    graph = result().to_networkx()
    assert graph.graph["confounded"] == [("a", "c")]
    assert graph.edges["b", "c"]["either_way"]
    assert not graph.edges["a", "b"]["either_way"]
    text = result().to_dot()
    assert text.count("dir=none") == 1
    assert '"a" -> "c" [dir=both, style=dashed' in text
    assert parse_dot(text) == (["a", "b", "c"], [("a", "b"), ("b", "c")])


def test_json_tells_links_and_hidden_causes(tmp_path):
    result().to_json(tmp_path / "graph.json")
    text = (tmp_path / "graph.json").read_text(encoding="utf-8")
    graph = networkx.node_link_graph(json.loads(text), edges="edges")
    assert graph.graph["confounded"] == [["a", "c"]]
    assert graph.edges["b", "c"]["either_way"]


def test_results_without_either_way_export_as_before():
    plain = replace(result(), edge_table=pd.DataFrame({"source": ["a"], "target": ["b"], "strength": [0.5]}))
    adjacency, _ = as_graph(plain.to_networkx())
    assert adjacency.sum() == 1
