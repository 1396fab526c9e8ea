"""What a picture draws of a result: its links by sort, colour, width and certainty."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.result.report.answer import tells_probabilities
from dagscale.result.report.curves import CURVED, curves
from dagscale.result.report.reasons import strongest_edges
from dagscale.runtime.progress import silent

if TYPE_CHECKING:
    from dagscale.result import Result

# Okabe and Ito's colours, which colour-blind readers tell apart.
SIGNS = {1: "#0072B2", -1: "#D55E00", 0: "#666666"}
HIDDEN = "#8A3F8F"
STATUS = {
    "shared": "#00795A",
    "reversed": "#D55E00",
    "undirected": "#0072B2",
    "added": "#B8860B",
    "missing": "#8A3F8F",
}


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


def links_of(result: "Result", compare: Any = None) -> list[Link]:
    """Return the lines to draw, hidden causes and links of another graph included."""
    ends = strongest_edges(result, len(result.edge_table))
    status = {} if compare is None else _statuses(result, compare)
    turning = _turning(result)
    found = []
    for (i, j), strength, sign in zip(
        ends, result.edge_table["strength"], result.edge_table["sign"], strict=True
    ):
        open_ = bool(result.either_way[i, j])
        sure = result.probabilities[i, j] + (result.probabilities[j, i] if open_ else 0)
        meaning, colour = _colour(0 if (i, j) in turning else int(sign), status.get((i, j)))
        width = 1.6 + 5 * float(np.sqrt(max(0.0, strength)))
        opacity = 0.25 + 0.75 * float(min(1.0, sure))
        found.append(Link(i, j, 0 if open_ else 1, colour, width, opacity, meaning=meaning))
    return found + _hidden(result) + _missing(status)


def is_told(result: "Result") -> bool:
    """Say whether opacity means something."""
    return tells_probabilities(result)


def _colour(sign: int, status: str | None) -> tuple[str, str]:
    if status is not None:
        return {"shared": "in both", "undirected": "open in one"}.get(status, status), STATUS[status]
    return {1: "raises", -1: "lowers", 0: "non-monotone or no clear sign"}[sign], SIGNS[sign]


def _turning(result: "Result") -> set[tuple[int, int]]:
    """Return the edges whose fitted curve rises and falls: they neither raise nor lower."""
    if len(result.edge_table) > CURVED or len(result.names) > 300:
        return set()
    return {ends for ends, curve in curves(result, silent)["curve"].items() if curve["turns"]}


def _hidden(result: "Result") -> list[Link]:
    pairs = np.argwhere(np.triu(result.confounded)).tolist()
    joined = result.adjacency | result.adjacency.T
    return [
        Link(i, j, 2, HIDDEN, 2.2, 0.9, "dashed", "hidden common cause", bool(joined[i, j])) for i, j in pairs
    ]


def _statuses(result: "Result", compare: Any) -> dict[tuple[int, int], str]:
    """Return by drawn pair what the comparison says of it; missing pairs as the other graph directs them."""
    index = {str(name): i for i, name in enumerate(result.names)}
    asked: Any = result
    comparison = compare if hasattr(compare, "to_dict") else asked.compare(compare)
    found = {}
    for pair in comparison.to_dict()["pairs"]:
        i, j = index[pair["source"]], index[pair["target"]]
        turned = result.adjacency[j, i] or (pair["status"] == "missing" and pair["there"] == "<-")
        found[(j, i) if turned else (i, j)] = str(pair["status"])
    return found


def _missing(status: dict[tuple[int, int], str]) -> list[Link]:
    colour = STATUS["missing"]
    return [
        Link(i, j, 1, colour, 2.0, 0.9, "dotted", "missing")
        for (i, j), said in status.items()
        if said == "missing"
    ]
