"""The picture's nodes and links: where they stand, how strong, how sure, and of which sort."""

import math
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import numpy as np

from dagscale.graphs.export import labels
from dagscale.graphs.layout import Layout, place
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.result.certainty import drawn_pairs
from dagscale.result.open_links import COLUMN, sentence
from dagscale.result.report.checks import Doubts
from dagscale.runtime.types import BoolArray

if TYPE_CHECKING:
    from dagscale.result import Result

CHARACTER = 7.9  # pixels a character of a label takes
SHOWN_CHARACTERS = 22
BESIDE = 16  # pixels between an edge and the line of a hidden cause of the same two columns
NO_VALUES = (
    "source",
    "target",
    "either_way",
    "open_because",
    "confounded",
    "probability",
    "direction",
)  # told otherwise on the page


def layout_of(result: "Result", also: list[tuple[int, int]]) -> Layout:
    """Place the nodes; pairs with a hidden cause, and those of `also`, are kept together as if an edge joined them."""
    texts = labels(result.names)
    widths = np.array([CHARACTER * min(_letters(text), SHOWN_CHARACTERS) + 20 for text in texts])
    graph = joined(result).copy()
    for i, j in also:
        graph[along_order(result, i, j)] = True
    return place(graph, widths)


def along_order(result: "Result", i: int, j: int) -> tuple[int, int]:
    """Return two columns, the one that comes first in the causal order first."""
    place_of = result.explainer.position
    return (i, j) if place_of[i] < place_of[j] else (j, i)


def _letters(text: str) -> int:
    """Count the characters, wide ones twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def joined(result: "Result") -> BoolArray:
    """Return the graph (d, d) to lay out: the edges, and pairs with a hidden cause along the order."""
    if not (shared := drawn_pairs(result)).any():
        return result.adjacency
    place_of = result.explainer.position
    before: BoolArray = shared & (place_of[:, None] < place_of)
    return result.adjacency | before


def nodes(result: "Result", layout: Layout, fitted: dict[str, Any]) -> list[dict[str, Any]]:
    """Return name, position and place in the order of every column, with what is known of it."""
    position = result.explainer.position.tolist()
    found = []
    for j, text in enumerate(labels(result.names)):
        x, y = layout.xy[j].tolist()
        node: dict[str, Any] = {"name": text, "x": round(x), "y": round(y), "place": position[j]}
        if (kind := result.kinds.get(result.names[j], CONTINUOUS)) != CONTINUOUS:
            node["kind"] = str(kind)
        if levels := result.levels.get(result.names[j]):
            node["levels"] = [str(level) for level in levels]
        for key in ("data", "residual"):
            if j in fitted[key]:
                node[key] = fitted[key][j]
        found.append(node)
    return found


def edges(result: "Result", layout: Layout, fitted: dict[str, Any], doubts: Doubts) -> list[dict[str, Any]]:
    """Return the links, strongest first, with the values of the edge table and how sure they are."""
    index = {name: i for i, name in enumerate(result.names)}
    columns = [name for name in result.edge_table.columns if name not in NO_VALUES]
    found = []
    for row in result.edge_table.to_dict("records"):
        i, j = ends = (index[row["source"]], index[row["target"]])
        there, back = float(result.probabilities[i, j]), float(result.probabilities[j, i])
        edge: dict[str, Any] = {
            "source": i,
            "target": j,
            "values": {str(name): short_number(row[name]) for name in columns},
            "probability": [short_number(there, 3), short_number(back, 3)],
        }
        extras = {
            "open": bool(result.either_way[i, j]),
            "because": row.get(COLUMN),
            "sentence": sentence(row),
            "bends": [[round(x), round(y)] for x, y in layout.routes.get(ends, [])],
            "curve": fitted["curve"].get(ends),
            "doubts": doubts.get(ends),
        }
        found.append({**edge, **{key: value for key, value in extras.items() if value}})
    return found


def hidden(result: "Result", layout: Layout) -> list[dict[str, Any]]:
    """Return the pairs that share a hidden cause and can be drawn, by place in the order."""
    place_of = result.explainer.position
    found = []
    for i, j in np.argwhere(drawn_pairs(result)).tolist():
        if place_of[i] < place_of[j]:
            aside = BESIDE if result.adjacency[i, j] else 0
            bends = [[round(x + aside), round(y)] for x, y in layout.routes.get((i, j), [])]
            found.append({"source": i, "target": j, "bends": bends})
    return found


def short_number(value: Any, digits: int = 4) -> float | None:
    """Shorten a number to so many significant digits; NaN and infinity are null."""
    number = float(value)
    return float(f"{number:.{digits}g}") if math.isfinite(number) else None
