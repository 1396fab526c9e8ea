"""Where to draw the nodes: layers for small graphs, forces for large ones, components side by side."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dagscale.graphs.layout.force import force_positions
from dagscale.graphs.layout.layered import NODE_HEIGHT, layered_positions
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

LAYERED_UP_TO = 120  # nodes of a component; beyond that layers become wider than any screen
MARGIN = 46.0  # between components, in pixels
CLOSE, LESS_CLOSE = 18.0, 34.0  # between nodes without any edge; in large graphs labels stand below nodes
ASPECT = 1.4  # width by height of the whole
WIDTHS_TRIED, FEWER_TRIED = 10, 3
MANY = 250  # components from which on fewer widths are tried

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


def place(adjacency: BoolArray, widths: FloatArray, aspect: float = ASPECT) -> Layout:
    """Place the nodes of a DAG: sources on top, every component by itself, the largest first.

    Parameters
    ----------
    adjacency : (d, d) bool array
        [parent, child], acyclic.
    widths : (d,) float array
        Width of every node's label in pixels.
    aspect : float
        Width by height of the window or the page.
    """
    count, member = connected_components(csr_array(adjacency), directed=False)
    groups = [np.flatnonzero(member == c) for c in range(count)]
    alone = [group for group in groups if len(group) == 1]
    joined = sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), group[0]))
    drawn = [_draw(adjacency, group, widths, aspect) for group in joined]
    boxes = [_box(part, widths[group]) for part, group in zip(drawn, joined, strict=True)]
    boxes += [np.array([widths[group[0]] / 2, NODE_HEIGHT / 2]) * np.array([[-1], [1]]) for group in alone]
    apart = CLOSE if len(adjacency) <= LAYERED_UP_TO else LESS_CLOSE
    shifts = _arrange(boxes, len(drawn), apart, aspect)
    xy = np.zeros((len(adjacency), 2))
    routes: dict[tuple[int, int], Route] = {}
    for group, part, shift in zip(joined, drawn, shifts, strict=False):
        xy[group] = part.xy + shift
        for (i, j), bends in part.routes.items():
            routes[int(group[i]), int(group[j])] = [(x + shift[0], y + shift[1]) for x, y in bends]
    for group, shift in zip(alone, shifts[len(drawn) :], strict=True):
        xy[group] = shift
    return Layout(xy, routes)


def _draw(adjacency: BoolArray, group: IntArray, widths: FloatArray, aspect: float) -> Layout:
    local = adjacency[np.ix_(group, group)]
    if len(group) <= LAYERED_UP_TO:
        alone = len(adjacency) <= LAYERED_UP_TO
        return Layout(*layered_positions(local, widths[group], aspect / ASPECT, alone))
    return Layout(force_positions(local))


def _box(part: Layout, widths: FloatArray) -> FloatArray:
    """Return the lower and upper corner (2, 2) of what the nodes and the bends of their edges cover."""
    half = np.stack([widths / 2, np.full(len(widths), NODE_HEIGHT / 2)], axis=1)
    bends = [bend for route in part.routes.values() for bend in route]
    covered = np.vstack([part.xy - half, part.xy + half, *([bends] if bends else [])])
    return np.stack([covered.min(axis=0), covered.max(axis=0)])


def _arrange(boxes: list[FloatArray], joined: int, apart: float, aspect: float) -> list[FloatArray]:
    """Return what moves each box to its place: the first `joined` packed, single nodes in lines below.

    Of several widths the one that shows the whole largest in a window of this aspect is taken.
    """
    margins = [MARGIN] * joined + [apart] * (len(boxes) - joined)
    sizes = np.array([box[1] - box[0] + margin for box, margin in zip(boxes, margins, strict=True)])
    sizes = sizes.reshape(-1, 2)
    ideal = np.sqrt(aspect * sizes.prod(axis=1).sum())  # width of the window if no room were lost
    best, least = sizes, np.inf
    tried = np.linspace(0.8, 1.7, WIDTHS_TRIED if joined <= MANY else FEWER_TRIED)
    for limit in np.maximum(sizes[:, 0].max(initial=1.0), ideal * tried):
        packed = _packed(sizes[:joined], limit)
        below = float((packed + sizes[:joined])[:, 1].max(initial=0.0))
        corners = np.vstack([packed, _in_lines(sizes[joined:], limit, below)])
        needed = float(np.max((corners + sizes).max(axis=0, initial=0.0) / [aspect, 1]))
        if needed < least:
            best, least = corners, needed
    return [corner - box[0] for corner, box in zip(best, boxes, strict=True)]


def _packed(sizes: FloatArray, limit: float) -> FloatArray:
    """Return the corner of each box (k, 2), one after the other as high up as there is room, then left."""
    corners = np.zeros_like(sizes)
    starts, heights = np.zeros(1), np.zeros(1)  # what is built on, in stretches from left to right
    for k, (width, height) in enumerate(sizes):
        last = np.searchsorted(
            starts, starts + width - 1e-9
        )  # the first stretch beyond a box that starts here
        spans = np.stack([np.arange(len(starts)), last], axis=1).ravel()
        tops = np.maximum.reduceat(np.append(heights, -np.inf), spans)[::2]
        fits = starts + width <= limit + 1e-9
        fits[0] = True
        best = int(np.argmin(np.where(fits, tops, np.inf)))
        x, y = starts[best], tops[best]
        corners[k] = x, y
        starts, heights = _built_on(starts, heights, x, x + width, y + height)
    return corners


def _built_on(
    starts: FloatArray, heights: FloatArray, left: float, right: float, height: float
) -> tuple[FloatArray, FloatArray]:
    """Return the stretches after something of that height was put from left to right."""
    first, after = np.searchsorted(starts, [left, right - 1e-9])
    end = starts[after] if after < len(starts) else np.inf
    keep = [right] if end > right + 1e-9 else []  # what is left of the last stretch below
    below = [heights[after - 1]] if keep else []
    return (
        np.concatenate([starts[:first], [left], keep, starts[after:]]),
        np.concatenate([heights[:first], [height], below, heights[after:]]),
    )


def _in_lines(sizes: FloatArray, limit: float, y: float) -> FloatArray:
    """Return the corner of each box (k, 2), set as words in lines from y on."""
    x = height = 0.0
    corners = np.zeros_like(sizes)
    for k, size in enumerate(sizes):
        if x > 0 and x + size[0] > limit + 1e-9:
            x, y, height = 0.0, y + height, 0.0
        corners[k] = x, y
        x += float(size[0])
        height = max(height, float(size[1]))
    return corners
