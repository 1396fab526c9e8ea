"""Graphs as users hold them, turned into an adjacency [parent, child] and names.

`as_graph` takes objects; `read_graph` (in `read_files`, offered here too) takes files.
"""

from typing import Any

import numpy as np

from dagscale.graphs.dag import topological_order
from dagscale.graphs.read_files import read_graph
from dagscale.runtime.errors import InputError, InputTypeError, shown
from dagscale.runtime.types import BoolArray

__all__ = ["as_graph", "names_of", "read_graph"]


def as_graph(graph: Any, what: str = "graph") -> tuple[BoolArray, list[str] | None]:
    """Return the adjacency of any graph-like object and its names as text, None where it has none.

    Parameters
    ----------
    graph : object
        A (d, d) array or nested list of 0 and 1, a scipy sparse matrix or a tensor; a DataFrame with the
        same names on rows (parents) and columns (children); a `networkx.DiGraph`; or anything with
        `adjacency` and `names`: a `Result`, a `Simulation`, a `Dataset`.
    what : str
        How errors call it.

    Raises
    ------
    InputError
        If the graph is not square and binary, has repeated names, or has a cycle.
    """
    if hasattr(graph, "adjacency") and hasattr(graph, "names"):
        names, cells = names_of(graph.names, what), graph.adjacency
    elif hasattr(graph, "columns") and hasattr(graph, "index"):
        names, cells = _frame(graph, what)
    elif hasattr(graph, "is_directed"):
        names, cells = _networkx(graph, what)
    elif hasattr(graph, "get_graph_edges"):
        names, cells = _causallearn(graph, what)
    else:
        names, cells = None, graph
    adjacency = _binary(cells, what)
    if names is not None and len(names) != len(adjacency):
        raise InputError(f"{what} has {len(names)} names for {len(adjacency)} nodes: give one name per node")
    return _acyclic(adjacency, names, what), names


def names_of(names: Any, what: str) -> list[str]:
    """Return names as text, each once."""
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        repeated = next(name for name in texts if texts.count(name) > 1)
        raise InputError(f"{what} has two nodes named {shown(repeated)}: rename one of them")
    return texts


def _frame(frame: Any, what: str) -> tuple[list[str], Any]:
    columns, rows = names_of(frame.columns, what), names_of(frame.index, what)
    if set(columns) != set(rows):
        odd = sorted(set(columns) ^ set(rows))[0]
        raise InputError(
            f"{what} has {shown(odd)} on its rows or its columns only: an adjacency frame needs the same "
            "names on both"
        )
    place = {name: i for i, name in enumerate(rows)}
    return columns, frame.to_numpy()[[place[name] for name in columns]]


def _networkx(graph: Any, what: str) -> tuple[list[str], BoolArray]:
    if not graph.is_directed():
        raise InputTypeError(f"{what} is an undirected networkx graph: give a networkx.DiGraph")
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    adjacency = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for source, target in graph.edges():
        adjacency[place[source], place[target]] = True
    return names_of(nodes, what), adjacency


def _causallearn(graph: Any, what: str) -> tuple[list[str], BoolArray]:
    nodes = names_of([node.get_name() for node in graph.get_nodes()], what)
    place = {node: i for i, node in enumerate(nodes)}
    adjacency = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for edge in graph.get_graph_edges():
        ends = [str(end.get_name()) for end in (edge.get_node1(), edge.get_node2())]
        marks = [mark.name for mark in (edge.get_endpoint1(), edge.get_endpoint2())]
        if sorted(marks) != ["ARROW", "TAIL"]:
            raise InputError(
                f"{what} has an edge without a direction, {shown(ends[0])} and {shown(ends[1])}: give a DAG"
            )
        source, target = ends if marks == ["TAIL", "ARROW"] else ends[::-1]
        adjacency[place[source], place[target]] = True
    return nodes, adjacency


def _binary(cells: Any, what: str) -> BoolArray:
    if hasattr(cells, "toarray"):
        cells = cells.toarray()
    try:
        numbers = np.asarray(cells.detach().cpu() if hasattr(cells, "detach") else cells)
    except ValueError as error:  # rows of different lengths
        raise InputError(f"{what} is not a square (d, d) array: its rows differ in length") from error
    if numbers.dtype.kind not in "biuf":
        raise InputTypeError(
            f"{what} is {shown(cells)}, not a graph: give a (d, d) array of 0 and 1, an adjacency DataFrame, "
            "a networkx.DiGraph or a Result"
        )
    if numbers.ndim != 2 or numbers.shape[0] != numbers.shape[1]:
        raise InputError(f"{what} has shape {numbers.shape}: an adjacency is square, (d, d), [parent, child]")
    if not np.isin(numbers, (0, 1)).all():
        odd = numbers[~np.isin(numbers, (0, 1))][0]
        raise InputError(
            f"{what} has the entry {odd:g}: an adjacency holds 0 and 1 only; threshold weights first"
        )
    return numbers.astype(bool)


def _acyclic(adjacency: BoolArray, names: list[str] | None, what: str) -> BoolArray:
    try:
        topological_order(adjacency)
    except ValueError:
        cycle = " -> ".join(str(names[v] if names else v) for v in _cycle(adjacency))
        raise InputError(f"{what} has a cycle ({_shortened(cycle)}): give a directed acyclic graph") from None
    return adjacency


def _shortened(path: str, limit: int = 80) -> str:
    """Cut a long cycle in the middle."""
    half = (limit - 5) // 2
    return path if len(path) <= limit else f"{path[:half]} ... {path[-half:]}"


def _cycle(adjacency: BoolArray) -> list[int]:
    """Return one cycle, its first node repeated at the end."""
    alive = np.ones(len(adjacency), dtype=bool)
    while (ends := alive & ~(adjacency & alive).any(axis=1)).any():  # nodes with no way on are in no cycle
        alive &= ~ends
    path = [int(np.flatnonzero(alive)[0])]
    while path.count(path[-1]) == 1:
        path.append(int(np.flatnonzero(adjacency[path[-1]] & alive)[0]))
    return path[path.index(path[-1]) :]
