"""Everything the page shows, as plain JSON values; the page itself computes nothing but what is on screen."""

import re
from typing import TYPE_CHECKING, Any

from dagscale.result.comparison import Comparison
from dagscale.result.report.answer import answer, tells_probabilities
from dagscale.result.report.checks import checks, edge_doubts
from dagscale.result.report.conditions import conditions
from dagscale.result.report.curves import curves
from dagscale.result.report.network import edges, hidden, layout_of, nodes
from dagscale.result.report.overlay import only_there, route_missing
from dagscale.result.report.questions import effects, plain, questions
from dagscale.result.report.reasons import decided, reasons
from dagscale.runtime.progress import Progress

if TYPE_CHECKING:
    from dagscale.result import Result

PARTS = 3  # of the page that progress counts, beside its curves
NO_MEASURE = (  # of the edge table's columns
    "source", "target", "sign", "reverse", "either_way", "open_because", "confounded", "probability", "direction",
    "direction_nats", "dependence", "share", "share_alone",
)  # fmt: skip


def payload(
    result: "Result", progress: Progress, title: str | None = None, compare: Any = None
) -> dict[str, Any]:
    """Return the page's data."""
    fitted = curves(result, progress)
    compared = None if compare is None else _compared(result, compare)
    missing = [] if compared is None else only_there(result, compared)
    layout = layout_of(result, missing)
    if compared is not None:
        route_missing(result, compared, layout)
    progress("checks of the assumptions", 0, PARTS)
    found = checks(result)
    doubts = edge_doubts(result, found["checks"], fitted["curve"])
    progress("reasons for links and missing links", 1, PARTS)
    why = reasons(result)
    progress("effects", 2, PARTS)
    return {
        "answer": answer(result, title),
        "method": result.method,
        "rows": result.n_samples,
        "nodes": nodes(result, layout, fitted),
        "edges": edges(result, layout, fitted, doubts),
        "hidden": hidden(result, layout),
        "measures": _measures(result),
        "told": tells_probabilities(result),
        "why": why,
        "decided": decided(result),
        "questions": questions(result),
        "effects": effects(result),
        "conditions": conditions(result),
        "compare": compared,
        "settings": _flat(result.settings),
        "timings": _flat(result.timings),
        "versions": _flat(result.versions),
        "notes": list(result.notes),
        "diagnostics": found,
        "knowledge": _flat(_knowledge(result)),
        "stages": [stage.kind for stage in result.trail],
    }


def _measures(result: "Result") -> list[dict[str, Any]]:
    """List what edges can be judged by: the numbers of the edge table, and probabilities where they are told."""
    names = [str(name) for name in result.edge_table.columns if name not in NO_MEASURE]
    names += ["probability"] if tells_probabilities(result) else []
    small = re.compile(r"p[-_ ]?val", re.IGNORECASE)
    return [{"name": name, "smallerIsBetter": bool(small.search(name))} for name in names]


def _compared(result: "Result", other: Any) -> Any:
    """Return how another graph differs; `other` is one, or what `result.compare` gave before."""
    comparison = other if isinstance(other, Comparison) else result.compare(other)
    return plain(comparison.to_dict())


def _knowledge(result: "Result") -> dict[str, Any]:
    known = result.knowledge
    if known is None:
        return {}
    told = {
        "required": "; ".join(f"{a} → {b}" for a, b in known.required),
        "forbidden": "; ".join(f"{a} → {b}" for a, b in known.forbidden),
        "tiers": "  <  ".join(", ".join(map(str, tier)) for tier in known.tiers),
        "roots": ", ".join(map(str, known.roots)),
        "leaves": ", ".join(map(str, known.leaves)),
    }
    return {kind: text for kind, text in told.items() if text}


def _flat(values: dict[str, Any]) -> list[list[str]]:
    """Return [name, text] pairs for a list on the page."""
    return [
        [str(name), f"{value:.4g}" if isinstance(value, float) else str(value)]
        for name, value in values.items()
    ]
