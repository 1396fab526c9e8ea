"""The results page: what wins where, where `auto` loses, measured data, time; all from stored runs."""

from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

from dagscale.benchmark.cases import RAW, STANDARDISED, Case
from dagscale.benchmark.published import published
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.sheet import number, pipes
from dagscale.benchmark.store import Store
from dagscale.benchmark.suites import find_suite
from dagscale.benchmark.summary import Cell, Summary, summarise
from dagscale.benchmark.table import tier_counts, trivial_wins
from dagscale.benchmark.truth import TRUTH_ROWS

PAPER = ("paper-er1", "paper-sf1", "paper-er4", "paper-sf4")
MEASURED = ("paper-sachs", "paper-syntren")
SUITES = (*PAPER, "auto-board", "mechanisms", "violations", "linear-failure", *MEASURED)
SORTS = tuple(row for row in TRIVIAL if "sort" in row)
HEADER = ("`auto`", "best other method", "best sort", "empty")
SHOWN = 12  # cases of the table of losses
Results = dict[Case, dict[str, Cell]]


def overview(store: Store, folder: str, pages: Iterable[tuple[str, str]]) -> str:
    """Fill in `overview.md`; `pages` are the titles and addresses of the suites' own pages."""
    results: Results = {}
    for name in SUITES:
        summary = summarise(find_suite(name), store)
        results |= {case: summary.of(case) for case in summary.cases()}
    compared = [case for case in results if _compared(case, results)]
    lost = sorted((case for case in compared if _gap(case, results) > 0), key=lambda c: -_gap(c, results))
    template = Path(__file__).with_name("overview.md").read_text(encoding="utf-8")
    return template.format(
        folder=folder,
        paper=_paper(compared, results),
        violations=_violations(compared, results),
        losses=len(lost),
        compared=len(compared),
        worst=_worst(lost[:SHOWN], results),
        measured=_measured(results),
        tiers=_tiers(summarise(find_suite("measured"), store)),
        time=_time(results),
        pages="\n".join(f"- [{title}]({address})" for title, address in pages),
    )


def means_of(cases: Sequence[Case], results: Results) -> dict[str, float]:
    """Average the SHD over cases, for every row that has an answer for all graphs of `auto`."""
    means: dict[str, list[float]] = {}
    for case in cases:
        seeds = results[case]["auto"].seeds
        for row, cell in results[case].items():
            if row not in TRUTH_ROWS and seeds <= cell.seeds:
                means.setdefault(row, []).append(fmean(cell.at(seeds).values("shd")))
    return {row: fmean(values) for row, values in means.items() if len(values) == len(cases)}


def _compared(case: Case, results: Results) -> bool:
    """Say whether a case is on standardised data and `auto` and another row have run on it."""
    auto = results[case].get("auto")
    others = [row for row in means_of([case], results) if not row.startswith("auto")] if auto else []
    return case.units == STANDARDISED and bool(auto and auto.runs and others)


def _gap(case: Case, results: Results) -> float:
    """Return by how much the best other row, baselines included, is better than `auto`; negative if worse."""
    means = means_of([case], results)
    return means["auto"] - min(mean for row, mean in means.items() if not row.startswith("auto"))


def _line(means: dict[str, float]) -> tuple[str, ...]:
    """Write the cells under `HEADER`, the lowest in bold."""
    others = [row for row in means if row not in TRIVIAL and not row.startswith("auto")]
    lowest = number(min(mean for row, mean in means.items() if not row.startswith("auto:")))
    shown = []
    for rows in (["auto"], others, SORTS, ["empty"]):
        row = min((row for row in rows if row in means), key=lambda row: means[row], default="")
        text = number(means[row]) if row else "–"
        text = f"**{text}**" if row and text == lowest else text
        shown.append(f"{text} (`{row}`)" if row not in ("", "auto", "empty") else text)
    return tuple(shown)


def _paper(compared: Sequence[Case], results: Results) -> str:
    lines = []
    for name, d in product(PAPER, (20, 100, 1000)):
        for case in find_suite(name).cases:
            if case.nodes == d and case in compared:
                seeds = str(len(results[case]["auto"].seeds))
                lines.append((case.family, str(d), *_line(means_of([case], results)), seeds))
    return pipes(("graphs", "nodes", *HEADER, "graphs compared"), lines)


def _violations(compared: Sequence[Case], results: Results) -> str:
    own = [case for case in find_suite("violations").cases if case in compared]
    lines = [(case.family.removeprefix("ER2 "), *_line(means_of([case], results))) for case in own]
    wins = sum(_gap(case, results) <= 0 for case in own)
    return pipes(("tables", *HEADER), lines) + f"\n\n`auto` is best or tied in {wins} of {len(own)} cases."


def _worst(cases: Sequence[Case], results: Results) -> str:
    lines = []
    for case in cases:
        means = means_of([case], results)
        best = min(means, key=lambda row: means[row])
        lines.append(
            (f"{case.family}, {case.nodes} nodes", number(means["auto"]), number(means[best]), f"`{best}`")
        )
    return pipes(("case", "`auto`", "best", "by"), lines)


def _measured(results: Results) -> str:
    cases = [case for name in MEASURED for case in find_suite(name).cases]
    header, lines, notes = [""], {row: [f"`{row}`"] for row in find_suite(MEASURED[0]).methods}, []
    for case in cases:
        cells = results.get(case, {})
        header += [f"{case.family} {case.units}"] + (["published"] if case.units == RAW else [])
        notes += [f"{case.family}: {note}" for note in trivial_wins(case.units, cells)]
        for row, line in lines.items():
            line.append(number(cells[row].mean("shd") if row in cells else None))
            if case.units == RAW:
                paper = published(case.family, case.nodes, row).get("shd")
                line.append(number(paper.mean) if paper else "")
    table = pipes(header, (line for row, line in lines.items() if row not in TRUTH_ROWS))
    return "\n".join([table, "", *(f"- {note}" for note in notes)])


def _tiers(summary: Summary) -> str:
    """Write what methods claim between known tiers, on tables without a graph."""
    return "\n".join(pipes(sheet.header, sheet.rows) for sheet in tier_counts(summary)) or "No runs yet."


def _time(results: Results) -> str:
    sizes = (10, 50, 100, 200, 1000)
    lines = []
    for name, row in product(("paper-er1", "paper-er4"), ("auto", "das", "score", "cam")):
        cases = [c for c in find_suite(name).cases if c.units == STANDARDISED and c.nodes in sizes]
        cells = [results.get(case, {}).get(row) for case in cases]
        lines.append((cases[0].family, f"`{row}`", *map(_seconds, cells)))
    return pipes(("graphs", "", *(f"d = {d}" for d in sizes)), lines)


def _seconds(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    return number(cell.mean("wall")) + ("*" if any(run["device"] != "cpu" for run in cell.runs) else "")
