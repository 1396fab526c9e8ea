"""`auto` against its targets: a table per family, a line per size and setting, ceilings and paper beside."""

from collections.abc import Iterable
from itertools import groupby

from dagscale.benchmark.cases import Case
from dagscale.benchmark.cells import earlier, found, seeds
from dagscale.benchmark.measures import MEASURES
from dagscale.benchmark.published import published, published_methods
from dagscale.benchmark.sheet import Sheet, number
from dagscale.benchmark.summary import Cell, Summary

# Rows that know the truth, and the measure of theirs that `auto` is held against, where a suite has run them.
CEILINGS = {"true-order": "shd", "true-order-evidence": "shd", "oracle": "recall"}


def boards(summary: Summary) -> Iterable[Sheet]:
    """Make one table per family of the suite's cases that have runs of `auto`."""
    cases = [case for case in dict.fromkeys(cell.case for cell in summary.cells) if _rows(summary, case)]
    places = {case.family: i for i, case in reversed(list(enumerate(summary.suite.cases)))}
    cases.sort(key=lambda case: (places[case.family], case.nodes))
    for family, group in groupby(cases, lambda case: case.family):
        shown = [(case, row) for case in group for row in _rows(summary, case)]
        lines = tuple(_line(summary, case, row) for case, row in shown)
        notes = earlier((f"{row} (d = {case.nodes})", summary.of(case)[row]) for case, row in shown)
        yield Sheet(f"{summary.suite.title}: {family}", _header(), lines, tuple(notes))


def best_published(family: str, nodes: int) -> float | None:
    """Return the lowest mean SHD in the paper's table for a family and size, whatever the method."""
    rows = [published(family, nodes, method) for method in published_methods(family, nodes)]
    return min((row.shd.mean for row in rows if row and row.shd), default=None)


def _rows(summary: Summary, case: Case) -> list[str]:
    """Rows of `auto` that have runs of a case: as it is, on a device."""
    return sorted(row for row in summary.of(case) if row.partition(":")[0] == "auto")


def _header() -> tuple[str, ...]:
    ceilings = [f"{MEASURES[measure][0]} of `{row}`" for row, measure in CEILINGS.items()]
    own = ("nodes", "", "SHD", "target", "", "best published (raw)", "precision", "recall")
    return (*own, *ceilings, "seconds", "peak MB", "seeds")


def _line(summary: Summary, case: Case, row: str) -> tuple[str, ...]:
    cells = summary.of(case)
    auto = cells[row]
    goal, mean = summary.suite.targets.get((case.family, case.nodes)), auto.fair_mean("shd")
    reached = "" if goal is None or mean is None else "reached" if mean <= goal else "missed"
    return (
        str(case.nodes),
        f"`{row}`",
        found(auto, "shd"),
        "" if goal is None else f"{goal:g}",
        reached,
        number(best_published(case.family, case.nodes)),
        number(auto.mean("precision"), 2),
        number(auto.mean("recall"), 2),
        *(number(_mean(cells.get(told), name), MEASURES[name][1]) for told, name in CEILINGS.items()),
        number(auto.mean("wall")),
        number(auto.mean("peak_mb"), 0),
        seeds(auto),
    )


def _mean(cell: Cell | None, measure: str) -> float | None:
    return cell.mean(measure) if cell else None
