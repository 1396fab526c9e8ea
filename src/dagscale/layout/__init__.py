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
CLOSE = 18.0  # between nodes without any edge
ASPECT = 1.5  # width by height of the whole
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
    count, member = connected_components(csr_array(adjacency), directed=False)
    groups = [np.flatnonzero(member == c) for c in range(count)]
    alone = [group for group in groups if len(group) == 1]
    joined = sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), group[0]))
    drawn = [_draw(adjacency, group, widths) for group in joined]
    boxes = [_box(part.xy, widths[group]) for part, group in zip(drawn, joined, strict=True)]
    boxes += [np.array([widths[group[0]] / 2, NODE_HEIGHT / 2]) * np.array([[-1], [1]]) for group in alone]
    shifts = _shelve(boxes, [MARGIN] * len(drawn) + [CLOSE] * len(alone))
    xy = np.zeros((len(adjacency), 2))
    routes: dict[tuple[int, int], Route] = {}
    for group, part, shift in zip(joined, drawn, shifts, strict=False):
        xy[group] = part.xy + shift
        for (i, j), bends in part.routes.items():
            routes[int(group[i]), int(group[j])] = [(x + shift[0], y + shift[1]) for x, y in bends]
    for group, shift in zip(alone, shifts[len(drawn) :], strict=True):
        xy[group] = shift
    return Layout(xy, routes)


def _draw(adjacency: BoolArray, group: IntArray, widths: FloatArray) -> Layout:
    local = adjacency[np.ix_(group, group)]
    if len(group) <= LAYERED_UP_TO:
        return Layout(*layered_positions(local, widths[group]))
    return Layout(force_positions(local))


def _box(xy: FloatArray, widths: FloatArray) -> FloatArray:
    """Return the lower and upper corner (2, 2) of what the nodes cover."""
    half = np.stack([widths / 2, np.full(len(widths), NODE_HEIGHT / 2)], axis=1)
    return np.stack([(xy - half).min(axis=0), (xy + half).max(axis=0)])


def _shelve(boxes: list[FloatArray], margins: list[float]) -> list[FloatArray]:
    """Set boxes in rows as words are set in lines; return what moves each to its place."""
    sizes = [box[1] - box[0] + margin for box, margin in zip(boxes, margins, strict=True)]
    area = float(sum(size[0] * size[1] for size in sizes))
    limit = max([ASPECT * np.sqrt(area / ASPECT), *(size[0] for size in sizes)])
    x = y = height = 0.0
    shifts: list[FloatArray] = []
    for box, size in zip(boxes, sizes, strict=True):
        if x > 0 and x + size[0] > limit + 1e-9:
            x, y, height = 0.0, y + height, 0.0
        shifts.append(np.array([x, y]) - box[0])
        x += float(size[0])
        height = max(height, float(size[1]))
    return shifts
