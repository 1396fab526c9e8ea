"""Graphs with and without directions, read from what users hold."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from dagscale.graphs.links import links_of
from dagscale.runtime.errors import DagscaleError, InputError

NAMES = ["a", "b", "c"]
ARROWS = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)  # a -> b -> c


def both(graph):
    graph.add_edges_from([("a", "b"), ("b", "c"), ("c", "b")])
    return graph


def texts(links):
    """Say every link as text, in the order of the names."""
    found = set()
    for i, j in np.argwhere(links.arrows):
        a, b = links.names[i], links.names[j]
        found.add(f"{min(a, b)} -- {max(a, b)}" if links.open[i, j] else f"{a} -> {b}")
    return found


@pytest.mark.parametrize(
    "graph",
    [
        ARROWS,
        ARROWS.astype(int).tolist(),
        pd.DataFrame(ARROWS, index=NAMES, columns=NAMES),
        pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"]}),
        [("a", "b"), ("b", "c")],
        nx.DiGraph([("a", "b"), ("b", "c")]),
    ],
    ids=["array", "list", "adjacency frame", "edge frame", "pairs", "networkx"],
)
def test_directed_graphs(graph):
    assert texts(links_of(graph, NAMES)) == {"a -> b", "b -> c"}


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (both(nx.DiGraph()), {"a -> b", "b -- c"}),
        (nx.Graph([("a", "b")]), {"a -- b"}),
        (
            pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "either_way": [True, False]}),
            {"a -- b", "b -> c"},
        ),
    ],
)
def test_links_without_a_direction(graph, expected):
    assert texts(links_of(graph, NAMES)) == expected


def test_a_list_of_edges_may_lack_nodes_and_a_graph_may_not():
    assert not links_of([("a", "b")], NAMES).complete
    assert links_of(nx.DiGraph([("a", "b")]), NAMES).complete


def test_files(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target,strength,either_way\na,b,0.5,True\nb,c,0.1,False\n")
    assert texts(links_of(tmp_path / "edges.csv", [])) == {"a -- b", "b -> c"}
    (tmp_path / "graph.dot").write_text("digraph { a -> b; c; }")
    assert links_of(str(tmp_path / "graph.dot"), []).names == ["a", "b", "c"]


def test_causal_learn_s_graphs():
    pytest.importorskip("causallearn", reason="causal-learn is not installed")
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    a, b, c = (GraphNode(name) for name in NAMES)
    graph = GeneralGraph([a, b, c])
    graph.add_edge(Edge(a, b, Endpoint.TAIL, Endpoint.ARROW))
    graph.add_edge(Edge(b, c, Endpoint.TAIL, Endpoint.TAIL))
    assert texts(links_of(graph, NAMES)) == {"a -> b", "b -- c"}


def test_what_is_no_graph_is_refused_in_one_line():
    with pytest.raises(InputError, match="4 nodes without names"):
        links_of(np.zeros((4, 4)), NAMES)
    with pytest.raises(DagscaleError, match="not a graph"):
        links_of(["nothing"], NAMES)
    with pytest.raises(InputError, match="there is no file"):
        links_of("nowhere.csv", NAMES)
