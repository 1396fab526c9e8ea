"""What a picture draws of a result: its links by sort, colour, width and certainty."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dagscale.inputs.kinds import CATEGORICAL
from dagscale.result.certainty import drawn_pairs
from dagscale.result.report.curves import CURVED, curves
from dagscale.result.report.reasons import strongest_edges
from dagscale.runtime.progress import silent

if TYPE_CHECKING:
    from dagscale.result import Result

# Okabe and Ito's colours, which colour-blind readers tell apart.
SIGNS = {1: "#0072B2", -1: "#D55E00", 0: "#666666"}
MEANINGS = {1: "raises", -1: "lowers", 0: "non-monotone or unclear"}
HIDDEN = "#8A3F8F"


@dataclass(frozen=True)
class Link:
    """A line between two columns.

    Attributes
    ----------
    source, target : int
    heads : int
        1: an arrow; 0: its direction is open; 2: a hidden common cause.
    colour, style : str
    width, opacity : float
        In pixels of the layout; of 1.
    meaning : str
        What the colour stands for, in the legend.
    aside : bool
        Whether it bows to leave room for another line between the same columns.
    """

    source: int
    target: int
    heads: int
    colour: str
    width: float
    opacity: float = 1.0
    style: str = "solid"
    meaning: str = ""
    aside: bool = False


def links_of(result: "Result") -> list[Link]:
    """Return the lines to draw, hidden causes included."""
    ends = strongest_edges(result, len(result.edge_table))
    turning = _turning(result)
    found = []
    for (i, j), strength, sign in zip(
        ends, result.edge_table["strength"], result.edge_table["sign"], strict=True
    ):
        open_ = bool(result.either_way[i, j])
        sure = result.probabilities[i, j] + (result.probabilities[j, i] if open_ else 0)
        shown = 0 if (i, j) in turning else int(sign)
        width = 1.6 + 5 * float(np.sqrt(max(0.0, strength)))
        opacity = 0.25 + 0.75 * float(min(1.0, sure))
        heads = 0 if open_ else 1
        found.append(Link(i, j, heads, SIGNS[shown], width, opacity, meaning=MEANINGS[shown]))
    return found + _hidden(result)


def _turning(result: "Result") -> set[tuple[int, int]]:
    """Return the edges that neither raise nor lower: the curve rises and falls, or is one of categories."""
    if len(result.edge_table) > CURVED or len(result.names) > 300:
        return set()
    fitted = curves(result, silent)["curve"].items()
    unordered = {i for i, name in enumerate(result.names) if result.kinds[name] == CATEGORICAL}
    return {ends for ends, curve in fitted if curve["turns"] or unordered & set(ends)}


def _hidden(result: "Result") -> list[Link]:
    pairs = np.argwhere(np.triu(drawn_pairs(result))).tolist()
    joined = result.adjacency | result.adjacency.T
    return [
        Link(i, j, 2, HIDDEN, 2.2, 0.9, "dashed", "hidden common cause", bool(joined[i, j])) for i, j in pairs
    ]
