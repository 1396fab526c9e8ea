"""How far an estimated graph or order is from the true one: pure functions of two graphs.

A graph is a (d, d) array [parent, child], an adjacency DataFrame (aligned by name), a `networkx.DiGraph`, a
`Result`, a `Simulation` or a `Dataset`; the truth comes first. When both have names they are matched by
name, as text; when one has none, by position. Graphs with cycles, other nodes or other numbers than 0 and 1
are refused. A share of nothing (the precision of a graph without edges) is 1 when both graphs are empty and 0
otherwise.
"""

from typing import Any

import numpy as np

from dagscale.graphs.dag import descendants
from dagscale.graphs.given import as_graph, names_of
from dagscale.runtime.errors import InputError, closest, shown
from dagscale.runtime.types import BoolArray, IntArray

__all__ = [
    "aid",
    "evaluate",
    "f1",
    "order_errors",
    "orientation_accuracy",
    "precision",
    "recall",
    "recall_by_in_degree",
    "shd",
    "sid",
    "skeleton_f1",
    "skeleton_precision",
    "skeleton_recall",
]


def shd(true: Any, estimated: Any) -> int:
    """Structural Hamming distance: missing + extra + reversed edges, a reversed edge counted once.

    As the paper counts it (section 5): "the sum of false positive, false negative and wrongly
    directed edges".

    >>> shd([[0, 1], [0, 0]], [[0, 0], [1, 0]])
    1
    """
    A, B = aligned(true, estimated)
    return int((A != B).sum() - (A & B.T).sum())  # a reversed edge differs in two cells


def sid(true: Any, estimated: Any) -> int:
    """Structural intervention distance (Peters and Bühlmann 2015), between 0 and d (d - 1).

    The number of ordered pairs (i, j) whose interventional distribution p(x_j | do(x_i)) comes out wrong when
    the parents of i in the estimated graph are adjusted for, although the true graph made the data. Not
    symmetric: the truth comes first. Computed by gadjid, in about a second for d = 1000.
    """
    import gadjid

    A, B = aligned(true, estimated)
    return _mistakes(gadjid.sid, A, B)


def aid(true: Any, estimated: Any, strategy: str = "ancestor") -> int:
    """Adjustment identification distance (Henckel et al. 2024): wrong pairs (i, j) of d (d - 1), as `sid`.

    Parameters
    ----------
    true, estimated : graphs
    strategy : {"ancestor", "parent", "oset"}
        Which set of the estimated graph is adjusted for; "oset" is the optimal one.
    """
    import gadjid

    distances = {"ancestor": gadjid.ancestor_aid, "parent": gadjid.parent_aid, "oset": gadjid.oset_aid}
    if strategy not in distances:
        raise InputError(
            f"strategy={shown(strategy)}: choose from {', '.join(distances)}{closest(strategy, distances)}"
        )
    A, B = aligned(true, estimated)
    return _mistakes(distances[strategy], A, B)


def precision(true: Any, estimated: Any) -> float:
    """Share of the estimated edges that are true, direction included."""
    A, B = aligned(true, estimated)
    return _share(A & B, B, A | B)


def recall(true: Any, estimated: Any) -> float:
    """Share of the true edges that were found, direction included."""
    A, B = aligned(true, estimated)
    return _share(A & B, A, A | B)


def f1(true: Any, estimated: Any) -> float:
    """Harmonic mean of precision and recall, 2 hits / (true + estimated edges)."""
    A, B = aligned(true, estimated)
    return float(2 * (A & B).sum() / (A.sum() + B.sum())) if (A | B).any() else 1.0


def skeleton_f1(true: Any, estimated: Any) -> float:
    """F1 of the adjacencies, directions apart."""
    A, B = (np.triu(skeleton(G)) for G in aligned(true, estimated))
    return float(2 * (A & B).sum() / (A.sum() + B.sum())) if (A | B).any() else 1.0


def skeleton_precision(true: Any, estimated: Any) -> float:
    """Share of the estimated adjacencies that are true, directions apart."""
    A, B = (skeleton(G) for G in aligned(true, estimated))
    return _share(A & B, B, A | B)


def skeleton_recall(true: Any, estimated: Any) -> float:
    """Share of the true adjacencies that were found, directions apart."""
    A, B = (skeleton(G) for G in aligned(true, estimated))
    return _share(A & B, A, A | B)


def orientation_accuracy(true: Any, estimated: Any) -> float:
    """Share of the true adjacencies found that point the right way."""
    A, B = aligned(true, estimated)
    return _share(A & B, A & skeleton(B), A | B)


def recall_by_in_degree(true: Any, estimated: Any) -> dict[int, float]:
    """Recall apart for the children with 1, 2, 3 ... true parents: where dense graphs are lost."""
    A, B = aligned(true, estimated)
    in_degree = A.sum(axis=0)
    groups = {int(k): in_degree == k for k in np.unique(in_degree) if k > 0}
    return {k: float((A & B)[:, group].sum() / A[:, group].sum()) for k, group in groups.items()}


def order_errors(true: Any, estimated: Any) -> int:
    """Count the true edges that point backwards in an order: no pruner can find them.

    Parameters
    ----------
    true : graph
    estimated : order or graph
        All names or all column indices, sources first; or anything with such an `order` (a `Result`). A graph
        without an order contradicts a true edge i -> j when it has a directed path from j to i.

    >>> order_errors([[0, 1, 1], [0, 0, 1], [0, 0, 0]], [2, 0, 1])
    2
    """
    if _own_order(estimated) is None and not _is_sequence(estimated):
        A, B = aligned(true, estimated)
        return int((A & descendants(B).T).sum())
    A, names = as_graph(true, "the true graph")
    order = estimated
    if _own_order(estimated) is not None:
        order = _own_order(estimated)
        names = names or names_of(estimated.names, "the estimate")
    places = np.empty(len(A), dtype=np.intp)
    places[_indices(order, names, len(A))] = np.arange(len(A))
    source, target = np.nonzero(A)
    return int((places[source] > places[target]).sum())


def evaluate(true: Any, estimated: Any) -> dict[str, Any]:
    """Return all the metrics of two graphs, by name; `missing` + `extra` + `reversed` make up `shd`.

    `order_errors` uses the `order` of the estimate where it has one (a `Result`), its paths otherwise.
    """
    A, B = aligned(true, estimated)
    return {
        "shd": shd(A, B),
        "sid": sid(A, B),
        "precision": precision(A, B),
        "recall": recall(A, B),
        "f1": f1(A, B),
        "order_errors": order_errors(true, estimated),
        "skeleton_f1": skeleton_f1(A, B),
        "skeleton_precision": skeleton_precision(A, B),
        "skeleton_recall": skeleton_recall(A, B),
        "orientation_accuracy": orientation_accuracy(A, B),
        "recall_by_in_degree": recall_by_in_degree(A, B),
        "missing": int((A & ~skeleton(B)).sum()),
        "extra": int((B & ~skeleton(A)).sum()),
        "reversed": int((A & B.T).sum()),
        "true_edges": int(A.sum()),
        "estimated_edges": int(B.sum()),
        "nodes": len(A),
    }


def aligned(true: Any, estimated: Any) -> tuple[BoolArray, BoolArray]:
    """Return both adjacencies over the nodes of the first, matched by name where both have names."""
    A, names = as_graph(true, "the true graph")
    B, other = as_graph(estimated, "the estimated graph")
    if names is not None and other is not None:
        place = _matched(names, other, "the true graph", "the estimated graph")
        return A, B[np.ix_(place, place)]
    if A.shape != B.shape:
        raise InputError(f"the true graph has {len(A)} nodes, the estimated one {len(B)}: they must agree")
    return A, B


def skeleton(adjacency: BoolArray) -> BoolArray:
    """Return the symmetric adjacency that forgets directions."""
    return adjacency | adjacency.T


def _matched(names: list[str], other: list[str], what: str, other_what: str) -> IntArray:
    """Return where each of `names` is in `other`, which must hold the same names."""
    for these, those, where, elsewhere in (
        (names, other, what, other_what),
        (other, names, other_what, what),
    ):
        lacking = sorted(set(these) - set(those))
        if lacking:
            hint = closest(lacking[0], those)
            raise InputError(
                f"{shown(lacking[0])} is in {where} but not in {elsewhere}: use the same names{hint}"
            )
    place = {name: i for i, name in enumerate(other)}
    return np.array([place[name] for name in names], dtype=np.intp)


def _own_order(estimated: Any) -> Any:
    order = getattr(estimated, "order", None)
    return None if callable(order) else order  # networkx has a method of that name, which counts nodes


def _is_sequence(estimated: Any) -> bool:
    if hasattr(estimated, "ndim"):
        return bool(estimated.ndim == 1)
    return isinstance(estimated, list | tuple) and not any(
        isinstance(node, list | tuple) for node in estimated
    )


def _indices(order: Any, names: list[str] | None, d: int) -> IntArray:
    """Return an order of names or indices as indices, checked to hold every node once."""
    nodes = list(order)
    if names is not None and any(str(node) in set(names) for node in nodes):
        return _matched(names_of(nodes, "the order"), names, "the order", "the true graph")
    if any(isinstance(node, str) for node in nodes) or sorted(nodes) != list(range(d)):
        raise InputError(
            f"an order holds each of the {d} nodes once, by name or index: {shown(nodes)} does not"
        )
    return np.array(nodes, dtype=np.intp)


def _share(part: BoolArray, whole: BoolArray, either: BoolArray) -> float:
    """Return |part| / |whole|; 0/0 is 1 where neither graph has edges, 0 otherwise."""
    return float(part.sum() / whole.sum()) if whole.any() else float(not either.any())


def _mistakes(distance: Any, A: BoolArray, B: BoolArray) -> int:
    if len(A) < 2:  # no pairs; gadjid would divide by their number
        return 0
    _, mistakes = distance(A.astype(np.int8), B.astype(np.int8), edge_direction="from row to column")
    return int(mistakes)
