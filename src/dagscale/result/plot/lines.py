"""The lines of a picture: from border to border of two nodes, around what lies between, with heads."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscale.graphs.layout import Layout
from dagscale.result.plot.links import Link
from dagscale.runtime.types import FloatArray

GAP = 2.0  # pixels between a line's end and the node
ROUND = 34.0  # pixels before a bend where the corner begins
ASIDE = 16.0  # pixels beside the bends of another line
BOW = 0.18  # of its length: how far a line goes aside that has company


@dataclass(frozen=True)
class Line:
    """A line in pixels of the layout.

    Attributes
    ----------
    points : (k, 2) float array
        Its ends, where heads begin, and the bends between.
    heads : list of (3, 2) float arrays
        Triangles, the tip first.
    """

    points: FloatArray
    heads: list[FloatArray]

    def path(self) -> Any:
        """Return a matplotlib path through the bends, with rounded corners."""
        from matplotlib.path import Path

        vertices, codes = [self.points[0]], [Path.MOVETO]
        for before, bend, after in zip(self.points, self.points[1:], self.points[2:], strict=False):
            vertices += [_towards(bend, before), bend, _towards(bend, after)]
            codes += [Path.LINETO, Path.CURVE3, Path.CURVE3]
        return Path([*vertices, self.points[-1]], [*codes, Path.LINETO])


def _towards(bend: FloatArray, other: FloatArray) -> FloatArray:
    """Return where the rounding of a corner begins: some way off, half the way at most."""
    way = other - bend
    length = float(np.linalg.norm(way))
    begin: FloatArray = bend + way * min(0.5, ROUND / max(length, 1e-9))
    return begin


def line_of(link: Link, layout: Layout, widths: FloatArray, height: float) -> Line:
    """Lay a link between the borders of its nodes."""
    i, j = link.source, link.target
    bends = [np.array(bend) for bend in layout.routes.get((i, j), [])]
    bends = bends or [np.array(bend) for bend in layout.routes.get((j, i), [])[::-1]]
    beside = np.zeros(2)
    if link.aside and bends:  # its bends and its heads keep off those of the other line
        beside = np.array([ASIDE, 0.0])
        bends = [bend + beside for bend in bends]
    elif link.aside:
        along = layout.xy[j] - layout.xy[i]
        bends = [(layout.xy[i] + layout.xy[j]) / 2 + BOW * np.array([-along[1], along[0]])]
    first, last = (layout.xy[k] + np.minimum(beside, widths[k] / 3) for k in (i, j))
    start = _border(layout.xy[i], first, bends[0] if bends else last, widths[i], height)
    end = _border(layout.xy[j], last, bends[-1] if bends else first, widths[j], height)
    heads = []
    if link.heads >= 1:
        end, head = _head(end, bends[-1] if bends else start, link.width)
        heads.append(head)
    if link.heads == 2:
        start, head = _head(start, bends[0] if bends else end, link.width)
        heads.append(head)
    return Line(np.stack([start, *bends, end]), heads)


def _border(
    centre: FloatArray, inside: FloatArray, towards: FloatArray, width: float, height: float
) -> FloatArray:
    """Return where the way from a point inside a node leaves its box."""
    way = towards - inside
    half = np.array([width / 2 + GAP, height / 2 + GAP])
    room = centre + np.where(way > 0, half, -half) - inside
    with np.errstate(divide="ignore", invalid="ignore"):
        share = float(np.min(np.where(np.abs(way) > 1e-12, room / way, np.inf)))
    border: FloatArray = inside + min(share, 1.0) * way
    return border


def _head(tip: FloatArray, before: FloatArray, width: float) -> tuple[FloatArray, FloatArray]:
    """Return where the line ends, and the head's three corners."""
    way = tip - before
    length = float(np.linalg.norm(way))
    unit = way / max(length, 1e-9)
    size = min(7.0 + 1.7 * width, 0.6 * length)
    side = 0.42 * size * np.array([-unit[1], unit[0]])
    base = tip - size * unit
    return base + 0.02 * size * unit, np.stack([tip, base + side, base - side])
