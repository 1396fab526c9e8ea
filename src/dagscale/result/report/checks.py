"""The checks of the assumptions for the page, and which of them are doubts about a single edge."""

from typing import TYPE_CHECKING, Any

from dagscale.graphs.dag import parents_by_child
from dagscale.result.why import find
from dagscale.runtime.errors import shown

if TYPE_CHECKING:
    from dagscale.result import Result

CHECKED_UP_TO = 300  # columns; wider tables take minutes, and show only checks that were run before
OF_EDGES = ("direction", "independence", "linearity", "additivity")  # checks of a column's regression
HEAVY = 0.3  # share of an effect that one row carries

GREEN, AMBER = "green", "amber"

Doubts = dict[tuple[int, int], list[dict[str, str]]]


def checks(result: "Result") -> dict[str, Any]:
    """Return the checks with their columns as indices; wide tables show what was run before, if anything."""
    d = len(result.names)
    if d > CHECKED_UP_TO and "diagnostics" not in vars(result) and not result.stored_checks:
        said = f"Not run for {d} columns: in Python, look at result.diagnostics, then write the report again."
        return {"summary": said, "light": None, "checks": []}
    found = result.diagnostics
    told = [
        {
            "name": check.name,
            "node": None if check.node is None else _column(check.node, result),
            "light": check.light,
            "sentence": check.sentence,
        }
        for check in found
        if d <= CHECKED_UP_TO or check.node is None or check.light != GREEN
    ]
    return {"summary": f"Looked at {found.rows} rows.", "light": found.light, "checks": told}


def _column(name: Any, result: "Result") -> int:
    return find(tuple(name) if isinstance(name, list) else name, result.names)  # JSON has no tuples


def edge_doubts(result: "Result", told: list[dict[str, Any]], curves: dict[tuple[int, int], Any]) -> Doubts:
    """Return by edge what speaks against it: checks of the child that name the parent, rows that carry it.

    A check of a column with a single parent is about that edge, whether it names the parent or not.
    """
    doubts: Doubts = {}
    parents = parents_by_child(result.adjacency)
    for check in told:
        child = check["node"]
        if child is None or check["light"] == GREEN or check["name"] not in OF_EDGES:
            continue
        for parent in parents.get(child, ()):
            if check["name"] == "direction" and result.either_way[parent, child]:
                continue  # no direction is claimed there
            if len(parents[child]) == 1 or shown(result.names[parent]) in check["sentence"]:
                one = {"light": check["light"], "text": f"{check['name']}: {check['sentence']}"}
                doubts.setdefault((int(parent), child), []).append(one)
    for ends, curve in curves.items():
        if curve.get("heaviest", 0) >= HEAVY:
            text = f"one single row carries {curve['heaviest']:.0%} of this effect: look at that row first"
            doubts.setdefault(ends, []).append({"light": AMBER, "text": text})
    return doubts
