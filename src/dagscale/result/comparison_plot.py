"""Two graphs in one picture: colours and dashes say which of them has a link."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.dag import reaches
from dagscale.result.display import short
from dagscale.result.plot import draw_links
from dagscale.result.plot.links import Link
from dagscale.runtime.types import BoolArray

if TYPE_CHECKING:
    from dagscale.result.comparison import Comparison

# Okabe and Ito's colours, which colour-blind readers tell apart; dashes for what is only in the other graph.
STYLES = {
    "shared": ("#222222", "solid"),
    "reversed": ("#D55E00", "solid"),
    "undirected": ("#56B4E9", "solid"),
    "added": ("#0072B2", "solid"),
    "missing": ("#009E73", "dashed"),
}
WIDTH = 2.6  # pixels of the layout


def draw(comparison: "Comparison", ax: Any = None) -> Any:
    """Draw the links of both graphs on `ax` (or a new figure), as the first has them, and return the axes."""
    return draw_links(comparison.names, _acyclic(comparison), _links(comparison), ax)


def _links(comparison: "Comparison") -> list[Link]:
    index = {name: i for i, name in enumerate(comparison.names)}
    counts, found = comparison.counts, []
    words = {
        "undirected": "open in one of them",
        "added": f"only in {short(comparison.here, 20)}",
        "missing": f"only in {short(comparison.there, 20)}",
    }
    for row in comparison.table.to_dict("records"):
        i, j = index[row["source"]], index[row["target"]]
        mark, status = row["here"] or row["there"], row["status"]
        colour, style = STYLES[status]
        ends = (j, i) if mark == "<-" else (i, j)
        meaning = f"{words.get(status, status)} ({counts[status]})"
        found.append(Link(*ends, int(mark != "--"), colour, WIDTH, style=style, meaning=meaning))
    return found


def _acyclic(comparison: "Comparison") -> BoolArray:
    """Return the links as a DAG to lay out: the second graph's are turned where they would close a cycle."""
    index = {name: i for i, name in enumerate(comparison.names)}
    graph = np.zeros((len(index), len(index)), dtype=bool)
    for row in comparison.table.to_dict("records"):  # those that only the other graph has come last
        i, j = index[row["source"]], index[row["target"]]
        if row["here"] == "<-" or reaches(graph, j, i):
            i, j = j, i
        graph[i, j] = True
    return graph
