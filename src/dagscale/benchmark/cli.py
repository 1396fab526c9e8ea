"""`dagscale benchmark`: list, run, table, plot, document."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dagscale.benchmark.summary import Summary

app = typer.Typer(
    no_args_is_help=True, help="Run methods over suites of cases; every table of the paper is one."
)
SuiteName = Annotated[str, typer.Argument(metavar="SUITE", help="A name that `list` shows.")]
Nodes = Annotated[str | None, typer.Option(help="Only these numbers of columns, as 10,20.")]
Seeds = Annotated[
    str | None, typer.Option(help="3 (for 0, 1, 2), 0-9 or 0,4,7. Default: as the suite declares.")
]
Methods = Annotated[
    str | None, typer.Option(help="Rows instead of the suite's, as das,das:cutoff=0.05,peer:NAME.")
]
Measure = Annotated[
    str | None,
    typer.Option(
        help="shd, sid, precision, recall, f1, skeleton_f1, wrong_way, order_errors, tier_score, accuracy, "
        "decision_area, wall, cpu, peak_mb."
    ),
]
Folder = Annotated[Path, typer.Option("--out", help="Folder of the results files, one per suite.")]
RESULTS = Path("benchmark-results")


@app.command("list")
def list_suites() -> None:
    """Show the suites: what they are, their sizes, and how many runs they declare."""
    from dagscale.benchmark.suites import all_suites

    for suite in all_suites().values():
        sizes = ", ".join(map(str, suite.sizes()))
        typer.echo(f"{suite.name:16} {suite.title}\n{'':16} d = {sizes}; {len(suite.trials())} runs")


@app.command()
def run(
    suite: SuiteName,
    nodes: Nodes = None,
    seeds: Seeds = None,
    methods: Methods = None,
    units: Annotated[str | None, typer.Option(help="Only standardised, or only raw, data.")] = None,
    family: Annotated[
        list[str] | None, typer.Option(help="Only this family of cases, as ER1; repeatable.")
    ] = None,
    n_jobs: Annotated[int | None, typer.Option(help="Runs at a time. Default: all cores.")] = None,
    jobs_per_run: Annotated[int, typer.Option(min=1, help="Workers inside each run.")] = 1,
    device: Annotated[str, typer.Option(help="cpu, or a torch device such as cuda.")] = "cpu",
    time_limit: Annotated[float | None, typer.Option(min=0.001, help="Seconds a run may take.")] = None,
    dask: Annotated[str | None, typer.Option(help="Address of a dask scheduler to run on instead.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run again what failed.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no table.")] = False,
    out: Folder = RESULTS,
) -> None:
    """Make the runs that are missing, then print the table. Killed, it goes on where it stopped."""
    from dagscale.benchmark.execute import Conditions
    from dagscale.benchmark.runner import run_suite
    from dagscale.benchmark.suites import find_suite
    from dagscale.benchmark.watch import lines, silent
    from dagscale.runtime.cluster import on_cluster

    chosen = find_suite(suite)
    trials = chosen.trials(*_part(nodes, seeds, methods), [units] if units else None, family)
    limit = time_limit if time_limit is not None else chosen.time_limit
    conditions = Conditions(n_jobs, jobs_per_run, limit, device, retry_failed)
    try:
        with on_cluster(dask):
            done = run_suite(chosen, trials, out, conditions, silent if quiet else lines())
    except KeyboardInterrupt:
        typer.echo(f"stopped; the same command goes on from {out / suite}.jsonl", err=True)
        raise typer.Exit(130) from None
    typer.echo(f"{done.made} runs made ({done.failed} failed), {done.found} found in {out}", err=True)
    if not quiet:
        table(suite, nodes, seeds, out=out)


@app.command()
def table(
    suite: SuiteName,
    nodes: Nodes = None,
    seeds: Seeds = None,
    methods: Methods = None,
    format: Annotated[str, typer.Option(help="text or md.")] = "text",
    measure: Measure = None,
    by_in_degree: Annotated[bool, typer.Option("--by-in-degree", help="Add recall by in-degree.")] = False,
    out: Folder = RESULTS,
) -> None:
    """Print a suite's results beside the published ones."""
    from dagscale.benchmark.table import render

    typer.echo(render(_summary(suite, nodes, seeds, methods, out), format, measure, by_in_degree), nl=False)


@app.command()
def plot(
    suite: SuiteName,
    to: Annotated[
        Path | None,
        typer.Option(help="The picture: .svg, .png or .pdf. Default: SUITE.svg beside the results."),
    ] = None,
    measure: Measure = None,
    nodes: Nodes = None,
    methods: Methods = None,
    out: Folder = RESULTS,
) -> None:
    """Draw a suite's measure against the number of nodes."""
    from dagscale.benchmark.plots import plot as draw

    typer.echo(draw(_summary(suite, nodes, None, methods, out), to or out / f"{suite}.svg", measure))


@app.command()
def document(folder: Annotated[Path, typer.Argument(help="Folder of results files.")]) -> None:
    """Write FOLDER.md, an overview, and FOLDER/SUITE.md with the tables and the plot of each suite."""
    from dagscale.benchmark.document import write_pages

    for page in write_pages(folder):
        typer.echo(page)


def _part(
    nodes: str | None, seeds: str | None, methods: str | None
) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None, list[str] | None]:
    """Read sizes, seeds and rows; None is all of them."""
    from dagscale.benchmark.rows import split_rows
    from dagscale.benchmark.suite import parse_nodes, parse_seeds

    return (
        parse_nodes(nodes) if nodes else None,
        parse_seeds(seeds) if seeds else None,
        split_rows(methods) if methods else None,
    )


def _summary(suite: str, nodes: str | None, seeds: str | None, methods: str | None, out: Path) -> "Summary":
    from dagscale.benchmark.store import read_folder
    from dagscale.benchmark.suites import find_suite
    from dagscale.benchmark.summary import summarise
    from dagscale.runtime.errors import InputError

    summary = summarise(find_suite(suite), read_folder(out), *_part(nodes, seeds, methods))
    if not summary.cells:
        raise InputError(
            f"no results of suite {suite!r} in {str(out)!r}; make some with `dagscale benchmark run {suite}`"
        )
    return summary
