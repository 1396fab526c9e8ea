"""Graphs whose links may lack a direction, from whatever users hold: for comparing, not for discovery."""

from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dagscale.graphs.given import as_graph, names_of
from dagscale.graphs.read_files import ENDS, Parsed, parse_graph
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.types import BoolArray

Pairs = Iterable[tuple[Hashable, Hashable]]


class Links(NamedTuple):
    """A graph by name.

    Attributes
    ----------
    names : list of str
    arrows : (d, d) bool array
        [parent, child]; of a link without a direction the likelier one, or both.
    open : (d, d) bool array
        Symmetric: links without a direction.
    complete : bool
        False where a node without links may have been left out, as in a list of edges.
    """

    names: list[str]
    arrows: BoolArray
    open: BoolArray
    complete: bool = True

    def over(self, names: Sequence[str]) -> "Links":
        """Return the graph over other names; what it does not have has no links."""
        place = {name: k for k, name in enumerate(self.names)}
        mine = [k for k, name in enumerate(names) if name in place]
        own = [place[names[k]] for k in mine]
        found = []
        for cells in (self.arrows, self.open):
            spread = np.zeros((len(names), len(names)), dtype=bool)
            spread[np.ix_(mine, mine)] = cells[np.ix_(own, own)]
            found.append(spread)
        return Links(list(names), found[0], found[1], self.complete)


def links_of(graph: Any, names: Sequence[Hashable]) -> Links:
    """Read a graph: an object, a list or table of edges, an adjacency, or a file.

    Parameters
    ----------
    graph : object
        A `Result` or anything with `adjacency` and `names`; a networkx graph (undirected edges, or edges in both
        directions, are links without a direction); causal-learn's; a DataFrame of edges (source, target) or of
        adjacency; a list of (source, target); a path to a file or to the folder of a result; or a (d, d) array over
        `names`.
    names : sequence
        Those that an array without names is over.
    """
    if isinstance(graph, str | Path):
        return _of_file(parse_graph(Path(graph)))
    if hasattr(graph, "adjacency") and hasattr(graph, "names"):
        arrows = np.asarray(graph.adjacency, dtype=bool)
        open_ = np.asarray(getattr(graph, "either_way", np.zeros_like(arrows)), dtype=bool)
        return Links(names_of(graph.names, "the other graph"), arrows, open_)
    if hasattr(graph, "is_directed"):
        return _of_networkx(graph)
    if hasattr(graph, "get_graph_edges"):
        return _of_causallearn(graph)
    if hasattr(graph, "columns") and (ends := _ends(graph.columns)) is not None:
        return _of_frame(graph, ends)
    if isinstance(graph, list | tuple | set) and graph and all(_is_pair(edge) for edge in graph):
        return _of_pairs(graph, [], complete=False)
    return _of_adjacency(graph, names)


def _ends(columns: Any) -> tuple[Any, Any] | None:
    """Return the names of the two columns that hold the ends of edges."""
    known = {str(name).lower(): name for name in columns}
    return next(((known[a], known[b]) for a, b in ENDS if a in known and b in known), None)


def _is_pair(edge: Any) -> bool:
    return isinstance(edge, tuple | list) and len(edge) == 2 and any(isinstance(end, str) for end in edge)


def _of_file(parsed: Parsed) -> Links:
    return _of_pairs(parsed.edges, parsed.open_links, parsed.complete, parsed.nodes)


def _of_pairs(edges: Pairs, open_: Pairs, complete: bool, nodes: Iterable[Hashable] = ()) -> Links:
    pairs = [(str(a), str(b)) for a, b in edges]
    names = list(dict.fromkeys([*map(str, nodes), *(end for pair in pairs for end in pair)]))
    place = {name: k for k, name in enumerate(names)}
    arrows, undirected = np.zeros((2, len(names), len(names)), dtype=bool)
    for a, b in pairs:
        arrows[place[a], place[b]] = True
    for ends in open_:
        a, b = map(str, ends)
        undirected[place[a], place[b]] = True
    np.fill_diagonal(arrows, False)
    return Links(names, arrows, undirected | undirected.T | (arrows & arrows.T), complete)


def _of_frame(frame: Any, ends: tuple[Any, Any]) -> Links:
    pairs = list(zip(frame[ends[0]], frame[ends[1]], strict=True))
    marked = frame["either_way"] if "either_way" in frame.columns else [False] * len(pairs)
    return _of_pairs(pairs, [pair for pair, own in zip(pairs, marked, strict=True) if own], complete=False)


def _of_networkx(graph: Any) -> Links:
    pairs = [(a, b) for a, b, *_ in graph.edges()]
    names_of(graph.nodes, "the other graph")
    open_ = [(a, b) for a, b, own in graph.edges(data="either_way") if own]
    marked = open_ if graph.is_directed() else pairs
    return _of_pairs(pairs, marked, True, list(graph.nodes))


def _of_causallearn(graph: Any) -> Links:
    pairs, marked = [], []
    for edge in graph.get_graph_edges():
        ends = (edge.get_node1().get_name(), edge.get_node2().get_name())
        marks = [mark.name for mark in (edge.get_endpoint1(), edge.get_endpoint2())]
        pairs.append(ends[::-1] if marks == ["ARROW", "TAIL"] else ends)
        if sorted(marks) != ["ARROW", "TAIL"]:
            marked.append(pairs[-1])
    return _of_pairs(pairs, marked, True, [node.get_name() for node in graph.get_nodes()])


def _of_adjacency(graph: Any, names: Sequence[Hashable]) -> Links:
    adjacency, own = as_graph(graph, "the other graph")
    if own is None and len(adjacency) != len(names):
        raise InputError(
            f"the other graph has {len(adjacency)} nodes without names, the result {len(names)}: give a DataFrame "
            f"with names, such as {shown(str(names[0]))}, on rows and columns"
        )
    return Links(own or [str(name) for name in names], adjacency, np.zeros_like(adjacency))
