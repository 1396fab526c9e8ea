"""Graphs read back from every format the library writes, and from what people write by hand."""

import itertools
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale import metrics
from dagscale.graphs import export
from dagscale.graphs.read_files import read_graph, read_pair
from dagscale.inputs.table import Table
from dagscale.result import Result
from dagscale.runtime.errors import InputError
from dagscale.stages.answer import Answer

EDGES = [("a", "b"), ("b", "c")]
NAMES = ["a", "b", "c", "lonely"]
# what XML and a line-based format can hold; lone surrogates and control characters are the exporters' affair
texts = st.text(
    st.characters(min_codepoint=32, exclude_categories=("Cs", "Cc", "Co", "Cn")), min_size=1, max_size=8
)
WRITERS = {
    ".dot": lambda names, edges, path: path.write_text(export.to_dot(names, edges), encoding="utf-8"),
    ".graphml": export.to_graphml,
    ".gml": export.to_gml,
    ".json": export.to_json,
    ".csv": lambda names, edges, path: export.to_csv(edges, path),
}


def frame(edges):
    return pd.DataFrame(
        {
            "source": [source for source, _ in edges],
            "target": [target for _, target in edges],
            "strength": [0.25] * len(edges),
            "p_value": [1e-12] * len(edges),
        }
    )


def edges_of(adjacency, names):
    return {(names[i], names[j]) for i, j in np.argwhere(adjacency)}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", sorted(WRITERS))
@settings(deadline=None, max_examples=30, derandomize=True)
@given(names=st.lists(texts, min_size=2, max_size=5, unique=True))
def test_what_is_exported_is_read_back(suffix, names, tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / f"graph{suffix}"
    edges = list(itertools.pairwise(names))
    WRITERS[suffix](names, frame(edges), path)
    adjacency, found = read_graph(path)
    assert sorted(found) == sorted(names)
    assert edges_of(adjacency, found) == set(edges)


@pytest.mark.parametrize("suffix", sorted(WRITERS))
def test_pairs_of_formats_agree_and_edge_lists_may_lack_lonely_nodes(suffix, tmp_path):
    truth = tmp_path / "truth.json"
    export.to_json(NAMES, frame(EDGES), truth)
    estimate = tmp_path / f"estimate{suffix}"
    WRITERS[suffix](NAMES, frame([("b", "a")]), estimate)
    true, estimated, names = read_pair(truth, estimate)
    assert names == NAMES
    assert edges_of(true, names) == set(EDGES)
    assert edges_of(estimated, names) == {("b", "a")}
    estimated, true, names = read_pair(estimate, truth)
    assert edges_of(true, names) == set(EDGES)


def test_two_edge_lists_are_joined(tmp_path):
    true, estimated, names = read_pair(
        write(tmp_path / "t.csv", "source,target\na,b\n"), write(tmp_path / "e.tsv", "cause\teffect\nc\tb\n")
    )
    assert names == ["a", "b", "c"]
    assert (edges_of(true, names), edges_of(estimated, names)) == ({("a", "b")}, {("c", "b")})


def test_an_edge_list_without_edges(tmp_path):
    empty = write(tmp_path / "e.csv", "source,target,strength\n")
    assert read_graph(empty)[0].shape == (0, 0)
    true, estimated, names = read_pair(write(tmp_path / "t.dot", "digraph { a -> b }"), empty)
    assert names == ["a", "b"]
    assert true.sum() == 1
    assert not estimated.any()


@pytest.mark.parametrize(
    "text",
    [
        ",b,a\na,1,0\nb,0,0\n",  # names on both sides, in different orders
        "node,a,b\na,0,1\nb,0,0\n",
        "a,b\n0,1\n0,0\n",  # names in the header only
        "\ufeffa,b\n0.0,1.0\n0,0\n",  # a byte order mark, as spreadsheets write it
        "Source, Target, weight\na, b, 0.3\n",  # typed by hand
        "to,from\nb,a\n",
    ],
)
def test_tables(text, tmp_path):
    adjacency, names = read_graph(write(tmp_path / "g.csv", text))
    assert edges_of(adjacency, names) == {("a", "b")}


def test_an_adjacency_table_may_have_nodes_called_source_and_target(tmp_path):
    adjacency, names = read_graph(write(tmp_path / "g.csv", ",source,target\nsource,0,0\ntarget,1,0\n"))
    assert edges_of(adjacency, names) == {("target", "source")}


def test_names_stay_text(tmp_path):
    _, names = read_graph(write(tmp_path / "g.csv", "source,target\n007,NA\n1.0,true\n"))
    assert names == ["007", "NA", "1.0", "true"]


def test_npy_and_networkx_json(tmp_path):
    np.save(tmp_path / "g.npy", np.array([[0, 1], [0, 0]]))
    adjacency, names = read_graph(tmp_path / "g.npy")
    assert edges_of(adjacency, names) == {("0", "1")}
    graph = nx.DiGraph([("a", "b")])
    for key in ("edges", "links"):
        path = write(tmp_path / f"{key}.json", json.dumps(nx.node_link_data(graph, edges=key)))
        assert edges_of(*read_graph(path)) == {("a", "b")}
    bare = write(tmp_path / "bare.json", '{"nodes": ["z", "a", "b"], "edges": [["a", "b"]]}')
    assert read_graph(bare)[1] == ["z", "a", "b"]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("g.csv", "", "is empty"),
        ("g.csv", "x,y,z\n1,2,3\n", "neither an edge list"),
        ("g.csv", "source,target\na\n", "1 cells in row 2"),
        ("g.csv", "a,b\n0,2\n0,0\n", "0 and 1 only"),
        ("g.csv", "a,b\n0,x\n0,0\n", "cannot read"),
        ("g.csv", ",a,a\na,0,0\na,0,0\n", "two nodes alike"),
        ("g.json", "{", "cannot read"),
        ("g.json", "[]", 'no "edges"'),
        ("g.json", '{"directed": false, "edges": []}', "undirected"),
        ("g.graphml", "<graphml>", "cannot read"),
        ("g.gml", "graph [ node [ id 0 label 1 ] ]", "undirected"),
        ("g.dot", "graph { a -- b }", "digraph"),
        ("g.txt", "a,b", "ends in .csv, .tsv"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(name, text, complaint, tmp_path):
    with pytest.raises(InputError) as caught:
        read_graph(write(tmp_path / name, text))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files_foreign_folders_and_other_names(tmp_path):
    with pytest.raises(InputError, match="no file"):
        read_graph(tmp_path / "none.csv")
    with pytest.raises(InputError, match="no saved result"):
        read_graph(tmp_path)
    truth = write(tmp_path / "t.dot", "digraph { rain -> wet }")
    for estimate in (
        write(tmp_path / "e.dot", "digraph { rain -> weet; }"),
        write(tmp_path / "e.csv", "from,to\nrain,weet"),
    ):
        with pytest.raises(InputError, match="did you mean 'wet'"):
            read_pair(truth, estimate)


def test_a_saved_result_is_a_graph(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 3))
    adjacency = np.array([[False, True, False], [False, False, False], [False, False, False]])
    table = Table(rows, ("a", "b", "c"), ())
    result = Result.from_answer(Answer(np.arange(3), adjacency), table, "das", {}, {}, None)
    folder = result.save(tmp_path / "run")
    for path in (folder, folder / "result.json"):
        found, names = read_graph(path)
        assert (found == adjacency).all()
        assert names == ["a", "b", "c"]
    assert metrics.shd(result, found) == 0
    assert metrics.order_errors(adjacency.T, result) == 1
