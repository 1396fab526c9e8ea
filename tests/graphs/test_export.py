"""Every export is read back, by networkx or by our own reader, with the same nodes and edges."""

import builtins
import csv
import json
import shutil
import subprocess
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.graphs import export
from dagscale.graphs.given import as_graph, read_graph
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.runtime.errors import InputError, MissingDependencyError
from dagscale.stages.answer import Answer

HOSTILE = [
    "plain",
    'quo"te',
    "back\\slash\\N",
    "new\nline",
    "<script>&amp;",
    "ü中😀",
    "",
    "a -> b; }",
    "x" * 300,
    "tab\tcarriage\r",
    "1",
    "[1]",
]


def chain(names, rows=60):
    """A result whose graph is names[0] -> names[1] -> ... plus names[0] -> names[2]."""
    d = len(names)
    adjacency = np.eye(d, k=1, dtype=bool)
    if d > 2:
        adjacency[0, 2] = True
    rng = np.random.default_rng(1000)
    p = np.where(np.eye(d, k=1, dtype=bool), 0.5, np.nan)
    table = Table(rng.normal(size=(rows, d)), tuple(names), ())
    return Result.from_answer(Answer(np.arange(d), adjacency, {"p_value": p}), table, "cam", {}, {}, None)


def edges_of(result):
    text = dict(zip(result.names, export.labels(result.names), strict=True))
    return {(text[a], text[b]) for a, b in zip(result.edges["source"], result.edges["target"], strict=True)}


def test_labels_are_unique_texts():
    assert export.labels([1, "1", "1 (2)", 2.5, ("a", 1)]) == ["1", "1 (2)", "1 (2) (2)", "2.5", "('a', 1)"]


def test_networkx_keeps_names_and_attributes():
    result = chain([1, "1", (2, 3)])
    graph = result.to_networkx()
    assert list(graph.nodes) == [1, "1", (2, 3)]
    assert set(graph.edges) == {(1, "1"), ("1", (2, 3)), (1, (2, 3))}
    assert graph[1]["1"].keys() == {"strength", "sign", "p_value"}
    assert "p_value" not in graph[1][(2, 3)]  # NaN: nothing was measured
    assert type(graph[1]["1"]["strength"]) is float
    assert graph is not result.graph


def test_graphml_is_read_back(tmp_path):
    result = chain(HOSTILE)
    result.to_graphml(tmp_path / "g.graphml")
    graph = nx.read_graphml(tmp_path / "g.graphml")
    # XML readers must turn a carriage return into a line feed.
    expected = {(a.replace("\r", "\n"), b.replace("\r", "\n")) for a, b in edges_of(result)}
    assert {(a.replace("\r", "\n"), b.replace("\r", "\n")) for a, b in graph.edges} == expected
    assert graph["plain"]['quo"te']["p_value"] == 0.5


def test_graphml_replaces_what_xml_cannot_hold(tmp_path):
    result = chain(["a\x00", "a\x01", "\ud800"])
    result.to_graphml(tmp_path / "g.graphml")
    assert len(nx.read_graphml(tmp_path / "g.graphml")) == 3


def test_gml_is_read_back(tmp_path):
    result = chain(HOSTILE)
    result.to_gml(tmp_path / "g.gml")
    assert set(nx.read_gml(tmp_path / "g.gml").edges) == edges_of(result)


def test_json_is_node_link(tmp_path):
    result = chain([*HOSTILE, 7])
    result.to_json(tmp_path / "g.json")
    graph = nx.node_link_graph(json.loads((tmp_path / "g.json").read_text()), edges="edges")
    assert set(graph.edges) == edges_of(result)
    assert graph.is_directed()
    assert len(graph) == len(HOSTILE) + 1


def test_csv_is_the_edge_table(tmp_path):
    result = chain(["a", "b", "c,d"])
    result.to_csv(tmp_path / "e.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "e.csv"), result.edges, check_dtype=False)


@pytest.mark.parametrize("form", ["dot", "graphml", "gml", "json"])
def test_our_own_reader_takes_every_form(form, tmp_path):
    result = chain(["a", "b b", 'c"', "ü", "alone"])
    path = tmp_path / f"g.{form}"
    if form == "dot":
        path.write_text(result.to_dot(), encoding="utf-8")
    else:
        getattr(result, f"to_{form}")(path)
    adjacency, names = read_graph(path)
    assert list(names) == ["a", "b b", 'c"', "ü", "alone"]
    assert (adjacency == result.adjacency).all()


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.lists(st.text(max_size=12), min_size=2, max_size=4, unique=True))
def test_dot_survives_any_name(names):
    from dagscale.graphs.parse_dot import parse_dot

    result = chain(names)
    nodes, edges = parse_dot(result.to_dot())
    shown = export.labels([name.replace("\0", "\N{REPLACEMENT CHARACTER}") for name in names])
    assert nodes == shown
    assert edges == [(a, b) for a, b in edges if shown.index(a) < shown.index(b)]
    assert len(edges) == len(result.edges)


def small_numbers():
    """A result with numbers that Python writes with an exponent, and names of all kinds."""
    result = chain([*HOSTILE, "nul\0", "=1+1"])
    return replace(result, edge_table=result.edge_table.assign(p_value=1.5e-07, gain=-2e300))


def test_dot_quotes_numbers_with_an_exponent():
    text = small_numbers().to_dot()
    assert 'p_value="1.5e-07"' in text
    assert "\0" not in text


@pytest.mark.filterwarnings("ignore::DeprecationWarning:pydot")  # its parser calls old names of pyparsing
def test_dot_is_read_by_pydot():
    pydot = pytest.importorskip("pydot", reason="pydot is not installed: pip install pydot")
    result = small_numbers()
    (graph,) = pydot.graph_from_dot_data(result.to_dot())
    assert len(graph.get_edges()) == len(result.edges)


def test_dot_is_read_by_graphviz():
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    result = small_numbers()
    text = result.to_dot().encode()
    drawn = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, check=True)
    assert drawn.stderr == b""
    edges = [line for line in drawn.stdout.splitlines() if line.startswith(b"edge ")]
    assert len(edges) == len(result.edges)


def test_graphml_is_xml(tmp_path):
    result = small_numbers()
    result.to_graphml(tmp_path / "g.graphml")
    root = ElementTree.parse(tmp_path / "g.graphml").getroot()
    assert sum(element.tag.endswith("}edge") for element in root.iter()) == len(result.edges)


def test_every_form_with_small_numbers_is_read_back(tmp_path):
    result = small_numbers()
    for form, read in (("gml", nx.read_gml), ("graphml", nx.read_graphml)):
        getattr(result, f"to_{form}")(tmp_path / f"g.{form}")
        graph = read(tmp_path / f"g.{form}")
        assert graph["plain"]['quo"te']["p_value"] == 1.5e-07
        assert graph["plain"]['quo"te']["gain"] == -2e300
    result.to_json(tmp_path / "g.json")
    stored = nx.node_link_graph(json.loads((tmp_path / "g.json").read_text()), edges="edges")
    assert set(stored.edges) == edges_of(result)


def test_names_that_a_spreadsheet_would_run_are_escaped_and_read_back(tmp_path):
    names = ["=1+1", "+x", "-y", "@z", "'=quoted", "'tis", "plain"]
    result = chain(names)
    result.to_csv(tmp_path / "e.csv")
    with (tmp_path / "e.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row[:2]]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    adjacency, found = read_graph(tmp_path / "e.csv")
    edges = {(found[i], found[j]) for i, j in np.argwhere(adjacency)}
    assert edges == edges_of(result)


def test_dowhy_gets_texts():
    graph = chain([0, 1, "1"]).to_dowhy()
    assert set(graph.edges) == {("0", "1"), ("1", "1 (2)"), ("0", "1 (2)")}


@pytest.mark.parametrize(("call", "package"), [("to_causallearn", "causal-learn"), ("to_pgmpy", "pgmpy")])
def test_a_missing_package_is_named_with_its_install_line(call, package, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] in ("causallearn", "pgmpy"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependencyError, match=f"pip install {package}"):
        getattr(chain(["a", "b"]), call)()


def test_causallearn_gets_the_same_edges():
    pytest.importorskip("causallearn", reason="causal-learn is not installed: pip install causal-learn")
    dag = chain(["a", "b", 3]).to_causallearn()
    edges = {(e.get_node1().get_name(), e.get_node2().get_name()) for e in dag.get_graph_edges()}
    assert edges == {("a", "b"), ("b", "3"), ("a", "3")}
    adjacency, names = as_graph(dag)
    assert names == ["a", "b", "3"]
    assert (adjacency == chain(["a", "b", 3]).adjacency).all()


def test_causallearn_graphs_are_read_by_their_endpoints():
    def edge(first, second, *marks):
        ends = {"get_node1": first, "get_node2": second}
        points = dict(zip(("get_endpoint1", "get_endpoint2"), marks, strict=True))
        return SimpleNamespace(
            **{
                call: (lambda name=name: SimpleNamespace(get_name=lambda: name))
                for call, name in ends.items()
            },
            **{call: (lambda mark=mark: SimpleNamespace(name=mark)) for call, mark in points.items()},
        )

    def graph(*edges):
        nodes = [SimpleNamespace(get_name=lambda name=name: name) for name in "abc"]
        return SimpleNamespace(get_nodes=lambda: nodes, get_graph_edges=lambda: edges)

    adjacency, names = as_graph(graph(edge("a", "b", "TAIL", "ARROW"), edge("a", "c", "ARROW", "TAIL")))
    assert names == ["a", "b", "c"]
    assert [tuple(pair) for pair in np.argwhere(adjacency)] == [(0, 1), (2, 0)]
    with pytest.raises(InputError, match="without a direction, 'a' and 'b'"):
        as_graph(graph(edge("a", "b", "TAIL", "TAIL")))


def test_pgmpy_gets_the_same_edges():
    pytest.importorskip("pgmpy", reason="pgmpy is not installed: pip install --no-deps pgmpy")
    dag = chain(["a", "b", 3]).to_pgmpy()
    assert set(dag.edges()) == {("a", "b"), ("b", "3"), ("a", "3")}
    assert set(dag.nodes()) == {"a", "b", "3"}
    adjacency, names = as_graph(dag)
    place = [names.index(name) for name in ("a", "b", "3")]
    assert (adjacency[np.ix_(place, place)] == chain(["a", "b", 3]).adjacency).all()


@pytest.mark.parametrize("call", ["to_graphml", "to_gml", "to_json", "to_csv"])
def test_a_place_that_cannot_be_written_is_named(call, tmp_path):
    with pytest.raises(InputError, match="cannot write") as error:
        getattr(chain(["a", "b"]), call)(tmp_path / "missing" / "file")
    assert "\n" not in str(error.value)
