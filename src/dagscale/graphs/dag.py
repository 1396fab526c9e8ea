"""Algorithms on directed acyclic graphs, as arrays [parent, child]."""

import numpy as np

from dagscale.runtime.types import BoolArray, IntArray


def topological_order(adjacency: BoolArray) -> IntArray:
    """Order the nodes sources first, ties by index; raise if the graph has a cycle."""
    remaining = adjacency.sum(axis=0)
    ready = [int(v) for v in np.flatnonzero(remaining == 0)]
    order: list[int] = []
    while ready:
        v = ready.pop(0)
        order.append(v)
        for child in np.flatnonzero(adjacency[v]):
            remaining[child] -= 1
            if remaining[child] == 0:
                ready.append(int(child))
    if len(order) < len(adjacency):
        raise ValueError("the graph has a cycle")
    return np.array(order, dtype=np.intp)


def descendants(adjacency: BoolArray) -> BoolArray:
    """Return [i, j]: a directed path leads from i to j (d, d)."""
    reach = np.zeros_like(adjacency)
    for node in topological_order(adjacency)[::-1]:
        children = adjacency[node]
        reach[node] = children | reach[children].any(axis=0)
    return reach


def parents_by_child(graph: BoolArray) -> dict[int, IntArray]:
    """List the parents of every column that has some: a large matrix is slow to read column by column."""
    parents, children = np.nonzero(graph)
    sorting = np.argsort(children, kind="stable")
    ends, starts = np.unique(children[sorting], return_index=True)
    parts = np.split(parents[sorting], starts)[1:]
    return dict(zip(ends.tolist(), parts, strict=True))


def with_edges(graph: BoolArray) -> BoolArray:
    """Tell the columns (d,) with an edge at either end."""
    touched: BoolArray = np.asarray(graph.any(axis=0) | graph.any(axis=1))
    return touched


def reaches(graph: BoolArray, start: int, goal: int) -> bool:
    """Tell whether a directed path leads from `start` to `goal`."""
    seen = {start}
    stack = [start]
    while stack:
        v = stack.pop()
        if v == goal:
            return True
        new = set(np.flatnonzero(graph[v]).tolist()) - seen
        seen |= new
        stack += new
    return False


def shortest_path(adjacency: BoolArray, start: int, end: int) -> list[int]:
    """Return a shortest directed path from start to end, empty where there is none."""
    came_from = {start: start}
    front = [start]
    while front and end not in came_from:
        nexts = []
        for node in front:
            fresh = [child for child in np.flatnonzero(adjacency[node]).tolist() if child not in came_from]
            came_from.update(dict.fromkeys(fresh, node))
            nexts += fresh
        front = nexts
    steps = [end] if end in came_from else []
    while steps and steps[-1] != start:
        steps.append(came_from[steps[-1]])
    return steps[::-1]
