"""A graph in the forms other programs read: networkx, DOT, GraphML, GML, JSON and CSV."""

import json
import math
import re
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagscale.runtime.errors import InputError, as_path, shown
from dagscale.runtime.spreadsheet import escaped

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

# Characters that XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def labels(names: Sequence[Hashable]) -> list[str]:
    """Return a text for every name, unique: 1 and "1" become "1" and "1 (2)"."""
    taken: set[str] = set()
    texts = []
    for name in names:
        text = base = str(name)
        k = 1
        while text in taken:
            k += 1
            text = f"{base} ({k})"
        taken.add(text)
        texts.append(text)
    return texts


def to_networkx(
    names: Sequence[Hashable], edges: "pd.DataFrame", kinds: Sequence[str] = ()
) -> "nx.DiGraph[Any]":
    """Return the DiGraph over the names; each edge carries its row of the edge table, each node its `kind`."""
    import networkx as nx

    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(names)
    for name, kind in zip(names, kinds, strict=False):  # no kinds: all columns are continuous
        graph.nodes[name]["kind"] = kind
    for source, target, attributes in _rows(edges):
        graph.add_edge(source, target, **attributes)
    return graph


def to_labelled(
    names: Sequence[Hashable], edges: "pd.DataFrame", kinds: Sequence[str] = ()
) -> "nx.DiGraph[str]":
    """Return the DiGraph with every name as text, for programs that take no other."""
    import networkx as nx

    graph = to_networkx(names, edges, kinds)
    # Not relabel_nodes, which merges a node with one that is renamed later.
    text = dict(zip(names, labels(names), strict=True))
    labelled: nx.DiGraph[str] = nx.DiGraph()
    labelled.add_nodes_from((text[name], attributes) for name, attributes in graph.nodes(data=True))
    labelled.add_edges_from((text[a], text[b], attributes) for a, b, attributes in graph.edges(data=True))
    return labelled


def to_dot(
    names: Sequence[Hashable],
    edges: "pd.DataFrame",
    confounded: Sequence[Sequence[int]] = (),
    kinds: Sequence[str] = (),
) -> str:
    """Return the graph in Graphviz's DOT language, edge widths by strength.

    Open links have no arrowhead; `confounded` pairs of columns, by place, a dashed line with two. Values are
    quoted, for a number with an exponent is none there; a NUL, which would end the file, stands as the
    replacement character.
    """
    clean = labels([label.replace("\0", "\N{REPLACEMENT CHARACTER}") for label in labels(names)])
    graph = to_labelled(clean, _renamed(names, edges, clean), kinds)
    lines = ["digraph dagscale {", "  node [shape=ellipse];"]
    lines += [
        f'  {_dot_quoted(node)} [kind="{own["kind"]}"];' if own else f"  {_dot_quoted(node)};"
        for node, own in graph.nodes(data=True)
    ]
    for source, target, attributes in graph.edges(data=True):
        width = 1 + 3 * min(1.0, attributes.get("strength") or 0.0)
        undirected = ["dir=none"] if attributes.get("either_way") else []
        shown_as = ", ".join(
            [
                f"penwidth={width:.3g}",
                *undirected,
                *(f'{_dot_id(key)}="{value}"' for key, value in attributes.items()),
            ]
        )
        lines.append(f"  {_dot_quoted(source)} -> {_dot_quoted(target)} [{shown_as}];")
    for i, j in confounded:
        lines.append(
            f"  {_dot_quoted(clean[i])} -> {_dot_quoted(clean[j])} [dir=both, style=dashed, constraint=false];"
        )
    return "\n".join([*lines, "}", ""])


def to_graphml(
    names: Sequence[Hashable], edges: "pd.DataFrame", path: str | Path, kinds: Sequence[str] = ()
) -> None:
    """Write GraphML (yEd, Gephi, Cytoscape, igraph)."""
    import networkx as nx

    clean = labels([_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", label) for label in labels(names)])
    graph = to_labelled(clean, _renamed(names, edges, clean), kinds)
    # Not write_graphml: with lxml installed its bytes differ.
    _write(path, "".join(f"{line}\n" for line in nx.generate_graphml(graph)))


def to_gml(
    names: Sequence[Hashable], edges: "pd.DataFrame", path: str | Path, kinds: Sequence[str] = ()
) -> None:
    """Write GML, which is ASCII: other characters stand as &#...; entities."""
    import networkx as nx

    graph = to_labelled(names, edges, kinds)
    _write(path, "".join(f"{line}\n" for line in nx.generate_gml(graph)))


def to_json(
    names: Sequence[Hashable],
    edges: "pd.DataFrame",
    path: str | Path,
    kinds: Sequence[str] = (),
    confounded: Sequence[Sequence[int]] = (),
) -> None:
    """Write node-link JSON, which `networkx.node_link_graph(data, edges="edges")` and d3 read.

    `confounded` pairs of columns, by place, are an attribute of the graph.
    """
    graph, text = to_labelled(names, edges, kinds), labels(names)
    hidden = [[text[i], text[j]] for i, j in confounded]
    document = {
        "directed": True,
        "multigraph": False,
        "graph": {"confounded": hidden} if hidden else {},
        "nodes": [{"id": node, **own} for node, own in graph.nodes(data=True)],
        "edges": [{"source": a, "target": b, **attributes} for a, b, attributes in graph.edges(data=True)],
    }
    _write(path, json.dumps(document, indent=1, allow_nan=False) + "\n")


def to_csv(edges: "pd.DataFrame", path: str | Path) -> None:
    """Write the edge table; a column without any edge does not appear.

    A name that a spreadsheet would run as a formula is written with an apostrophe before it, which the
    readers of this package take off again; see `dagscale.runtime.spreadsheet`.
    """
    safe = edges.assign(source=edges["source"].map(escaped), target=edges["target"].map(escaped))
    _write(path, safe.to_csv(index=False, lineterminator="\n"))


def _rows(edges: "pd.DataFrame") -> list[tuple[Any, Any, dict[str, Any]]]:
    """Return (source, target, attributes) per edge: plain numbers and texts, unknown and empty ones left out."""
    columns = {name: edges[name].tolist() for name in edges.columns if name not in ("source", "target")}
    sources, targets = list(edges["source"]), list(edges["target"])
    return [
        (
            sources[k],
            targets[k],
            {name: values[k] for name, values in columns.items() if _told(values[k])},
        )
        for k in range(len(edges))
    ]


def _told(value: float | str) -> bool:
    return value != "" if isinstance(value, str) else math.isfinite(value)


def _renamed(names: Sequence[Hashable], edges: "pd.DataFrame", new: Sequence[str]) -> "pd.DataFrame":
    text = dict(zip(names, new, strict=True))
    return edges.assign(
        source=[text[name] for name in edges["source"]], target=[text[name] for name in edges["target"]]
    )


def _dot_quoted(text: str) -> str:
    # Graphviz reads backslash escapes in labels (\N, \l), so a backslash itself is doubled.
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _dot_id(text: str) -> str:
    return text if re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", text) else _dot_quoted(text)


def _write(path: str | Path, text: str) -> None:
    target = as_path(path)
    try:
        # A name may hold half a surrogate pair, which UTF-8 cannot; it is written as "?".
        target.write_bytes(text.encode("utf-8", errors="replace"))
    except OSError as error:
        raise InputError(f"cannot write {shown(str(path))}: {error.strerror}; name another file") from None
