"""`dagscale benchmark`: list, run, table, plot, document."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
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
    str | None, typer.Option(help="Rows to run instead of the suite's, as das,das:cutoff=0.05,peer:NAME.")
]
Folder = Annotated[Path, typer.Option("--out", help="Folder of the results files, one per suite.")]
AnyVersion = Annotated[
    bool, typer.Option("--any-version", help="Show older code's results where the present code has none.")
]
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
    time_limit: Annotated[float | None, typer.Option(min=0.001, help="Seconds a run may take.")] = None,
    dask: Annotated[str | None, typer.Option(help="Address of a dask scheduler to run on instead.")] = None,
    keep_version: Annotated[
        bool, typer.Option("--keep-version", help="Accept older code's results.")
    ] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run again what failed.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no table.")] = False,
    out: Folder = RESULTS,
) -> None:
    """Make the runs that are missing, then print the table. Killed, it goes on where it stopped."""
    from dagscale.benchmark.rows import split_rows
    from dagscale.benchmark.runner import Conditions, run_suite
    from dagscale.benchmark.suite import parse_nodes, parse_seeds
    from dagscale.benchmark.suites import find_suite
    from dagscale.benchmark.watch import silent, watching

    chosen = find_suite(suite)
    rows = split_rows(methods) if methods else None
    wanted_nodes = parse_nodes(nodes) if nodes else None
    wanted_seeds = parse_seeds(seeds) if seeds else None
    trials = chosen.trials(wanted_nodes, wanted_seeds, rows, [units] if units else None, family)
    limit = time_limit if time_limit is not None else chosen.time_limit
    conditions = Conditions(n_jobs, jobs_per_run, limit, keep_version, retry_failed)
    try:
        with _cluster(dask), nullcontext(silent) if quiet else watching() as watch:
            done = run_suite(chosen, trials, out, conditions, watch)
    except KeyboardInterrupt:
        typer.echo(
            f"stopped; finished runs are in {out / (suite + '.jsonl')}, the same command goes on from there",
            err=True,
        )
        raise typer.Exit(130) from None
    typer.echo(
        f"{done.made} runs made ({done.failed} failed), {done.found} found in {done.path.parent}", err=True
    )
    if not quiet:
        _print_table(_summary(suite, nodes, seeds, None, out, keep_version), "text")


@app.command()
def table(
    suite: SuiteName,
    nodes: Nodes = None,
    seeds: Seeds = None,
    methods: Methods = None,
    format: Annotated[str, typer.Option(help="text, md or csv.")] = "text",
    by_in_degree: Annotated[bool, typer.Option("--by-in-degree", help="Add recall by in-degree.")] = False,
    any_version: AnyVersion = False,
    out: Folder = RESULTS,
) -> None:
    """Print a suite's results beside the published ones."""
    _print_table(_summary(suite, nodes, seeds, methods, out, any_version), format, by_in_degree)


@app.command()
def plot(
    suite: SuiteName,
    to: Annotated[
        Path | None,
        typer.Option(help="The picture: .svg, .png or .pdf. Default: SUITE.svg beside the results."),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(help="shd, sid, precision, recall, f1, skeleton_f1, order_errors, wall, cpu, peak_mb."),
    ] = None,
    nodes: Nodes = None,
    methods: Methods = None,
    any_version: AnyVersion = False,
    out: Folder = RESULTS,
) -> None:
    """Draw a suite's measure against the number of nodes."""
    from dagscale.benchmark.plots import plot as draw

    summary = _summary(suite, nodes, None, methods, out, any_version)
    typer.echo(draw(summary, to or out / f"{suite}.svg", measure))


@app.command()
def document(
    folder: Annotated[Path, typer.Argument(help="Folder of results files.")],
    to: Annotated[Path | None, typer.Option(help="The page. Default: FOLDER.md.")] = None,
) -> None:
    """Write a page with the tables, plots and commands of every suite that has results."""
    from dagscale.benchmark.document import write_document

    typer.echo(write_document(folder, to or folder.parent / f"{folder.resolve().name}.md"))


def _summary(
    suite: str, nodes: str | None, seeds: str | None, methods: str | None, out: Path, any_version: bool
) -> "Summary":
    from dagscale.benchmark.rows import split_rows
    from dagscale.benchmark.store import read_folder
    from dagscale.benchmark.suite import parse_nodes, parse_seeds
    from dagscale.benchmark.suites import find_suite
    from dagscale.benchmark.summary import summarise

    return summarise(
        find_suite(suite),
        read_folder(out),
        parse_nodes(nodes) if nodes else None,
        parse_seeds(seeds) if seeds else None,
        split_rows(methods) if methods else None,
        any_version,
    )


def _print_table(summary: "Summary", format: str, by_in_degree: bool = False) -> None:
    from dagscale.benchmark.table import render
    from dagscale.runtime.errors import InputError

    text = render(summary, format, by_in_degree)
    if summary.hidden:
        typer.echo(
            f"{summary.hidden} runs by other versions of the code are not shown; see --any-version", err=True
        )
    if not summary.cells:
        name = summary.suite.name
        raise InputError(
            f"no results of suite {name!r} by this code; make some with `dagscale benchmark run {name}`"
        )
    typer.echo(text, nl=False)


@contextmanager
def _cluster(address: str | None) -> Iterator[None]:
    """Run on a dask cluster for the block, where an address is given."""
    if address is None:
        yield
        return
    import joblib

    from dagscale.runtime.errors import InputError, MissingDependencyError

    try:
        from distributed import Client
    except ImportError:
        raise MissingDependencyError("--dask needs distributed: pip install 'dagscale[dask]'") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError):
        raise InputError(
            f"no dask scheduler answers at {address!r}; give its address as tcp://HOST:PORT"
        ) from None
    with client, joblib.parallel_config("dask"):
        yield
