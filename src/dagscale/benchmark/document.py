"""Pages of results: an overview, and for every suite with runs its tables, its plot and its machines."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from dagscale.benchmark.machine import describe
from dagscale.benchmark.overview import overview
from dagscale.benchmark.plots import plot
from dagscale.benchmark.sheet import as_markdown
from dagscale.benchmark.store import Store, read_folder
from dagscale.benchmark.suites import all_suites
from dagscale.benchmark.summary import Summary, summarise
from dagscale.benchmark.table import sheets_of
from dagscale.runtime.errors import InputError


def write_pages(folder: Path) -> list[Path]:
    """Write FOLDER.md, FOLDER/SUITE.md and the plots; return what was written."""
    store = read_folder(folder)
    texts = pages(store, folder)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    pictures = [plot(s, folder / f"{s.suite.name}.svg") for s in _summaries(store) if _sizes(s) > 1]
    return [*texts, *pictures]


def pages(store: Store, folder: Path) -> dict[Path, str]:
    """Return the text of every page by its path."""
    summaries = list(_summaries(store))
    if not summaries:
        raise InputError(
            f"no results in {str(folder)!r}: make some with `dagscale benchmark run SUITE --out {folder}`"
        )
    listed = [(s.suite.title, f"{folder.name}/{s.suite.name}.md") for s in summaries]
    first = {folder.parent / f"{folder.name}.md": overview(store, folder.as_posix(), listed)}
    return first | {folder / f"{s.suite.name}.md": "\n".join(_page(s, folder)) for s in summaries}


def _summaries(store: Store) -> Iterable[Summary]:
    """Summarise the suites that have runs, each without the rows that only other suites declare."""
    own = {suite.name: {_method(row) for row in suite.methods} for suite in all_suites().values()}
    for suite in all_suites().values():
        others = set().union(*own.values()) - own[suite.name]
        summary = summarise(suite, store)
        cells = tuple(cell for cell in summary.cells if _method(cell.method) not in others)
        if cells:
            yield replace(summary, cells=cells)


def _method(row: str) -> str:
    return row if row.startswith("peer:") else row.partition(":")[0]


def _sizes(summary: Summary) -> int:
    """Return the largest number of sizes that a family of cases has: above one, a plot against size tells something."""
    sizes = {(cell.case.family, cell.case.nodes) for cell in summary.cells}
    return max(Counter(family for family, _ in sizes).values())


def _page(summary: Summary, folder: Path) -> Iterable[str]:
    suite = summary.suite
    yield f"# {suite.title}\n\n{suite.about}\n"
    yield f"    dagscale benchmark run {suite.name} --out {folder.as_posix()}"
    yield f"    dagscale benchmark table {suite.name} --out {folder.as_posix()}\n"
    yield f"{_provenance(summary)}\n"
    if _sizes(summary) > 1:
        yield f"![{suite.title}]({suite.name}.svg)\n"
    yield as_markdown(sheets_of(summary), level=2)


def _provenance(summary: Summary) -> str:
    records = [record for cell in summary.cells for record in (*cell.runs, *cell.failures)]
    machines = sorted({describe(record["machine"]) for record in records})
    versions = sorted({f"{name} {r['versions'][name]}" for r in records for name in ("dagscale", "numpy")})
    days = sorted({record["finished"][:10] for record in records})
    when = " to ".join(dict.fromkeys([days[0], days[-1]]))
    gpu = sum(record["device"] != "cpu" for record in records)
    return (
        f"{len(records)} runs, {when}, {gpu} of them on a GPU. Machines: {'; '.join(machines)}. "
        f"Versions: {', '.join(versions)}."
    )
