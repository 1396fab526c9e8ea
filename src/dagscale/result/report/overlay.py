"""Another graph laid over the picture: where the links run that only the other one has."""

from typing import TYPE_CHECKING, Any

from dagscale.graphs.export import labels
from dagscale.graphs.layout import Layout
from dagscale.result.comparison import MISSING
from dagscale.result.report.network import along_order

if TYPE_CHECKING:
    from dagscale.result import Result

LAID_OUT = 500  # more links than these are drawn as straight lines, and the layout is the result's own


def only_there(result: "Result", compared: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the pairs (source, target) of columns that only the other graph links."""
    index = {text: i for i, text in enumerate(labels(result.names))}
    own = [pair for pair in compared["pairs"] if pair["status"] == MISSING]
    found = [(index.get(pair["source"]), index.get(pair["target"])) for pair in own]
    known = [(i, j) for i, j in found if i is not None and j is not None]
    return known if len(known) <= LAID_OUT else []


def route_missing(result: "Result", compared: dict[str, Any], layout: Layout) -> None:
    """Give those links their bends around other columns, from source to target."""
    index = {text: i for i, text in enumerate(labels(result.names))}
    for pair in compared["pairs"]:
        i, j = index.get(pair["source"]), index.get(pair["target"])
        if pair["status"] != MISSING or i is None or j is None:
            continue
        ends = along_order(result, i, j)
        bends = [[round(x), round(y)] for x, y in layout.routes.get(ends, [])]
        if bends:
            pair["bends"] = bends if ends == (i, j) else bends[::-1]
