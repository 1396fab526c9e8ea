"""Where to draw the nodes: layers for small graphs, forces for large ones, components side by side."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dagscale.layout.force import force_positions
from dagscale.layout.layered import layered_positions
from dagscale.types import BoolArray, FloatArray, IntArray

LAYERED_UP_TO = 120  # nodes of a component; beyond that layers become wider than any screen
MARGIN = 60.0  # between components, in pixels
NODE_HEIGHT = 34.0

Route = list[tuple[float, float]]


@dataclass(frozen=True)
class Layout:
    """Positions in pixels, y downwards.

    Attributes
    ----------
    xy : (d, 2) float array
        Centre of every node.
    routes : dict of (parent, child) to list of points
        Where an edge bends to go around nodes of the layers between; straight edges are left out.
    """

    xy: FloatArray
    routes: dict[tuple[int, int], Route] = field(default_factory=dict)


def place(adjacency: BoolArray, widths: FloatArray) -> Layout:
    """Place the nodes of a DAG: sources on top, every component by itself, the largest first.

    Parameters
    ----------
    adjacency : (d, d) bool array
        [parent, child], acyclic.
    widths : (d,) float array
        Width of every node's label in pixels.
    """
    d = len(adjacency)
    count, member = connected_components(csr_array(adjacency), directed=False)
    xy = np.zeros((d, 2))
    routes: dict[tuple[int, int], Route] = {}
    groups = sorted((np.flatnonzero(member == c) for c in range(count)), key=lambda g: (-len(g), g[0]))
    corners = _Shelf(groups, widths)
    for group in groups:
        local = adjacency[np.ix_(group, group)]
        if len(group) <= LAYERED_UP_TO:
            points, bends = layered_positions(local, widths[group])
        else:
            points, bends = force_positions(local), {}
        shift = corners.put(points, widths[group])
        xy[group] = points + shift
        for (i, j), bend in bends.items():
            routes[int(group[i]), int(group[j])] = [(x + shift[0], y + shift[1]) for x, y in bend]
    return Layout(xy, routes)


class _Shelf:
    """Puts boxes in rows, left to right, as text is set; rows are as wide as the whole is meant to be."""

    def __init__(self, groups: list[IntArray], widths: FloatArray) -> None:
        area = sum(float(widths[g].sum() + MARGIN) * (NODE_HEIGHT + MARGIN) * np.sqrt(len(g)) for g in groups)
        self.limit = max(900.0, 1.3 * float(np.sqrt(area)))
        self.x = self.y = self.height = 0.0

    def put(self, points: FloatArray, widths: FloatArray) -> FloatArray:
        """Return the shift that brings the points to the next free place."""
        low = points.min(axis=0) - np.array([widths.max() / 2, NODE_HEIGHT / 2])
        high = points.max(axis=0) + np.array([widths.max() / 2, NODE_HEIGHT / 2])
        size = high - low
        if self.x > 0 and self.x + size[0] > self.limit:
            self.x, self.y, self.height = 0.0, self.y + self.height + MARGIN, 0.0
        shift: FloatArray = np.array([self.x, self.y]) - low
        self.limit = max(self.limit, float(size[0]))
        self.x += float(size[0]) + MARGIN
        self.height = max(self.height, float(size[1]))
        return shift
