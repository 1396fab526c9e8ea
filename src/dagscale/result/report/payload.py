"""Everything the page shows, as plain JSON values; the page itself computes nothing but what is on screen."""

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.export import labels
from dagscale.graphs.layout import Layout, place
from dagscale.graphs.pair_values import pairs_with_numbers
from dagscale.result.diagnostics.check import GREEN
from dagscale.result.experiments import as_payload
from dagscale.result.missing_edge import additions, splines_of
from dagscale.result.report.curves import curves
from dagscale.result.why import Why, find
from dagscale.runtime.errors import shown
from dagscale.runtime.progress import Progress
from dagscale.stages.answer import StageKind

if TYPE_CHECKING:
    from dagscale.result import Result

CHARACTER = 7.4  # pixels a character of a label takes
SHOWN_CHARACTERS = 22
ALL_PAIRS_UP_TO = 50  # columns; wider tables explain edges and the strongest candidates only
CANDIDATES = 3000
EVERY_PAIR_UP_TO = 2000  # columns; up to here the stage that decided is told for every pair
CHECKED_UP_TO = 300  # columns; wider tables take minutes, and show only checks that were run before


def payload(result: "Result", progress: Progress) -> dict[str, Any]:
    """Return the page's data."""
    texts = labels(result.names)
    fitted = curves(result, progress)
    widths = np.array([CHARACTER * min(len(text), SHOWN_CHARACTERS) + 22 for text in texts])
    layout = place(result.adjacency, widths)
    return {
        "method": result.method,
        "rows": result.n_samples,
        "nodes": _nodes(result, texts, layout, fitted),
        "edges": _edges(result, layout, fitted),
        "measures": [
            {"name": name, "smallerIsBetter": bool(re.search(r"p[-_ ]?val", name, re.IGNORECASE))}
            for name in result.edge_table.columns
            if name not in ("source", "target", "sign", "reverse", "either_way")
        ],
        "why": _reasons(result),
        "experiments": as_payload(result),
        "decided": _decided(result),
        "settings": _flat(result.settings),
        "timings": _flat(result.timings),
        "versions": _flat(result.versions),
        "notes": list(result.notes),
        "diagnostics": _checks(result),
        "knowledge": _flat(_knowledge(result)),
        "stages": [stage.kind for stage in result.trail],
    }


def _nodes(
    result: "Result", texts: list[str], layout: Layout, fitted: dict[str, Any]
) -> list[dict[str, Any]]:
    position = result.explainer.position
    return [
        {
            "name": text,
            "kind": result.kinds[result.names[j]],
            "levels": [str(level) for level in result.levels.get(result.names[j], ())],
            "x": _round(layout.xy[j, 0]),
            "y": _round(layout.xy[j, 1]),
            "place": int(position[j]),
            "data": fitted["data"][j] if fitted["data"] else None,
            "residual": fitted["residual"].get(j),
        }
        for j, text in enumerate(texts)
    ]


def _edges(result: "Result", layout: Layout, fitted: dict[str, Any]) -> list[dict[str, Any]]:
    index = {name: i for i, name in enumerate(result.names)}
    columns = [name for name in result.edge_table.columns if name not in ("source", "target")]
    found = []
    for row in result.edge_table.to_dict("records"):
        ends = (index[row["source"]], index[row["target"]])
        found.append(
            {
                "source": ends[0],
                "target": ends[1],
                "values": {str(name): _round(row[name], 4) for name in columns},
                "bends": [[_round(x), _round(y)] for x, y in layout.routes.get(ends, [])],
                "curve": fitted["curve"].get(ends),
            }
        )
    return found


def _reasons(result: "Result") -> dict[str, dict[str, Any]]:
    """Explain every pair of a small table, the edges and the strongest candidates of a large one."""
    d = len(result.names)
    explain = result.explainer
    if d <= ALL_PAIRS_UP_TO:
        pairs = [(i, j) for i in range(d) for j in range(d) if i != j]
    else:
        kept = [(i, j) for i, j in np.argwhere(result.adjacency).tolist()]
        pairs = [*kept, *_strongest_candidates(result)]
    reasons = {(i, j): explain.pair(i, j) for i, j in pairs}
    told = _additions(result, reasons) if d <= ALL_PAIRS_UP_TO else {}
    return {f"{i} {j}": _reason(why, told.get((i, j), "")) for (i, j), why in reasons.items()}


def _additions(result: "Result", reasons: dict[tuple[int, int], Why]) -> dict[tuple[int, int], str]:
    """Say what the missing edges that no number decided on would add, child by child."""
    unweighed = [pair for pair, why in reasons.items() if not why.kept and why.statistic is None]
    table, names = splines_of(result), [shown(name) for name in result.names]
    found = {}
    for j in {j for _, j in unweighed}:
        causes = [i for i, child in unweighed if child == j]
        texts = additions(table, result.adjacency, names, causes, j)
        found.update({(i, j): text for i, text in zip(causes, texts, strict=True)})
    return found


def _strongest_candidates(result: "Result") -> list[tuple[int, int]]:
    """Return the pairs without an edge that came closest to one, by the last stage that has numbers."""
    for stage, small in result.explainer.weighed:
        assert stage.statistic is not None
        sources, targets, values = pairs_with_numbers(stage.statistic)
        open_ = ~result.adjacency[sources, targets] & (sources != targets)
        sources, targets, values = sources[open_], targets[open_], values[open_]
        best = np.lexsort((targets, sources, values if small else -values))[:CANDIDATES]
        return list(zip(sources[best].tolist(), targets[best].tolist(), strict=True))
    return []


def _reason(why: Why, addition: str) -> dict[str, Any]:
    notes = [note for note in (addition, why.runner_up_note) if note]
    return {"reason": why.reason, "steps": [str(step) for step in why.steps], "notes": notes}


def _knowledge(result: "Result") -> dict[str, Any]:
    known = result.knowledge
    if known is None:
        return {}
    kinds = ("required", "forbidden", "tiers", "roots", "leaves")
    return {kind: getattr(known, kind) for kind in kinds if getattr(known, kind)}


def _decided(result: "Result") -> dict[str, Any]:
    """Say for every pair which stage decided: per child, parents in causal order, runs of equal stages.

    `runs` holds, child by child in causal order, [stage, count, stage, count, ...]; `stages` the names. Empty
    where `why` has every pair already.
    """
    d = len(result.names)
    if d <= ALL_PAIRS_UP_TO or d > EVERY_PAIR_UP_TO:
        return {"stages": [], "runs": []}
    order = np.argsort(result.explainer.position)
    deciding = result.explainer.deciding[np.ix_(order, order)]
    runs = []
    for column in deciding.T:
        starts = np.flatnonzero(np.diff(column, prepend=-1))
        counts = np.diff(starts, append=d)
        runs.append(np.column_stack([column[starts], counts]).ravel().tolist())
    return {"stages": [*(stage.kind for stage in result.trail), StageKind.METHOD], "runs": runs}


def _checks(result: "Result") -> dict[str, Any]:
    """Return the checks with their columns as indices; wide tables show what was run before, if anything."""
    d = len(result.names)
    if d > CHECKED_UP_TO and "diagnostics" not in vars(result) and not result.stored_checks:
        said = f"Not run for {d} columns: look at result.diagnostics first, then write the report."
        return {"summary": said, "light": None, "checks": []}
    found = result.diagnostics
    checks = [
        {
            "name": check.name,
            "node": None if check.node is None else _column(check.node, result),
            "light": check.light,
            "sentence": check.sentence,
        }
        for check in found
        if d <= CHECKED_UP_TO or check.node is None or check.light != GREEN
    ]
    return {"summary": f"Looked at {found.rows} rows.", "light": found.light, "checks": checks}


def _column(name: Any, result: "Result") -> int:
    return find(tuple(name) if isinstance(name, list) else name, result.names)  # JSON has no tuples


def _flat(values: dict[str, Any]) -> list[list[str]]:
    """Return [name, text] pairs for a list on the page."""
    return [
        [str(name), f"{value:.4g}" if isinstance(value, float) else str(value)]
        for name, value in values.items()
    ]


def _round(value: Any, digits: int = 1) -> float | int | None:
    """Shorten a number: significant digits for statistics, decimals for pixels; NaN and infinity are null."""
    number = float(value)
    if not math.isfinite(number):
        return None
    return float(f"{number:.{digits}g}") if digits > 1 else round(number, digits)
