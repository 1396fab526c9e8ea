"""The results page: every suite with results, its command, its machine, its tables and plots."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from dagscale.benchmark.machine import describe
from dagscale.benchmark.plots import plot
from dagscale.benchmark.rows import parse_row
from dagscale.benchmark.sheet import as_markdown
from dagscale.benchmark.store import Record, read_folder
from dagscale.benchmark.suite import REPORTING_SEEDS, Suite
from dagscale.benchmark.suites import all_suites
from dagscale.benchmark.summary import Summary, summarise
from dagscale.benchmark.table import sheets_of
from dagscale.runtime.errors import InputError

INTRODUCTION = """\
# Results

Every table on this page is made from the results files in `{folder}` by

    dagscale benchmark document {folder} --to {page}

and every run in those files by the command at the head of its table; a command run again repeats no
run that is there already. Baselines stand in every table, because a benchmark can be easy: `empty` finds
nothing, `random` prunes a random order, `varsort` and `r2sort` sort the columns by their variance or by
how well the others predict them (`-desc`: the other way round), all with the pruning of the other rows. On
standardised data every variance is 1 and `varsort` an arbitrary order. Rows that are told the truth are
ceilings: `true-order` prunes the true order, `true-parents` the true parents alone; `true-order-evidence`
is `auto` told the true order, `oracle` tests the true parents by its evidence.

SHD counts missing, extra and reversed edges, each as one. Means ± standard deviations over seeds 0-9
(0-2 from 500 nodes); nothing was tuned on those seeds. Standardised data comes first: users' columns come in
any units, and on raw simulated data the variance of a column betrays its place in the order. Published
numbers are the paper's, measured on raw data. Each run had one core and one BLAS thread; time is wall
time without drawing the data; memory is the peak of the whole process.
"""


def write_document(folder: Path, page: Path) -> Path:
    """Write the page for the results in a folder, plots beside the results."""
    store = read_folder(folder)
    parts = [INTRODUCTION.format(folder=folder.as_posix(), page=page.as_posix())]
    for suite in all_suites().values():
        summary = _own_rows(summarise(suite, store, any_version=True))
        if summary.cells:
            parts.append("\n".join(_section(summary, folder, page)))
    if len(parts) == 1:
        raise InputError(
            f"no results in {str(folder)!r}: make some with `dagscale benchmark run SUITE --out {folder}`"
        )
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(parts), encoding="utf-8")
    return page


def _own_rows(summary: Summary) -> Summary:
    """Leave out the rows that another suite is about: suites share cases, and so would show all of them."""
    own = _methods_of(summary.suite)
    others = {method for suite in all_suites().values() for method in _methods_of(suite)} - own
    cells = tuple(cell for cell in summary.cells if parse_row(cell.method).method not in others)
    return replace(summary, cells=cells)


def _methods_of(suite: Suite) -> set[str]:
    return {parse_row(text).method for text in suite.methods}


def _section(summary: Summary, folder: Path, page: Path) -> Iterable[str]:
    suite = summary.suite
    yield f"## {suite.title}\n\n{suite.about}\n"
    yield "\n".join(f"    {command}" for command in commands(summary, folder)) + "\n"
    yield f"{_provenance(summary)}\n"
    if len({cell.case.nodes for cell in summary.cells}) > 1:
        picture = plot(summary, folder / f"{suite.name}.svg")
        yield f"![{suite.title}]({_relative(picture, page)})\n"
    yield as_markdown(sheets_of(summary))


def commands(summary: Summary, folder: Path) -> list[str]:
    """Reconstruct the commands that make the runs of a summary: one per group of sizes run alike."""
    suite = summary.suite
    groups: dict[tuple[tuple[int, ...], tuple[str, ...]], list[int]] = {}
    for d in sorted({cell.case.nodes for cell in summary.cells}):
        cells = [cell for cell in summary.cells if cell.case.nodes == d]
        seeds = tuple(sorted({seed for cell in cells for seed in cell.seeds}))
        rows = tuple(dict.fromkeys(cell.method for cell in cells))
        groups.setdefault((seeds, () if set(rows) == _declared(suite, d) else rows), []).append(d)
    lines = []
    for (seeds, rows), sizes in groups.items():
        line = f"dagscale benchmark run {suite.name}"
        line += f" --nodes {','.join(map(str, sizes))}" if len(suite.sizes()) > 1 else ""
        line += f" --seeds {_seeds(seeds)}"
        line += f" --methods {','.join(rows)}" if rows else ""
        lines.append(f"{line} --out {folder.as_posix()}")
    return lines


def _declared(suite: Suite, nodes: int) -> set[str]:
    return {trial.row.name for trial in suite.trials([nodes], REPORTING_SEEDS)}


def _seeds(seeds: tuple[int, ...]) -> str:
    if seeds == tuple(range(len(seeds))):
        return str(len(seeds))
    if len(seeds) > 1 and seeds == tuple(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]}-{seeds[-1]}"
    return ",".join(map(str, seeds)) + ("," if len(seeds) == 1 else "")


def _provenance(summary: Summary) -> str:
    records = summary.records()
    machines = sorted({describe(record["machine"]) for record in records})
    commits = sorted({_commit(record) for record in records if record["commit"]})
    versions = sorted({_software(record["versions"]) for record in records})
    days = sorted(record["finished"][:10] for record in records)
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    made_by = f"dagscale {'; '.join(versions)}" + (f"; commit {', '.join(commits)}" if commits else "")
    return f"{len(records)} runs, {when}. Machine: {'; '.join(machines)}. {made_by}."


def _commit(record: Record) -> str:
    return str(record["commit"]) + (" with edits" if record["edited"] else "")


def _software(versions: dict[str, str]) -> str:
    others = ", ".join(f"{name} {versions[name]}" for name in ("python", "numpy", "scipy"))
    return f"{versions['dagscale']} ({others})"


def _relative(picture: Path, page: Path) -> str:
    return Path(*_climb(page.parent.resolve(), picture.resolve())).as_posix()


def _climb(start: Path, target: Path) -> Iterable[str]:
    common = next(p for p in (start, *start.parents) if target.is_relative_to(p))
    return [".."] * len(start.relative_to(common).parts) + list(target.relative_to(common).parts)
