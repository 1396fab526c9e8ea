"""Graphs read from files: every format `export` writes, and adjacency tables.

Names are text throughout: what a file calls `007` stays `007`.
"""

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dagscale.graphs.parse_dot import parse_dot
from dagscale.runtime.codec import decode
from dagscale.runtime.errors import InputError, closest, shown
from dagscale.runtime.saved_folder import FORMAT, Arrays, Readable, read_folder
from dagscale.runtime.spreadsheet import unescaped
from dagscale.runtime.types import BoolArray

ENDS = (("source", "target"), ("from", "to"), ("parent", "child"), ("cause", "effect"))
NODE_KEYS = ("id", "name", "label")


@dataclass(frozen=True)
class Parsed:
    """Nodes and edges by name.

    Attributes
    ----------
    nodes : list of str
    edges : list of (source, target)
    complete : bool
        False for edge lists, which cannot hold nodes without edges.
    open_links : list of (source, target)
        Those of the edges whose direction is not claimed.
    """

    nodes: list[str]
    edges: list[tuple[str, str]]
    complete: bool = True
    open_links: tuple[tuple[str, str], ...] = ()

    def adjacency(self, names: list[str]) -> BoolArray:
        """Return the edges as an array [parent, child] over the names."""
        place = {name: i for i, name in enumerate(names)}
        adjacency = np.zeros((len(names), len(names)), dtype=bool)
        for source, target in self.edges:
            adjacency[place[source], place[target]] = True
        return adjacency


def read_graph(path: str | Path) -> tuple[BoolArray, list[str]]:
    """Read a graph from a file.

    Parameters
    ----------
    path : str or Path
        An edge list (CSV or TSV with the columns source and target, others ignored), an adjacency table (CSV
        or TSV, names in the header and, if there is one, in the first column), JSON, GraphML, GML, DOT, a
        `.npy` array, or the folder of a saved `Result`.

    Returns
    -------
    adjacency : (d, d) bool array
        [parent, child].
    names : list of str
        Of its rows and columns. An edge list names only the nodes that have edges.
    """
    parsed = parse_graph(Path(path))
    return parsed.adjacency(parsed.nodes), parsed.nodes


def read_pair(truth: str | Path, estimate: str | Path) -> tuple[BoolArray, BoolArray, list[str]]:
    """Read two graphs over the same nodes and align them.

    A node that an edge list lacks is a node without edges there. Between two files that name all of
    their nodes, the names must be the same.

    Returns
    -------
    true, estimated : (d, d) bool arrays
        [parent, child], rows and columns as `names`.
    names : list of str
    """
    paths = (Path(truth), Path(estimate))
    graphs = [parse_graph(path) for path in paths]
    for graph, other, path, other_path in zip(graphs, graphs[::-1], paths, paths[::-1], strict=True):
        extra = set(other.nodes) - set(graph.nodes)
        if graph.complete and extra:
            name = sorted(extra)[0]
            raise InputError(
                f"{other_path} has the node {shown(name)}, which {path} lacks: the two graphs must be over "
                f"the same names{closest(name, graph.nodes)}"
            )
    names = list(dict.fromkeys([*graphs[0].nodes, *graphs[1].nodes]))
    return graphs[0].adjacency(names), graphs[1].adjacency(names), names


def parse_graph(path: Path) -> Parsed:
    """Read nodes and edges from a file of any known format, or from the folder of a result."""
    if not path.exists():
        raise InputError(f"there is no file {path}: check the path")
    if path.is_dir():
        return _result_folder(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"cannot tell the format of {path}: a graph's name ends in {', '.join(READERS)}")
    try:
        return reader(path)
    except InputError:
        raise
    except Exception as error:  # every parser has its own kinds of complaint; the user needs one line
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"cannot read {path} as a {path.suffix.lower()[1:]} graph: {reason}") from error


def _result_folder(path: Path) -> Parsed:
    def make(content: Readable, arrays: Arrays) -> Parsed:
        names = [str(decode(name)) for name in content["names"]]
        graph = _from_adjacency(arrays["adjacency"], names, path)
        either_way = arrays.get("either_way", np.zeros((0, 0), dtype=bool))
        place = {name: i for i, name in enumerate(names)}
        open_ = [(a, b) for a, b in graph.edges if either_way.size and either_way[place[a], place[b]]]
        return replace(graph, open_links=tuple(open_))

    return read_folder(path, make)


def _table(path: Path) -> Parsed:
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [
            row for row in csv.reader(file, delimiter="," if path.suffix.lower() == ".csv" else "\t") if row
        ]
    if not rows:
        raise InputError(f"{path} is empty: an edge list needs the columns source and target")
    if any(
        cell != cell.strip() for cell in rows[0]
    ):  # typed as "source, target": the blanks are no part of names
        rows = [[cell.strip() for cell in row] for row in rows]
    header, body = rows[0], rows[1:]
    if (ragged := next((k for k, row in enumerate(body, 2) if len(row) != len(header)), None)) is not None:
        raise InputError(
            f"{path} has {len(rows[ragged - 1])} cells in row {ragged} and {len(header)} in its header"
        )
    named_rows = len(body) == len(header) - 1 and {row[0] for row in body} == set(header[1:])
    lowered = [cell.lower() for cell in header]
    ends = next((pair for pair in ENDS if set(pair) <= set(lowered)), None)
    if ends and not named_rows:
        source, target = (lowered.index(end) for end in ends)
        pairs = [(unescaped(row[source]), unescaped(row[target])) for row in body]
        graph = _from_edges([], pairs, complete=False)
        return replace(graph, open_links=_marked_open(lowered, body, pairs))
    if not named_rows and len(body) != len(header):
        raise InputError(
            f"{path} is neither an edge list (columns source and target) nor a square adjacency table"
        )
    return _square(header, body, named_rows, path)


def _marked_open(
    header: list[str], body: list[list[str]], pairs: list[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """Return the edges that a column `either_way`, which our own tables have, marks as open."""
    if "either_way" not in header:
        return ()
    k = header.index("either_way")
    return tuple(
        pair for pair, row in zip(pairs, body, strict=True) if row[k].strip().lower() in ("true", "1")
    )


def _square(header: list[str], body: list[list[str]], named_rows: bool, path: Path) -> Parsed:
    names = [unescaped(name) for name in header]
    if not named_rows:
        return _from_adjacency([[float(cell) for cell in row] for row in body], names, path)
    cells = {row[0]: [float(cell) for cell in row[1:]] for row in body}
    return _from_adjacency([cells[name] for name in header[1:]], names[1:], path)


def _json(path: Path) -> Parsed:
    content = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(content, dict) and content.get("format") == FORMAT:
        return _result_folder(path.parent)
    edges = content.get("edges", content.get("links")) if isinstance(content, dict) else None
    if edges is None:
        raise InputError(
            f'{path} holds no "edges": a graph is {{"nodes": [...], "edges": [{{"source", "target"}}]}}'
        )
    if content.get("directed") is False:
        raise InputError(f"{path} holds an undirected graph: a causal graph has directed edges")
    nodes = [_node_name(node) for node in content.get("nodes", [])]
    pairs = [
        (str(e["source"]), str(e["target"])) if isinstance(e, dict) else (str(e[0]), str(e[1])) for e in edges
    ]
    return _from_edges(nodes, pairs, complete="nodes" in content)


def _node_name(node: Any) -> str:
    if isinstance(node, dict):
        node = next((node[key] for key in NODE_KEYS if key in node), None)
    return str(node)


def _graphml(path: Path) -> Parsed:
    import networkx as nx

    return _from_networkx(nx.read_graphml(path), path)


def _gml(path: Path) -> Parsed:
    import networkx as nx

    return _from_networkx(nx.read_gml(path), path)


def _dot(path: Path) -> Parsed:
    return _from_edges(*parse_dot(path.read_text(encoding="utf-8")))


def _npy(path: Path) -> Parsed:
    cells = np.load(path, allow_pickle=False)
    return _from_adjacency(cells, [str(j) for j in range(len(cells))], path)


READERS: dict[str, Callable[[Path], Parsed]] = {
    ".csv": _table,
    ".tsv": _table,
    ".json": _json,
    ".graphml": _graphml,
    ".gml": _gml,
    ".dot": _dot,
    ".gv": _dot,
    ".npy": _npy,
}


def _from_edges(nodes: Iterable[str], edges: list[tuple[str, str]], complete: bool = True) -> Parsed:
    ends = [end for edge in edges for end in edge]
    return Parsed(list(dict.fromkeys([*nodes, *ends])), edges, complete)


def _from_networkx(graph: Any, path: Path) -> Parsed:
    if not graph.is_directed():
        raise InputError(f"{path} holds an undirected graph: a causal graph has directed edges")
    edges = [(str(source), str(target)) for source, target in graph.edges()]
    return _from_edges([str(node) for node in graph.nodes], edges)


def _from_adjacency(cells: Any, names: list[str], path: Path) -> Parsed:
    if len(set(names)) < len(names):
        raise InputError(f"{path} names two nodes alike: rename one of them")
    cells = np.asarray(cells)
    if cells.shape != (len(names), len(names)) or not np.isin(cells, (0, 1)).all():
        raise InputError(f"{path} is not an adjacency table: it must be square and hold 0 and 1 only")
    edges = [(names[i], names[j]) for i, j in np.argwhere(cells)]
    return Parsed(names, edges)
