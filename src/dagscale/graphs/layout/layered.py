"""Layers of bounded width, few crossings, edges that go around nodes (Sugiyama's scheme, in small).

Every edge points down. An edge over several layers gets an invisible bend in each layer between, so that it
has its own room; the order within layers comes from barycentre sweeps, the x-coordinates from least squares
with a least distance between neighbours (isotonic regression).
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
from scipy.optimize import isotonic_regression

from dagscale.graphs.dag import topological_order
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

LOWEST_LAYER, LAYER_HEIGHT = 58.0, 84.0  # pixels from layer to layer: the more layers, the closer
ROOMY = 480.0  # pixels that few layers share, whatever the width
FLAT = 1.75  # width by height that many layers aim at
WINDOW = 1.4  # width by height of a window
WIDTHS = (1.2, 1.0, 0.85)  # nodes of a layer at most, by the square root of all: tried in turn
STRETCHED = 2.0  # a deep and narrow graph is drawn this much wider at most
GAP, BEND_GAP = 18.0, 10.0  # between the borders of neighbours in a layer; beside a bend
BEND_WIDTH = 2.0
NODE_HEIGHT = 34.0
CLEAR = 4.0  # pixels that an edge keeps off a node that it goes around
SWEEPS = 24
ALIGNMENTS = 30
SETTLED = 1e-3  # pixels

Routes = dict[tuple[int, int], list[tuple[float, float]]]  # the bends of edges longer than one layer


@dataclass
class _Layers:
    """The graph with its bends: nodes 0 .. d-1 are real, the others bends.

    `rows` holds the nodes of each layer from left to right, `up` and `down` the neighbours one layer away.
    """

    rows: list[list[int]]
    up: list[list[int]]
    down: list[list[int]]
    widths: list[float]
    chains: dict[tuple[int, int], list[int]]


def layered_positions(
    adjacency: BoolArray, widths: FloatArray, wider: float = 1.0, alone: bool = True
) -> tuple[FloatArray, Routes]:
    """Return the nodes' positions (d, 2) and the bends of edges longer than one layer.

    `wider` is how much wider than a screen the window is, below 1 for the column of a paper. Of several widths of
    layers the one is taken that a window shows largest, unless the graph is a small part of a larger one (`alone`).
    """
    least = 4 if wider >= 1 else 3
    tried = dict.fromkeys(
        max(least, round(share * (wider * len(adjacency)) ** 0.5))
        for share in (WIDTHS if alone else WIDTHS[:1])
    )
    drawn = [_drawn(adjacency, widths, wider, most) for most in tried]

    def needed(positions: tuple[FloatArray, Routes]) -> float:
        covered = np.vstack([positions[0], *(np.array(route) for route in positions[1].values())])
        width, height = np.ptp(covered, axis=0)
        return max(ROOMY, float(width) / (wider * WINDOW), float(height))

    return min(drawn, key=needed)


def _drawn(adjacency: BoolArray, widths: FloatArray, wider: float, most: int) -> tuple[FloatArray, Routes]:
    """Return positions and bends with at most so many nodes in a layer."""
    layer = _layer_of(adjacency, most)
    layers = _with_bends(adjacency, layer, widths)
    _reduce_crossings(layers)
    x = _coordinates(layers)
    height, stretch = _proportions(np.ptp(x) + float(widths.max()), len(layers.rows), wider * FLAT)
    x = stretch * x
    y = {node: height * k for k, row in enumerate(layers.rows) for node in row}
    xy = np.array([(x[v], y[v]) for v in range(len(adjacency))]).reshape(-1, 2)
    room = _room(layers, x, len(adjacency))
    routes = {
        (i, j): _around([(float(x[v]), float(y[v])) for v in (i, *chain, j)], [room[v] for v in chain])
        for (i, j), chain in layers.chains.items()
        if chain
    }
    return xy, routes


def _around(points: list[tuple[float, float]], room: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the bends of an edge through these points; beside a node whose corner it would cut it is upright.

    `room` has, for each bend, the borders of the nodes to its left and right.
    """
    bends, half = [], NODE_HEIGHT / 2
    for (x0, y0), (x, y), (x1, y1), (low, high) in zip(points, points[1:], points[2:], room, strict=False):
        above = x + (x0 - x) * half / (y - y0 - half)  # where it passes the corners, the bends before
        below = x + (x1 - x) * half / (y1 - y - half)  # and after it being upright
        first, last = (y if low <= above <= high else y - half), (y if low <= below <= high else y + half)
        bends += [(x, one) for one in dict.fromkeys((first, last))]
    return bends


def _room(layers: _Layers, x: FloatArray, nodes: int) -> dict[int, tuple[float, float]]:
    """Return, for every bend, how far it is free to its left and right, up to `CLEAR` pixels from a node."""
    found = {}
    for row in layers.rows:
        borders = [
            (x[v] - layers.widths[v] / 2 - CLEAR, x[v] + layers.widths[v] / 2 + CLEAR)
            for v in row
            if v < nodes
        ]
        for bend in (v for v in row if v >= nodes):
            left = max((right for _, right in borders if right < x[bend]), default=-np.inf)
            found[bend] = (left, min((left for left, _ in borders if left > x[bend]), default=np.inf))
    return found


def _proportions(width: float, layers: int, flat: float) -> tuple[float, float]:
    """Return the height of a layer and a factor for x that make good use of a wide window."""
    steps = max(layers - 1, 1)
    height = float(np.clip(max(width / flat, ROOMY) / steps, LOWEST_LAYER, LAYER_HEIGHT))
    return height, float(np.clip(flat * height * (layers - 1) / width, 1.0, STRETCHED))


def _layer_of(adjacency: BoolArray, most: int) -> IntArray:
    """Give every node a layer below its parents', no layer more than `most` nodes (Coffman and Graham).

    Nodes with long ways ahead of them go first, so that the layers stay few; a source then moves down to
    just above its first child, which shortens its edges.
    """
    order = topological_order(adjacency)
    ahead = np.zeros(len(adjacency), dtype=np.intp)
    for v in order[::-1]:
        ahead[v] = 1 + ahead[adjacency[v]].max(initial=-1)
    layer = np.zeros(len(adjacency), dtype=np.intp)
    filled: dict[int, int] = {}
    for v in _by_urgency(adjacency, ahead):
        layer[v] = layer[adjacency[:, v]].max(initial=-1) + 1
        while filled.get(int(layer[v]), 0) >= most:
            layer[v] += 1
        filled[int(layer[v])] = filled.get(int(layer[v]), 0) + 1
    for v in np.flatnonzero(~adjacency.any(axis=0)):
        above = int(layer[adjacency[v]].min()) - 1
        if filled.get(above, 0) < most:
            layer[v] = above
            filled[above] = filled.get(above, 0) + 1
    return np.unique(layer, return_inverse=True)[1].astype(np.intp)  # no layer stays empty


def _by_urgency(adjacency: BoolArray, ahead: IntArray) -> list[int]:
    """Return a topological order that always takes the ready node with the longest way ahead."""
    waiting = adjacency.sum(axis=0)
    ready = [(-int(ahead[v]), int(v)) for v in np.flatnonzero(waiting == 0)]
    heapify(ready)
    order = []
    while ready:
        v = heappop(ready)[1]
        order.append(v)
        for child in np.flatnonzero(adjacency[v]).tolist():
            waiting[child] -= 1
            if waiting[child] == 0:
                heappush(ready, (-int(ahead[child]), child))
    return order


def _with_bends(adjacency: BoolArray, layer: IntArray, widths: FloatArray) -> _Layers:
    d = len(adjacency)
    rows: list[list[int]] = [[] for _ in range(int(layer.max()) + 1)]
    for v in range(d):
        rows[layer[v]].append(v)
    layers = _Layers(rows, [[] for _ in range(d)], [[] for _ in range(d)], [float(w) for w in widths], {})
    for i, j in np.argwhere(adjacency).tolist():
        chain = []
        for k in range(layer[i] + 1, layer[j]):
            chain.append(len(layers.up))
            rows[k].append(chain[-1])
            layers.up.append([])
            layers.down.append([])
            layers.widths.append(BEND_WIDTH)
        layers.chains[i, j] = chain
        path = [i, *chain, j]
        for above, below in pairwise(path):
            layers.down[above].append(below)
            layers.up[below].append(above)
    return layers


def _reduce_crossings(layers: _Layers) -> None:
    """Sort each layer by the mean place of its neighbours, down and up in turn; keep the best."""
    best, fewest = [list(row) for row in layers.rows], _crossings(layers)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        downwards = sweep % 2 == 0
        neighbours = layers.up if downwards else layers.down
        for k in range(len(layers.rows)) if downwards else reversed(range(len(layers.rows))):
            fixed = k - 1 if downwards else k + 1
            if not 0 <= fixed < len(layers.rows):
                continue
            place = {v: float(p) for p, v in enumerate(layers.rows[fixed])}
            own = {v: float(p) for p, v in enumerate(layers.rows[k])}
            layers.rows[k].sort(
                key=lambda v: (
                    sum(place[u] for u in neighbours[v]) / len(neighbours[v]) if neighbours[v] else own[v]
                )
            )
        crossings = _crossings(layers)
        if crossings < fewest:
            best, fewest = [list(row) for row in layers.rows], crossings
    layers.rows = best


def _crossings(layers: _Layers) -> int:
    total = 0
    for k in range(len(layers.rows) - 1):
        place = {v: p for p, v in enumerate(layers.rows[k + 1])}
        ends = np.array(
            [place[u] for v in layers.rows[k] for u in sorted(layers.down[v], key=place.__getitem__)]
        )
        # Edges sorted by their upper end: a crossing is a pair of lower ends in the wrong order.
        total += int(np.triu(ends[:, None] > ends, 1).sum()) if len(ends) else 0
    return total


def _coordinates(layers: _Layers) -> FloatArray:
    """Pull every node towards the mean x of its neighbours, neighbours in a layer kept apart."""
    x = np.zeros(len(layers.up))
    offsets = []  # least distance of each node of a row from the row's first
    for row in layers.rows:
        half = np.array([layers.widths[v] / 2 for v in row])
        bend = 2 * half == BEND_WIDTH
        steps = half[:-1] + half[1:] + np.where(bend[:-1] | bend[1:], BEND_GAP, GAP)
        offsets.append(np.concatenate([[0.0], np.cumsum(steps)]))
        x[row] = offsets[-1] - offsets[-1][-1] / 2
    pulls = [_Pull.of(row, layers) for row in layers.rows]
    for turn in range(ALIGNMENTS):
        before = x.copy()
        for k in range(len(layers.rows)) if turn % 2 == 0 else reversed(range(len(layers.rows))):
            wanted = pulls[k].mean_of_neighbours(x)
            x[layers.rows[k]] = isotonic_regression(wanted - offsets[k]).x + offsets[k]
        if turn % 2 and np.abs(x - before).max() < SETTLED:
            break
    return x


@dataclass(frozen=True)
class _Pull:
    """The neighbours of a row's nodes, one after the other: `near` their numbers, `of_node` whose they are."""

    near: IntArray
    of_node: IntArray
    count: IntArray

    @classmethod
    def of(cls, row: list[int], layers: _Layers) -> "_Pull":
        around = [layers.up[v] + layers.down[v] or [v] for v in row]
        count = np.array([len(near) for near in around])
        return cls(np.concatenate(around).astype(np.intp), np.repeat(np.arange(len(row)), count), count)

    def mean_of_neighbours(self, x: FloatArray) -> FloatArray:
        mean: FloatArray = np.bincount(self.of_node, x[self.near]) / self.count
        return mean
