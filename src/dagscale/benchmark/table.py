"""A suite's results as tables: every measure in detail, or one measure of all rows in a grid."""

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import groupby

from dagscale.benchmark.board import boards
from dagscale.benchmark.cases import RAW, UNITS, Case
from dagscale.benchmark.cells import earlier, found, seeds
from dagscale.benchmark.execute import TIMEOUT
from dagscale.benchmark.measures import HIGHER_IS_BETTER, MEASURES
from dagscale.benchmark.published import Value, published, published_methods
from dagscale.benchmark.rows import parse_row
from dagscale.benchmark.sheet import Sheet, as_markdown, as_text, number, spread
from dagscale.benchmark.store import Record
from dagscale.benchmark.suite import Suite
from dagscale.benchmark.summary import COSTS, Cell, Summary
from dagscale.benchmark.truth import TRUTH_ROWS
from dagscale.benchmark.verdict import trivial_wins
from dagscale.runtime.errors import InputError

FORMATS = ("text", "md", "csv")


def render(summary: Summary, format: str = "text", by_in_degree: bool = False) -> str:
    """Write a suite's tables in one of `FORMATS`."""
    if format not in FORMATS:
        raise InputError(f"unknown format {format!r}; choose from {', '.join(FORMATS)}")
    if format == "csv":
        return as_csv(summary)
    sheets = list(sheets_of(summary, by_in_degree))
    return as_markdown(sheets) if format == "md" else as_text(sheets)


def sheets_of(summary: Summary, by_in_degree: bool = False) -> Iterable[Sheet]:
    """Make the suite's tables in the layouts it declares."""
    if "grid" in summary.suite.tables:
        yield from grids(summary)
    if "board" in summary.suite.tables:
        yield from boards(summary)
    if "detail" in summary.suite.tables:
        yield from details(summary)
    if by_in_degree:
        yield from recalls_by_in_degree(summary)


def details(summary: Summary) -> Iterable[Sheet]:
    """Make one table per family and size: a line per row, standardised and raw side by side."""
    for (family, nodes), cases in groupby(_shown(summary), lambda case: (case.family, case.nodes)):
        by_units = {case.units: summary.of(case) for case in cases}
        yield _detail(summary.suite, family, nodes, by_units)


def _detail(suite: Suite, family: str, nodes: int, by_units: dict[str, dict[str, Cell]]) -> Sheet:
    units = [unit for unit in UNITS if unit in by_units]
    rows = list(dict.fromkeys(method for unit in units for method in by_units[unit]))
    rows += [m for m in published_methods(family, nodes) if m not in rows and ":" not in m]
    header = ["method", *(f"SHD {unit}" for unit in units), "published SHD", "against it"]
    header += [title for name, (title, _) in MEASURES.items() if name != "shd"] + ["seeds"]
    lines = []
    for method in rows:
        cells = [by_units[unit].get(method) for unit in units]
        line = [f"`{method}`", *(found(cell, "shd") for cell in cells)]
        line += _published(family, nodes, method, by_units.get(RAW, {}).get(method))
        line += [_pair(cells, name) for name in MEASURES if name != "shd"]
        line.append(" / ".join(seeds(cell) for cell in cells))
        lines.append(tuple(line))
    notes = _notes(suite, family, nodes, by_units)
    return Sheet(f"{family}, d = {nodes}", tuple(header), tuple(lines), tuple(notes))


def _notes(suite: Suite, family: str, nodes: int, by_units: dict[str, dict[str, Cell]]) -> list[str]:
    notes = ["a / b: standardised / raw data."] if len(by_units) > 1 else []
    for units, cells in by_units.items():
        notes += trivial_wins(units, cells)
        notes += [_failed(units, cell) for cell in cells.values() if cell.failures]
    shown_cells = (cell for cells in by_units.values() for cell in cells.values())
    notes += earlier(sorted(((cell.method, cell) for cell in shown_cells), key=lambda both: both[0]))
    shown = {method for cells in by_units.values() for method in cells}
    if left_out := [row for row in suite.left_out(nodes) if parse_row(row).name not in shown]:
        notes.append(f"Declared infeasible at this size and left out: {', '.join(left_out)}.")
    return notes


def _failed(units: str, cell: Cell) -> str:
    reasons = sorted({_reason(run) for run in cell.failures})
    total = len(cell.failures) + len(cell.runs)
    return f"{cell.method}, {units}: {len(cell.failures)} of {total} runs failed ({'; '.join(reasons)})."


def _reason(run: Record) -> str:
    if run["status"] == TIMEOUT:
        return f"timeout after {run['limit']:g} s"
    return f"{run['status']} {run.get('error') or ''}".strip()


def grids(summary: Summary) -> Iterable[Sheet]:
    """Make one table per units: a line per case, a column per row, the best without the truth in bold."""
    name = summary.suite.measure
    title, digits = MEASURES[name]
    cases = _shown(summary)
    for unit in UNITS:
        of_unit = [case for case in cases if case.units == unit]
        cells = {case: summary.of(case) for case in of_unit}
        rows = list(dict.fromkeys(m for case in of_unit for m in cells[case]))
        if not of_unit:
            continue
        lines = []
        for case in of_unit:
            best = _best(cells[case].values(), name)
            shown = [_grid_cell(case, cells[case].get(m), name, digits, best) for m in rows]
            lines.append((_label(case, of_unit), *shown))
        notes = [f"Mean ± standard deviation over seeds: {_seed_counts(cells)}."]
        if len(lines) > 1:
            notes.append(f"Best or tied, of {len(lines)} lines: {_winners(rows, lines)}.")
        if any("[" in cell for line in lines for cell in line):
            notes.append("[ ]: published.")
        notes += earlier(
            (f"{row} ({_label(case, of_unit)})", cells[case][row])
            for row in rows
            for case in of_unit
            if row in cells[case]
        )
        header = ("", *(f"`{row}`" for row in rows))
        yield Sheet(f"{summary.suite.title}: {title}, {unit} data", header, tuple(lines), tuple(notes))


def _grid_cell(case: Case, cell: Cell | None, name: str, digits: int, best: float | None) -> str:
    if cell is None:
        return ""
    text = found(cell, name)
    competes = best is not None and cell.method not in TRUTH_ROWS
    if competes and number(cell.fair_mean(name), digits) == number(best, digits):
        text = f"**{text}**"
    row = published(case.family, case.nodes, cell.method) if case.units == RAW else None
    value = {"shd": row.shd, "wall": row.seconds}.get(name) if row else None
    return f"{text} [{_value(value, digits)}]" if value else text


def _winners(rows: Sequence[str], lines: Sequence[tuple[str, ...]]) -> str:
    counts = {row: sum(line[k].startswith("**") for line in lines) for k, row in enumerate(rows, start=1)}
    return ", ".join(f"`{row}` {count}" for row, count in counts.items() if count)


def _seed_counts(cells: dict[Case, dict[str, Cell]]) -> str:
    counts = sorted({len(cell.runs) for by_row in cells.values() for cell in by_row.values()})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def recalls_by_in_degree(summary: Summary) -> Iterable[Sheet]:
    """Make one table per case: the share of true edges found, by the child's number of parents."""
    for case in _shown(summary):
        cells = summary.of(case)
        pooled = {method: _pooled_recall(cell) for method, cell in cells.items()}
        degrees = sorted({k for found in pooled.values() for k in found})
        lines = [
            (f"`{method}`", *(number(found.get(k), 2) for k in degrees)) for method, found in pooled.items()
        ]
        header = ("method", *(f"{k} parents" if k > 1 else "1 parent" for k in degrees))
        yield Sheet(f"{case.name}: recall by in-degree", header, tuple(lines))


def as_csv(summary: Summary) -> str:
    """Write one line per case and row, with means and standard deviations of everything."""
    text = io.StringIO()
    measures = [*MEASURES, *(cost for cost in COSTS if cost not in MEASURES)]
    header = ["family", "nodes", "units", "method", "seeds", "failed", "code"]
    header += [f"{name}_{what}" for name in measures for what in ("mean", "sd")]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*header, "published_shd_mean", "published_shd_sd"])
    for cell in summary.cells:
        case, records = cell.case, (*cell.runs, *cell.failures)
        line: list[object] = [case.family, case.nodes, case.units, cell.method, len(cell.runs)]
        line += [len(cell.failures), records[0]["code"]]
        line += [value for name in measures for value in (cell.mean(name), cell.sd(name))]
        row = published(case.family, case.nodes, cell.method)
        line += [row.shd.mean, row.shd.sd] if row and row.shd else [None, None]
        writer.writerow(["" if value is None else value for value in line])
    return text.getvalue()


def _pooled_recall(cell: Cell) -> dict[int, float]:
    """Pool the edges of all seeds: found and true by the child's in-degree."""
    found: dict[int, list[int]] = {}
    for run in cell.runs:
        for degree, (hits, edges) in run["metrics"].get("recall_by_in_degree", {}).items():
            total = found.setdefault(int(degree), [0, 0])
            total[0] += hits
            total[1] += edges
    return {degree: hits / edges for degree, (hits, edges) in found.items()}


def _shown(summary: Summary) -> list[Case]:
    """List the cases that have a cell, families and sizes together, standardised before raw."""
    cases = dict.fromkeys(cell.case for cell in summary.cells)
    families = {case.family: i for i, case in reversed(list(enumerate(summary.suite.cases)))}
    return sorted(cases, key=lambda c: (families[c.family], c.nodes, UNITS.index(c.units)))


def _label(case: Case, among: Sequence[Case]) -> str:
    parts = [case.family] if len({c.family for c in among}) > 1 else []
    parts += [f"d = {case.nodes}"] if len({c.nodes for c in among}) > 1 else []
    return ", ".join(parts) or case.family


def _best(cells: Iterable[Cell], name: str) -> float | None:
    means = [cell.fair_mean(name) for cell in cells if cell.method not in TRUTH_ROWS]
    known = [mean for mean in means if mean is not None]
    if not known:
        return None
    return max(known) if name in HIGHER_IS_BETTER else min(known)


def _pair(cells: Sequence[Cell | None], name: str) -> str:
    return " / ".join(number(cell.mean(name) if cell else None, MEASURES[name][1]) for cell in cells)


def _value(value: Value | None, digits: int) -> str:
    return spread(value.mean, value.sd, digits) if value else "–"


def _published(family: str, nodes: int, method: str, raw: Cell | None) -> list[str]:
    """Return the paper's SHD and where our mean on raw data stands to it."""
    row = published(family, nodes, method)
    if row is None or row.shd is None:
        return ["", ""]
    mean = raw.fair_mean("shd") if raw else None
    return [_value(row.shd, 1), "" if mean is None else standing(mean, row.shd)]


def standing(mean: float, value: Value) -> str:
    """Say where a mean SHD stands to a published one: within one standard deviation, better or worse."""
    if abs(mean - value.mean) <= (value.sd or 0) + 1e-9:
        return "within 1 sd" if value.sd else "equal"
    return "better" if mean < value.mean else "worse"
