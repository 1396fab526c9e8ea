"""Two graphs in one picture: colours and dashes say which of them has a link."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.dag import reaches
from dagscale.graphs.layout import place
from dagscale.result.display import short
from dagscale.runtime.errors import MissingDependencyError

if TYPE_CHECKING:
    from dagscale.result.comparison import Comparison

# Okabe and Ito's colours, which colour-blind readers tell apart; dashes for what is only in the other graph.
STYLES = {
    "shared": ("#222222", "-"),
    "reversed": ("#D55E00", "-"),
    "undirected": ("#999999", "-"),
    "added": ("#0072B2", "-"),
    "missing": ("#009E73", "--"),
}
CHARACTER = 8.0  # pixels
HEADS = {"->": "-|>", "<-": "<|-", "--": "-"}


def draw(comparison: "Comparison", ax: Any = None) -> Any:
    """Draw the links of both graphs on `ax` (or a new figure), as the first has them, and return the axes."""
    try:
        from matplotlib import pyplot
        from matplotlib.lines import Line2D
    except ImportError:
        raise MissingDependencyError(
            "plot() needs matplotlib; install it with: pip install 'dagscale[plot]'"
        ) from None
    labels = [short(name, 24) for name in comparison.names]
    layout = place(_acyclic(comparison), np.array([CHARACTER * len(label) + 24 for label in labels]))
    if ax is None:
        width, height = np.clip(np.ptp(layout.xy, axis=0) / 90 + np.array([2.5, 2.0]), 4, 30)
        ax = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    boxes = [
        ax.text(
            x,
            y,
            label,
            ha="center",
            va="center",
            zorder=3,
            parse_math=False,
            fontsize=9,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "#444444"},
        )
        for label, (x, y) in zip(labels, layout.xy, strict=True)
    ]
    ax.set_xlim(layout.xy[:, 0].min() - 80, layout.xy[:, 0].max() + 80)
    ax.set_ylim(layout.xy[:, 1].max() + 45, layout.xy[:, 1].min() - 45)  # y grows downwards
    _arrows(comparison, ax, layout.xy, boxes)
    lines = [
        Line2D([], [], color=colour, linestyle=dash, label=f"{status} ({comparison.counts[status]})")
        for status, (colour, dash) in STYLES.items()
        if comparison.counts[status]
    ]
    if lines:
        ax.legend(
            handles=lines, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=3, frameon=False, fontsize=8
        )
    ax.set_title(f"{comparison.here} against {comparison.there}", fontsize=10)
    ax.set_axis_off()
    return ax


def _arrows(comparison: "Comparison", ax: Any, xy: Any, boxes: list[Any]) -> None:
    from matplotlib.patches import FancyArrowPatch

    index = {name: i for i, name in enumerate(comparison.names)}
    for row in comparison.table.to_dict("records"):
        i, j = index[row["source"]], index[row["target"]]
        colour, dash = STYLES[row["status"]]
        ax.add_patch(
            FancyArrowPatch(
                xy[i],
                xy[j],
                arrowstyle=HEADS[row["here"] or row["there"]],
                patchA=boxes[i].get_bbox_patch(),
                patchB=boxes[j].get_bbox_patch(),
                mutation_scale=11,
                color=colour,
                linestyle=dash,
                linewidth=1.5,
                shrinkA=2,
                shrinkB=2,
                zorder=2,
            )
        )


def _acyclic(comparison: "Comparison") -> Any:
    """Return the links as a DAG to lay out: the second graph's are turned where they would close a cycle."""
    index = {name: i for i, name in enumerate(comparison.names)}
    graph = np.zeros((len(index), len(index)), dtype=bool)
    for row in comparison.table.to_dict("records"):  # those that only the other graph has come last
        i, j = index[row["source"]], index[row["target"]]
        if row["here"] == "<-" or reaches(graph, j, i):
            i, j = j, i
        graph[i, j] = True
    return graph
