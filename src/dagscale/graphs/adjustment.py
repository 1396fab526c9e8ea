"""What to adjust for: the graphs that open links allow around a cause, and sets that close its back doors."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from dagscale.runtime.types import BoolArray

Edges = list[list[int]]
MOST_GRAPHS = 64  # ways to direct the open links of one cause that are looked at


def graphs_around(adjacency: BoolArray, open_links: BoolArray, cause: int) -> Iterator[BoolArray]:
    """Yield the graphs that direct the open links of one column in every possible way, the given one first.

    As in IDA (Maathuis, Kalisch, Bühlmann 2009), looking at the cause's own links is enough, because its parents
    are a valid adjustment set. A way is possible where it closes no cycle over claimed edges and makes no collider
    a -> c <- b of columns a, b without a link that the given graph does not have.

    Parameters
    ----------
    adjacency : (d, d) bool array
        A DAG, [parent, child].
    open_links : (d, d) bool array
        Symmetric: links whose direction is not claimed.
    cause : int
    """
    links = adjacency | adjacency.T
    open_ = open_links & links
    siblings = np.flatnonzero(open_[cause]).tolist()
    own = frozenset(np.flatnonzero(adjacency[:, cause]).tolist())
    claimed = adjacency & ~open_
    fixed = frozenset(np.flatnonzero(claimed[:, cause]).tolist())
    must = {s for s in siblings if s in own and _collides(claimed, links, cause, s)}

    def together(a: int, b: int) -> bool:
        return bool(links[a, b]) or (a in own and b in own)

    free = [s for s in siblings if all(together(s, p) for p in fixed)]
    yield adjacency
    found = {own}
    for chosen in _cliques(free, together):
        parents = fixed | chosen
        if parents in found or not must <= chosen:
            continue
        graph = adjacency.copy()
        for s in siblings:
            graph[s, cause], graph[cause, s] = s in chosen, s not in chosen
        if not _closes_a_cycle(graph & ~_elsewhere(open_, cause), cause):
            found.add(parents)
            yield graph
        if len(found) == MOST_GRAPHS:
            return


def possibly_reached(graph: BoolArray, open_links: BoolArray, cause: int) -> BoolArray:
    """Mark the columns (d,) to which a path leads from the cause, over claimed edges and open links either way.

    The links of the cause itself are taken as the graph directs them.
    """
    ways = graph | (_elsewhere(open_links, cause) & (graph | graph.T))
    ways[:, cause] = False
    return reached(ways, [cause])


def reached(graph: BoolArray, starts: Iterable[int]) -> BoolArray:
    """Mark the columns (d,) that a directed path of at least one edge leads to."""
    seen = np.zeros(len(graph), dtype=bool)
    front = list(starts)
    while front:
        fresh = graph[front].any(axis=0) & ~seen
        seen |= fresh
        front = np.flatnonzero(fresh).tolist()
    return seen


def back_door_set(graph: BoolArray, hidden: BoolArray, cause: int, outcome: int) -> list[int] | None:
    """Return columns to adjust for, None where no set of columns closes every back door.

    The parents of the cause, if that is enough; it always is where no hidden cause is marked. Otherwise the
    ancestors of the two, which are enough if anything is (van der Zander, Liśkiewicz, Textor 2014), less those that
    can be left out.

    Parameters
    ----------
    graph : (d, d) bool array
        A DAG, [parent, child].
    hidden : (d, d) bool array
        Symmetric: pairs with a hidden common cause.
    cause, outcome : int
    """
    cut = graph.copy()
    cut[cause] = False
    pairs = np.argwhere(np.triu(hidden | hidden.T, 1)).tolist()
    parents = np.flatnonzero(graph[:, cause]).tolist()
    if outcome in parents:
        return None
    if separated(cut, pairs, cause, outcome, parents):
        return parents
    above = reached(graph.T, [cause, outcome]) & ~reached(graph, [cause])
    above[[cause, outcome]] = False
    chosen = np.flatnonzero(above).tolist()
    if not separated(cut, pairs, cause, outcome, chosen):
        return None
    for column in list(chosen):
        fewer = [other for other in chosen if other != column]
        if separated(cut, pairs, cause, outcome, fewer):
            chosen = fewer
    return chosen


def separated(graph: BoolArray, hidden: Edges, a: int, b: int, given: list[int]) -> bool:
    """Say whether a set d-separates two columns, in a DAG with a hidden common cause for some pairs.

    In the graph of all ancestors, parents of a common child are linked, arrows forgotten and the set taken out:
    the two are separated where no path is left (Lauritzen 1990).
    """
    d = len(graph)
    whole = np.zeros((d + len(hidden), d + len(hidden)), dtype=bool)
    whole[:d, :d] = graph
    for k, (i, j) in enumerate(hidden):
        whole[d + k, [i, j]] = True
    kept = reached(whole.T, [a, b, *given])
    kept[[a, b, *given]] = True
    whole &= kept[:, None] & kept
    moral = whole | whole.T
    for child in np.flatnonzero(whole.sum(axis=0) > 1):
        parents = np.flatnonzero(whole[:, child])
        moral[np.ix_(parents, parents)] = True
    moral[given] = False
    moral[:, given] = False
    return not reached(moral, [a])[b]


def _elsewhere(links: BoolArray, cause: int) -> BoolArray:
    links = links.copy()
    links[cause], links[:, cause] = False, False
    return links


def _collides(claimed: BoolArray, links: BoolArray, cause: int, sibling: int) -> bool:
    """Say whether cause -> sibling would meet a claimed parent of the sibling that the cause has no link to."""
    others = claimed[:, sibling] & ~links[cause]
    others[cause] = False
    return bool(others.any())


def _closes_a_cycle(graph: BoolArray, cause: int) -> bool:
    return bool(reached(graph, [cause])[cause])


def _cliques(nodes: list[int], fits: Callable[[int, int], bool]) -> Iterator[frozenset[int]]:
    """Yield every set of nodes that all fit together, the small ones first."""
    layer = [frozenset[int]()]
    while layer:
        yield from layer
        layer = [
            members | {node}
            for members in layer
            for node in nodes
            if node > max(members, default=-1) and all(fits(node, other) for other in members)
        ]
