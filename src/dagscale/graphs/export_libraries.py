"""A graph as other libraries' objects: links without a direction, and hidden causes, as each of them writes those."""

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.export import labels
from dagscale.runtime.errors import MissingDependencyError
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    import pandas as pd

Ends = list[tuple[str, str]]


def to_causallearn(names: Sequence[Hashable], edges: "pd.DataFrame", confounded: BoolArray) -> Any:
    """Return a `causallearn.graph.Dag.Dag` with the names as texts.

    Where a link is open or a pair confounded, a `GeneralGraph`: open links end in tails, hidden causes in two arrows.
    """
    general, dag, graph_node, edge, end = _optional(_import_causallearn, "causal-learn")
    directed, open_ = parted(names, edges)
    hidden = pairs_of(names, confounded)
    nodes = {label: graph_node(label) for label in labels(names)}
    if not open_ and not hidden:
        found = dag(list(nodes.values()))
        for source, target in directed:
            found.add_directed_edge(nodes[source], nodes[target])
        return found
    found = general(list(nodes.values()))
    joined = {frozenset(pair) for pair in (*directed, *open_)}
    marks = [(directed, end.TAIL, end.ARROW), (open_, end.TAIL, end.TAIL)]
    # one edge a pair: where an edge joins a confounded pair, causal-learn has no mark for both
    marks.append(([pair for pair in hidden if frozenset(pair) not in joined], end.ARROW, end.ARROW))
    for pairs, first, second in marks:
        for a, b in pairs:
            found.add_edge(edge(nodes[a], nodes[b], first, second))
    return found


def to_pgmpy(names: Sequence[Hashable], edges: "pd.DataFrame") -> Any:
    """Return a `pgmpy.base.DAG` with the names as texts; a `PDAG` where links are open.

    Hidden causes are left out: pgmpy has no mark for them.
    """
    dag, pdag = _optional(_import_pgmpy, "pgmpy")
    directed, open_ = parted(names, edges)
    found = pdag(directed_ebunch=directed, undirected_ebunch=open_) if open_ else dag(directed)
    found.add_nodes_from(labels(names))
    return found


def to_pywhy(names: Sequence[Hashable], edges: "pd.DataFrame", confounded: BoolArray) -> Any:
    """Return a `pywhy_graphs.ADMG` with the names as texts: hidden causes as bidirected edges.

    An open link becomes an undirected edge.
    """
    graphs = _optional(_import_pywhy, "pywhy-graphs")
    directed, open_ = parted(names, edges)
    found = graphs.ADMG()
    found.add_nodes_from(labels(names))
    for pairs, kind in (
        (directed, found.directed_edge_name),
        (open_, found.undirected_edge_name),
        (pairs_of(names, confounded), found.bidirected_edge_name),
    ):
        for a, b in pairs:
            found.add_edge(a, b, edge_type=kind)
    return found


def to_lingam(adjacency: BoolArray, either_way: BoolArray, confounded: BoolArray) -> FloatArray:
    """Return lingam's matrix [child, parent] (d, d): 1 where an edge is claimed, 0 where none is.

    NaN at both places of a pair that shares a hidden cause, as RCD and CAM-UV write it, or whose direction is open,
    as ParceLiNGAM does.
    """
    matrix = adjacency.T.astype(np.float64)
    matrix[confounded | ((adjacency | adjacency.T) & either_way)] = np.nan
    return matrix


def parted(names: Sequence[Hashable], edges: "pd.DataFrame") -> tuple[Ends, Ends]:
    """Return the directed edges and the open links, by label."""
    text = dict(zip(names, labels(names), strict=True))
    open_ = edges["either_way"].tolist() if "either_way" in edges else [False] * len(edges)
    ends = [(text[a], text[b]) for a, b in zip(edges["source"], edges["target"], strict=True)]
    parts: tuple[Ends, Ends] = [], []
    for pair, is_open in zip(ends, open_, strict=True):
        parts[bool(is_open)].append(pair)
    return parts


def pairs_of(names: Sequence[Hashable], confounded: BoolArray) -> Ends:
    """Return the pairs that share a hidden cause, by label, each once."""
    text = labels(names)
    return [(text[i], text[j]) for i, j in np.argwhere(np.triu(confounded, 1)).tolist()]


def _import_causallearn() -> tuple[Any, ...]:
    from causallearn.graph.Dag import Dag
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    return GeneralGraph, Dag, GraphNode, Edge, Endpoint


def _import_pgmpy() -> tuple[Any, Any]:
    from pgmpy.base import DAG, PDAG

    return DAG, PDAG


def _import_pywhy() -> Any:
    import pywhy_graphs

    return pywhy_graphs


def _optional(load: Callable[[], Any], package: str) -> Any:
    try:
        return load()
    except ImportError:
        raise MissingDependencyError(
            f"this export needs {package}; install it with: pip install {package}"
        ) from None
