"""The graph as a matplotlib picture, drawn as on the page: no Graphviz needed.

Everything but the text is drawn in the layout's pixels, so that an arrow ends exactly at the border of its node
whatever the figure's size.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.layout import Layout, place
from dagscale.result.certainty import drawn_pairs
from dagscale.result.display import short
from dagscale.result.plot.lines import Line, line_of
from dagscale.result.plot.links import Link, links_of
from dagscale.result.report.network import joined
from dagscale.runtime.errors import InputError, MissingDependencyError, shown
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dagscale.result import Result

CHARACTER, PADDING, HEIGHT = 7.9, 20.0, 30.0  # pixels of a node
FONT = 14.0  # pixels of a label; the layout's boxes fit it
POINTS = 0.62  # per pixel of the layout, where no size is asked for
MARGIN = 14.0  # pixels around the graph
COLUMN = {"one-column": 3.5, "two-column": 7.2}  # inches
TALL = {"one-column": 0.9, "two-column": 1.5}  # width by height that the layout aims at
LARGEST = 30.0  # inches
LEGEND = 7.5  # points of the legend's font


@dataclass(frozen=True)
class Size:
    """A figure in inches, and the points of one pixel of the layout."""

    width: float
    height: float
    points: float


def draw(result: "Result", ax: Any = None, size: Any = None, legend: bool = True) -> Any:
    """Draw the graph on `ax` (or a new figure) and return the axes; see `Result.plot`."""
    ax = draw_links(result.names, joined(result), links_of(result), ax, size, legend)
    pairs = int(np.count_nonzero(result.confounded & ~drawn_pairs(result))) // 2
    if pairs:
        said = f"not drawn: {pairs} pairs that seem to share a hidden cause"
        ax.text(0.01, 0.99, said, transform=ax.transAxes, va="top", fontsize=LEGEND)
    return ax


def draw_links(
    names: Sequence[Hashable],
    graph: BoolArray,
    links: list[Link],
    ax: Any = None,
    size: Any = None,
    legend: bool = True,
) -> Any:
    """Draw links between columns, which are placed as the DAG `graph` (d, d) asks; return the axes."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingDependencyError(
            "plot() needs matplotlib; install it with: pip install 'dagscale[plot]'"
        ) from None
    labels = [short(name, 24) for name in names]
    widths = np.array([CHARACTER * len(label) + PADDING for label in labels])
    layout = place(graph, widths, _aspect(size))
    extent = _extent(layout.xy, widths, [line_of(link, layout, widths, HEIGHT) for link in links])
    if ax is None:
        wanted = _size(size, extent[1] - extent[0])
        figure = pyplot.figure(figsize=(wanted.width, wanted.height + _legend_height(links, legend, wanted)))
        share = wanted.height / figure.get_figheight()
        ax = figure.add_axes((0.0, 1 - share, 1.0, share))
    ax.set_aspect("equal")
    ax.set_xlim(extent[0, 0], extent[1, 0])
    ax.set_ylim(extent[1, 1], extent[0, 1])  # y grows downwards
    ax.set_axis_off()
    points = _points(ax, extent)
    for link in links:
        _draw_link(ax, link, line_of(link, layout, widths, HEIGHT), points)
    _draw_nodes(ax, layout, labels, widths, points)
    if legend and links:
        from dagscale.result.plot.legend import add_legend

        add_legend(ax, links, LEGEND)
    return ax


def _aspect(size: Any) -> float:
    if size is None:
        return 1.4
    if isinstance(size, str):
        if size not in COLUMN:
            raise InputError(
                f"size is one of {', '.join(map(repr, COLUMN))} or (width, height), not {shown(size)}"
            )
        return TALL[size]
    width, height = size
    return float(np.clip(width / height, 0.4, 3.0))


def _size(size: Any, span: FloatArray) -> Size:
    """Return how large a figure of the layout's span (2,) in pixels becomes, without its legend."""
    if size is None:
        points = min(POINTS, 72 * LARGEST / float(span.max()))
        return Size(max(3.0, points * span[0] / 72), points * span[1] / 72, points)
    if isinstance(size, str):
        points = min(72 * COLUMN[size] / span[0], 0.66)
        return Size(COLUMN[size], points * span[1] / 72, points)
    width, height = size
    return Size(width, height, 72 * min(width / span[0], height / span[1]))


def _legend_height(links: list[Link], legend: bool, size: Size) -> float:
    """Return the inches below the graph that its legend takes."""
    from dagscale.result.plot.legend import rows_of

    return rows_of(links, size.width, LEGEND) * 1.6 * LEGEND / 72 + 0.08 if legend and links else 0.0


def _points(ax: Any, extent: FloatArray) -> float:
    """Return the points of one pixel of the layout on these axes."""
    box = ax.get_window_extent()
    room = np.array([box.width, box.height]) * 72 / ax.figure.dpi
    return float(np.min(room / (extent[1] - extent[0])))


def _extent(xy: FloatArray, widths: FloatArray, lines: list[Line]) -> FloatArray:
    """Return the lower and upper corner (2, 2) of all that is drawn."""
    half = np.stack([widths / 2, np.full(len(widths), HEIGHT / 2)], axis=1)
    points = np.vstack([xy - half, xy + half, *(line.points for line in lines)])
    return np.stack([points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN])


def _draw_nodes(ax: Any, layout: Layout, labels: list[str], widths: FloatArray, points: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    for label, (x, y), width in zip(labels, layout.xy, widths, strict=True):
        corner = (x - width / 2, y - HEIGHT / 2)
        style = "round,pad=0,rounding_size=7"
        box = FancyBboxPatch(corner, width, HEIGHT, style, facecolor="white", edgecolor="#444444", zorder=3)
        box.set_linewidth(min(0.9, 1.4 * points))
        ax.add_patch(box)
        text = {"ha": "center", "va": "center", "parse_math": False, "zorder": 4}
        ax.text(x, y, label, fontsize=FONT * points, **text)


def _draw_link(ax: Any, link: Link, line: Line, points: float) -> None:
    """Draw the line up to its heads, then the heads: neither shows through the other."""
    from matplotlib.patches import PathPatch, Polygon

    path = PathPatch(line.path(), facecolor="none", edgecolor=link.colour, alpha=link.opacity, zorder=2)
    path.set_linewidth(link.width * points)
    path.set_linestyle({"solid": "-", "dashed": (0, (3, 2)), "dotted": ":"}[link.style])
    path.set_capstyle("butt")
    ax.add_patch(path)
    for corners in line.heads:
        ax.add_patch(Polygon(corners, facecolor=link.colour, edgecolor="none", alpha=link.opacity, zorder=2))
