"""The legend of a picture: the sorts of lines that are in it, in one or more rows below the graph."""

from typing import Any

from matplotlib.legend_handler import HandlerBase
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from dagscale.result.plot.links import HIDDEN, Link

INK = "#444444"
CHARACTER = 0.52  # of the font's size
SAMPLE = 3.6  # fonts that a line and its gaps take


def entries(links: list[Link]) -> list[tuple[Link, str]]:
    """Return a sample line and its words for each sort in the picture."""
    found: list[tuple[Link, str]] = []
    heads = {link.heads for link in links}
    if 1 in heads:
        found.append((Link(0, 0, 1, INK, 2.0), "cause to effect"))
    if 0 in heads:
        found.append((Link(0, 0, 0, INK, 2.0), "direction open"))
    if 2 in heads:
        found.append((Link(0, 0, 2, HIDDEN, 2.0, style="dashed"), "hidden common cause"))
    meanings = {link.meaning: link for link in links if link.heads < 2}
    for meaning, link in sorted(meanings.items(), key=lambda item: item[1].colour):
        found.append((Link(0, 0, 0, link.colour, 2.6, style=link.style), meaning))
    if len({round(link.width, 1) for link in links if link.heads < 2}) > 1:
        found.append((Link(0, 0, 0, INK, 6.0), "thicker: stronger"))
    if any(link.opacity < 0.99 for link in links if link.heads < 2):
        found.append((Link(0, 0, 0, INK, 2.6, 0.35), "paler: less probable"))
    return found


def columns_of(links: list[Link], width: float, font: float) -> int:
    """Return how many entries stand side by side in so many inches."""
    longest = max((len(text) for _, text in entries(links)), default=1)
    return max(1, min(len(entries(links)), int(72 * width / (font * (CHARACTER * longest + SAMPLE)))))


def rows_of(links: list[Link], width: float, font: float) -> int:
    """Return how many rows the legend takes."""
    return -(-len(entries(links)) // columns_of(links, width, font))


def add_legend(ax: Any, links: list[Link], font: float) -> None:
    """Put the legend below the axes."""
    told = entries(links)
    handles = [_sample(link) for link, _ in told]
    width = ax.figure.get_figwidth() * ax.get_position(original=True).width
    ax.legend(
        handles,
        [text for _, text in told],
        handler_map={Line2D: _Sample()},
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=columns_of(links, width, font),
        fontsize=font,
        frameon=False,
        borderaxespad=0.0,
        borderpad=0.2,
        handlelength=2.4,
        columnspacing=1.2,
        labelspacing=0.35,
    )


def _sample(link: Link) -> Line2D:
    line = Line2D([], [], color=link.colour, linewidth=link.width * 0.6, alpha=link.opacity)
    line.set_linestyle({"solid": "-", "dashed": (0, (2.4, 1.6)), "dotted": ":"}[link.style])
    line.set_gid(str(link.heads))
    return line


class _Sample(HandlerBase):
    """Draws a line with as many heads as its `gid` says."""

    def create_artists(
        self,
        legend: Any,
        line: Any,
        left: float,
        down: float,
        width: float,
        height: float,
        size: float,
        trans: Any,
    ) -> list[Any]:
        """Return the line and its heads."""
        y, heads = height / 2 - down, int(line.get_gid())
        tip, drawn = 0.5 * size, Line2D([0, width], [y, y])
        drawn.update_from(line)
        drawn.set_data([tip if heads == 2 else 0, width - (tip if heads else 0)], [y, y])
        made: list[Any] = [drawn]
        for end, way in [(width, 1), (0.0, -1)][:heads]:
            corners = [
                (end, y),
                (end - way * 1.3 * tip, y + 0.55 * tip),
                (end - way * 1.3 * tip, y - 0.55 * tip),
            ]
            made.append(Polygon(corners, facecolor=line.get_color(), edgecolor="none"))
        for artist in made:
            artist.set_transform(trans)
        return made
