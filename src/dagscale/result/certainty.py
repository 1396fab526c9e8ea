"""How sure a result is, in words: the sentence at its top, and what is said of one pair."""

from typing import TYPE_CHECKING

import numpy as np

from dagscale.result.open_links import of_pair
from dagscale.runtime.errors import shown
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import StageKind

if TYPE_CHECKING:
    from dagscale.result import Result

SERIAL_ROWS = "rows are not independent"
SAID = ("noise is heteroscedastic", SERIAL_ROWS)  # beginnings of notes worth a place in the sentence
COPIES = "another row exactly"  # a note with this, too
CROWDED = 2  # pairs with a hidden cause for each column, beyond which a picture of them all shows nothing


def drawn_pairs(result: "Result") -> BoolArray:
    """Return the pairs (d, d) with a hidden cause that a picture can show: none where columns share too many."""
    crowded = np.count_nonzero(result.confounded) // 2 > CROWDED * len(result.names)
    return np.zeros_like(result.confounded) if crowded else result.confounded


def headline(result: "Result") -> str:
    """Say in one sentence what was found and how much of it the data support."""
    links = int(result.adjacency.sum())
    open_ = int((result.adjacency & result.either_way).sum())
    parts = [_links(result, links, open_)]
    if hidden := int(result.confounded.sum()) // 2:
        parts.append(f"{_times(hidden, 'pair seems', 'pairs seem')} to share a hidden cause")
    return "; ".join([*parts, *remarks(result)])


def remarks(result: "Result") -> list[str]:
    """Return what of the notes is worth a place beside the first sentence."""
    notes = [note.removeprefix("the ") for note in result.notes]
    said = [start for start in SAID if any(note.startswith(start) for note in notes)]
    return said + [note.partition(";")[0] for note in notes if COPIES in note]


def _links(result: "Result", links: int, open_: int) -> str:
    if not links:
        return "no links"
    if "probability" not in result.edge_table:
        return f"{_times(links, 'link', 'links')}; {result.method} does not say how sure its directions are"
    directions = _times(links - open_, "direction", "directions")
    supported = "supported" if result.knowledge is None else "supported or known"
    return f"{_times(links, 'link', 'links')}: {directions} {supported}, {open_} open"


def pair_text(result: "Result", i: int, j: int) -> str:
    """Say how likely the link of two columns and its direction are, and whether they share a hidden cause."""
    a, b = shown(result.names[i]), shown(result.names[j])
    parts = []
    there, back = float(result.probabilities[i, j]), float(result.probabilities[j, i])
    if "probability" in result.edge_table:
        parts.append(f"probability {there:.2f} of {a} -> {b}, {back:.2f} of {b} -> {a}")
    if result.either_way[i, j]:
        because = of_pair(result, i, j)[1] or "the data support neither"
        parts.append(f"the direction is open: {because}")
    if result.confounded[i, j]:
        parts.append(f"they seem to share a hidden cause: {_hidden_because(result, i, j)}")
    return "\n".join(parts)


def _hidden_because(result: "Result", i: int, j: int) -> str:
    """Say which of the three rules marked a pair."""
    a, b = shown(result.names[i]), shown(result.names[j])
    if any(stage.kind is StageKind.HIDDEN_CAUSE and not stage.kept[i, j] for stage in result.trail):
        return (
            f"their residuals depend on each other, but causes of {a} are independent of {b}, and causes of {b} of "
            f"{a}: an arrow between the two would pass them on"
        )
    if result.adjacency[i, j] or result.adjacency[j, i]:
        return (
            "whichever way the link points, the residuals of its effect still depend on its cause, on every scale and "
            "with every kind of spread"
        )
    return "no edge joins them, and what their parents leave of the two is dependent"


def given_linked(probabilities: FloatArray, adjacency: BoolArray) -> FloatArray:
    """Probability of each edge's direction, given that the two are linked, (d, d); NaN off the graph."""
    total = probabilities + probabilities.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(adjacency, probabilities / np.where(total > 0, total, np.nan), np.nan)


def _times(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
