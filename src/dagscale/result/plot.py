"""The graph as a matplotlib picture: no Graphviz needed."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.layout import place
from dagscale.result.display import arrows, short
from dagscale.runtime.errors import MissingDependencyError

if TYPE_CHECKING:
    from dagscale.result import Result

# Okabe and Ito's colours, which colour-blind readers tell apart: raises, lowers, neither.
COLOURS = {1: "#0072B2", -1: "#D55E00", 0: "#666666"}
CHARACTER = 8.0  # pixels


def draw(result: "Result", ax: Any = None) -> Any:
    """Draw the graph on `ax` (or a new figure) and return the axes.

    Arrows are as wide as the edge is strong; blue raises its child, orange lowers it, grey does neither.
    """
    try:
        from matplotlib import pyplot
        from matplotlib.patches import FancyArrowPatch
    except ImportError:
        raise MissingDependencyError(
            "plot() needs matplotlib; install it with: pip install 'dagscale[plot]'"
        ) from None
    labels = [short(name, 24) for name in result.names]
    layout = place(result.adjacency, np.array([CHARACTER * len(label) + 24 for label in labels]))
    if ax is None:
        span = np.ptp(layout.xy, axis=0) / 90 + np.array([2.5, 1.5])
        ax = pyplot.subplots(figsize=tuple(np.clip(span, 3, 30)), layout="constrained")[1]
    index = {name: i for i, name in enumerate(result.names)}
    texts = [
        ax.text(x, y, label, ha="center", va="center", zorder=3, parse_math=False, fontsize=9)
        for label, (x, y) in zip(labels, layout.xy, strict=True)
    ]
    for text in texts:
        text.set_bbox({"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "#444444"})
    table = result.edge_table
    for source, target, strength, sign, head in zip(
        table["source"], table["target"], table["strength"], table["sign"], arrows(table), strict=True
    ):
        i, j = index[source], index[target]
        bends = layout.routes.get((i, j), [])
        arrow = FancyArrowPatch(
            layout.xy[i],
            layout.xy[j],
            arrowstyle="-|>" if head == "->" else "-",
            mutation_scale=11,
            shrinkA=11,
            shrinkB=11,
            color=COLOURS[int(sign)],
            linewidth=0.8 + 3 * strength,
            connectionstyle=f"arc3,rad={_bow(layout.xy[i], layout.xy[j], bends):.3f}",
            zorder=2,
        )
        ax.add_patch(arrow)
    ax.set_xlim(layout.xy[:, 0].min() - 70, layout.xy[:, 0].max() + 70)
    ax.set_ylim(layout.xy[:, 1].max() + 40, layout.xy[:, 1].min() - 40)  # y grows downwards
    ax.set_axis_off()
    return ax


def _bow(start: Any, end: Any, bends: list[tuple[float, float]]) -> float:
    """Return how far to bow an arrow so that it passes near the middle of its bends."""
    if not bends:
        return 0.0
    along = np.subtract(end, start)
    middle = np.subtract(np.mean(bends, axis=0), np.add(start, end) / 2)
    aside = (along[0] * middle[1] - along[1] * middle[0]) / max(float(along @ along), 1.0)
    return float(np.clip(-2 * aside, -0.5, 0.5))
