"""A suite's results as tables: one measure of all rows in a grid, or every measure in detail."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from dagscale.benchmark.cases import RAW, UNITS, Case
from dagscale.benchmark.execute import TIMEOUT
from dagscale.benchmark.published import Value, published, published_methods
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.sheet import (
    HIGHER_IS_BETTER,
    MEASURES,
    NOT_EVERYWHERE,
    Sheet,
    as_markdown,
    as_text,
    number,
    spread,
)
from dagscale.benchmark.store import Record
from dagscale.benchmark.suite import Suite
from dagscale.benchmark.summary import Cell, Summary
from dagscale.benchmark.truth import TRUTH_ROWS
from dagscale.runtime.errors import InputError

FORMATS = ("text", "md")
TIER_COUNTS = ("along", "against", "open")
Cells = Mapping[str, Cell]  # of one case, by row


def render(
    summary: Summary, format: str = "text", measure: str | None = None, by_in_degree: bool = False
) -> str:
    """Write a suite's tables in one of `FORMATS`."""
    if format not in FORMATS:
        raise InputError(f"unknown format {format!r}; choose from {', '.join(FORMATS)}")
    sheets = list(sheets_of(summary, measure))
    sheets += recalls_by_in_degree(summary) if by_in_degree else []
    return as_markdown(sheets) if format == "md" else as_text(sheets)


def sheets_of(summary: Summary, measure: str | None = None) -> Iterable[Sheet]:
    """Make the tables the suite declares; grids alone where a measure is named."""
    suite = summary.suite
    if measure or "grid" in suite.tables:
        for name in [measure] if measure else [suite.measure, *suite.also]:
            yield from grids(summary, check_measure(name))
    if not measure and "tiers" in suite.tables:
        yield from tier_counts(summary)
    if not measure and "detail" in summary.suite.tables:
        for (family, nodes), cases in groupby(summary.cases(), lambda case: (case.family, case.nodes)):
            yield _detail(summary.suite, family, nodes, {case.units: summary.of(case) for case in cases})


def check_measure(measure: str) -> str:
    """Return a measure that exists."""
    if measure not in MEASURES:
        raise InputError(f"unknown measure {measure!r}; choose from {', '.join(MEASURES)}")
    return measure


def grids(summary: Summary, measure: str) -> Iterable[Sheet]:
    """Make one table per units: a line per case, a column per row, the best without the truth in bold.

    A case whose answers lack the measure (one without a graph has no SHD) has no line.
    """
    for unit in UNITS:
        cells = {case: summary.of(case) for case in summary.cases() if case.units == unit}
        cells = {case: by_row for case, by_row in cells.items() if _has(by_row, measure)}
        if not cells:
            continue
        rows = list(dict.fromkeys(method for by_row in cells.values() for method in by_row))
        lines = [
            (_label(case, list(cells)), *_grid_line(case, by_row, rows, measure))
            for case, by_row in cells.items()
        ]
        counts = sorted({len(cell.runs) for by_row in cells.values() for cell in by_row.values()})
        seeds = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
        notes = [f"Mean ± standard deviation over seeds: {seeds}."]
        if len(lines) > 1:
            notes.append(f"Best or tied, of {len(lines)} lines: {_winners(rows, lines)}.")
        if any("[" in cell for line in lines for cell in line):
            notes.append("[ ]: published.")
        title = f"{summary.suite.title}: {MEASURES[measure][0]}, {unit} data"
        yield Sheet(title, ("", *(f"`{row}`" for row in rows)), tuple(lines), tuple(notes))


def _has(cells: Cells, measure: str) -> bool:
    """Say whether a case belongs in the grid of a measure: some answer has it, or there is no answer at all."""
    answered = [cell for cell in cells.values() if cell.runs]
    return not answered or any(cell.mean(measure) is not None for cell in answered)


def tier_counts(summary: Summary) -> Iterable[Sheet]:
    """Make the table of links between known tiers: arrows along them, against them, links left open."""
    cells = {case: summary.of(case) for case in summary.cases()}
    cells = {case: by_row for case, by_row in cells.items() if _has(by_row, "tier_score")}
    if not cells:
        return
    rows = list(dict.fromkeys(method for by_row in cells.values() for method in by_row))
    groups = [(case.family, [by_row]) for case, by_row in cells.items()]
    groups += [("all of them", list(cells.values()))] if len(cells) > 1 else []
    lines = [
        (name, *(_tier_count([by_row.get(row) for by_row in tables]) for row in rows))
        for name, tables in groups
    ]
    title = "Links between known tiers: arrows along / against / left open"
    yield Sheet(title, ("", *(f"`{row}`" for row in rows)), tuple(lines), ("Means over seeds.",))


def _tier_count(cells: Sequence[Cell | None]) -> str:
    """Write the counts of some tables together; a dash where one of them has no answer."""
    answered = [cell for cell in cells if cell is not None and cell.runs]
    if len(answered) < len(cells):
        return "–"
    digits = 0 if all(len(cell.runs) == 1 for cell in answered) else 1
    return " / ".join(
        number(sum(cell.mean(name) or 0.0 for cell in answered), digits) for name in TIER_COUNTS
    )


def _grid_line(case: Case, cells: Cells, rows: Sequence[str], measure: str) -> Iterable[str]:
    digits = MEASURES[measure][1]
    means = {m: number(c.fair_mean(measure), digits) for m, c in cells.items() if m not in TRUTH_ROWS}
    known = [c.fair_mean(measure) for m, c in cells.items() if m in means]
    best = (max if measure in HIGHER_IS_BETTER else min)((x for x in known if x is not None), default=None)
    for row in rows:
        text = cells[row].text(measure) if row in cells else ""
        if best is not None and means.get(row) == number(best, digits):
            text = f"**{text}**"
        value = published(case.family, case.nodes, row).get(measure) if case.units == RAW else None
        yield f"{text} [{spread(value.mean, value.sd, digits)}]" if text and value else text


def _winners(rows: Sequence[str], lines: Sequence[tuple[str, ...]]) -> str:
    counts = {row: sum(line[k].startswith("**") for line in lines) for k, row in enumerate(rows, start=1)}
    return ", ".join(f"`{row}` {count}" for row, count in counts.items() if count)


def _label(case: Case, among: Sequence[Case]) -> str:
    parts = [case.family] if len({c.family for c in among}) > 1 else []
    parts += [f"d = {case.nodes}"] if len({c.nodes for c in among}) > 1 else []
    return ", ".join(parts) or case.family


def _detail(suite: Suite, family: str, nodes: int, by_units: Mapping[str, Cells]) -> Sheet:
    """Make the table of one family and size: a line per row, standardised and raw side by side."""
    rows = list(dict.fromkeys(method for cells in by_units.values() for method in cells))
    rows += [m for m in published_methods(family, nodes) if m not in rows and ":" not in m]
    measured = [cell for cells in by_units.values() for cell in cells.values()]
    others = [
        name
        for name in MEASURES
        if name not in NOT_EVERYWHERE or any(c.mean(name) is not None for c in measured)
    ]
    others.remove("shd")
    header = ["method", *(f"SHD {unit}" for unit in by_units), "published SHD", "against it"]
    header += [*(MEASURES[name][0] for name in others), "seeds"]
    lines = []
    for method in rows:
        cells = [by_units[unit].get(method) for unit in by_units]
        line = [f"`{method}`", *(cell.text("shd") if cell else "–" for cell in cells)]
        line += _published(family, nodes, method, by_units.get(RAW, {}).get(method))
        for name in others:
            means = [number(cell.mean(name) if cell else None, MEASURES[name][1]) for cell in cells]
            line.append(" / ".join(means))
        line.append(" / ".join(_seeds(cell) for cell in cells))
        lines.append(tuple(line))
    notes = tuple(_notes(suite, nodes, by_units))
    return Sheet(f"{family}, d = {nodes}", tuple(header), tuple(lines), notes)


def _notes(suite: Suite, nodes: int, by_units: Mapping[str, Cells]) -> Iterable[str]:
    if len(by_units) > 1:
        yield "a / b: standardised / raw data."
    for units, cells in by_units.items():
        yield from trivial_wins(units, cells)
        for cell in cells.values():
            if cell.failures:
                reasons = "; ".join(sorted({_reason(run) for run in cell.failures}))
                yield f"{cell.method}, {units}: {_seeds(cell, failed=True)} runs failed ({reasons})."
    shown = {method for cells in by_units.values() for method in cells}
    if left_out := [row for row in suite.left_out(nodes) if row not in shown]:
        yield f"Too slow at this size and left out: {', '.join(left_out)}."


def trivial_wins(units: str, cells: Cells) -> list[str]:
    """Say which methods the best trivial baseline matches or beats in mean SHD; nothing where none."""
    means = {m: mean for m, cell in cells.items() if (mean := cell.fair_mean("shd")) is not None}
    baselines = {m: mean for m, mean in means.items() if m in TRIVIAL}
    methods = {m: mean for m, mean in means.items() if m not in TRIVIAL and m not in TRUTH_ROWS}
    best = min(baselines, key=lambda m: baselines[m], default="")
    beaten = [m for m in methods if best and baselines[best] <= methods[m]]
    if not beaten:
        return []
    listed = "every method" if len(beaten) == len(methods) else ", ".join(f"`{m}`" for m in beaten)
    shown = f"`{best}` ({number(baselines[best])})"
    return [f"On {units} data the baseline {shown} is as good as or better than {listed}."]


def _seeds(cell: Cell | None, failed: bool = False) -> str:
    """Write how many runs have an answer, or failed, and of how many where the two differ."""
    if cell is None:
        return "–"
    count, total = len(cell.failures if failed else cell.runs), len(cell.runs) + len(cell.failures)
    return f"{count} of {total}" if cell.failures else str(count)


def _reason(run: Record) -> str:
    if run["status"] == TIMEOUT:
        return f"timeout after {run['limit']:g} s"
    return f"{run['status']} {run.get('error') or ''}".strip()


def _published(family: str, nodes: int, method: str, raw: Cell | None) -> list[str]:
    """Return the paper's SHD and where our mean on raw data stands to it."""
    value = published(family, nodes, method).get("shd")
    if value is None:
        return ["", ""]
    mean = raw.fair_mean("shd") if raw else None
    return [spread(value.mean, value.sd), "" if mean is None else standing(mean, value)]


def standing(mean: float, value: Value) -> str:
    """Say where a mean SHD stands to a published one: within one standard deviation, better or worse."""
    if abs(mean - value.mean) <= (value.sd or 0) + 1e-9:
        return "within 1 sd" if value.sd else "equal"
    return "better" if mean < value.mean else "worse"


def recalls_by_in_degree(summary: Summary) -> Iterable[Sheet]:
    """Make one table per case: the share of true edges found, by the child's number of parents."""
    for case in summary.cases():
        pooled = {method: _pooled_recall(cell) for method, cell in summary.of(case).items()}
        degrees = sorted({k for found in pooled.values() for k in found})
        lines = tuple((f"`{m}`", *(number(found.get(k), 2) for k in degrees)) for m, found in pooled.items())
        header = ("method", *(f"{k} parents" if k > 1 else "1 parent" for k in degrees))
        yield Sheet(f"{case.name}: recall by in-degree", header, lines)


def _pooled_recall(cell: Cell) -> dict[int, float]:
    """Pool the edges of all seeds: found and true by the child's in-degree."""
    found: dict[int, list[int]] = {}
    for run in cell.runs:
        for degree, counts in run["metrics"].get("recall_by_in_degree", {}).items():
            total = found.get(int(degree), [0, 0])
            found[int(degree)] = [a + b for a, b in zip(total, counts, strict=True)]
    return {degree: hits / edges for degree, (hits, edges) in found.items()}
