"""`dagscale discover`: a table in, a graph out."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from dagscale.cli import parsing, printing
from dagscale.cli.folder import output_folder
from dagscale.cli.options import DATA, Drop, Environment, Interventions, Kinds
from dagscale.cli.outputs import as_document, discover_surely, print_result, write_outputs
from dagscale.runtime.errors import InputError

METHOD_HELP = (  # written out, so that --help need not import the methods
    "auto, das, score, nogam, cam, grandag (needs torch), or a baseline: empty, random, varsort, varsort-desc, "
    "r2sort, r2sort-desc."
)
DEMO_FOLDER = Path("dagscale-demo")
RUN, OUTPUT = "The method", "The output"


def discover(
    file: Annotated[Path | None, typer.Argument(help="CSV, TSV, Parquet or Feather, gzipped or not.")] = None,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="No file needed: a simulated farm, then the Sachs proteins, with their known graphs.",
        ),
    ] = False,
    method: Annotated[
        str,
        typer.Option("--method", "-m", help=METHOD_HELP, rich_help_panel=RUN),
    ] = "auto",
    alpha: Annotated[
        float | None, typer.Option(help="Level of the pruning test.", rich_help_panel=RUN)
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting of the method; repeatable.", rich_help_panel=RUN
        ),
    ] = None,
    knowledge: Annotated[
        Path | None,
        typer.Option(
            help="YAML, JSON or Tetrad file: required, forbidden, tiers, roots, leaves.", rich_help_panel=RUN
        ),
    ] = None,
    standardize: Annotated[
        bool | None,
        typer.Option(
            "--standardize/--raw",
            help="Scale columns first. Default: as the method does.",
            rich_help_panel=RUN,
        ),
    ] = None,
    effort: Annotated[str, typer.Option(help="quick or full.", rich_help_panel=RUN)] = "full",
    time_budget: Annotated[float | None, typer.Option(help="Seconds for auto.", rich_help_panel=RUN)] = None,
    n_jobs: Annotated[
        int | None, typer.Option(help="Workers; default all cores.", rich_help_panel=RUN)
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, or a torch device such as cuda.", rich_help_panel=RUN)
    ] = "cpu",
    seed: Annotated[
        int,
        typer.Option("--seed", "--random-state", help="Of everything random.", rich_help_panel=RUN),
    ] = 0,
    bootstrap: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Run again on N resamples; edges get their confidence.",
            rich_help_panel=RUN,
        ),
    ] = 0,
    columns: Annotated[
        list[str] | None, typer.Option(help="Columns to use, as a,b,c; repeatable.", rich_help_panel=DATA)
    ] = None,
    drop: Drop = None,
    missing: Annotated[
        str, typer.Option(help="Rows with missing values: raise, drop or impute.", rich_help_panel=DATA)
    ] = "raise",
    transform: Annotated[
        list[str] | None,
        typer.Option(help="log or rank for all columns, or column=log; repeatable.", rich_help_panel=DATA),
    ] = None,
    kind: Kinds = None,
    interventions: Interventions = None,
    environment: Environment = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for result, edges, report.", rich_help_panel=OUTPUT),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing folder.", rich_help_panel=OUTPUT)
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON for machines.", rich_help_panel=OUTPUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Find the graph behind a table.

    **Examples**

    - `dagscale discover data.csv --out run/`

    - `dagscale discover data.parquet --method das --set cutoff=0.05 --drop patient_id`

    - `dagscale discover data.csv --knowledge known.yaml --missing impute --json`

    With `--out` the folder gets `result.json` and `result.npz` (load them with `Result.load`), `edges.csv`,
    `graph.dot` and `report.html`. Without it the graph is only printed. A long run that is interrupted or
    killed leaves `<out>.partial`; the same command goes on from there.
    """
    if (file is None) == (not demo):
        raise InputError(
            "name a file, or --demo for two tables that come with dagscale" + (", not both" if demo else "")
        )
    options: dict[str, Any] = {
        "method": method,
        "knowledge": _knowledge(knowledge),
        "alpha": alpha,
        "n_jobs": n_jobs,
        "device": device,
        "random_state": seed,
        "effort": effort,
        "time_budget": time_budget,
        "standardize": standardize,
        "missing": missing,
        "transform": parsing.transform(transform),
        "columns": parsing.names(columns),
        "drop": parsing.names(drop),
        "kinds": parsing.kinds(kind),
        "interventions": interventions,
        "environment": environment,
        "progress": not quiet,
        **_settings(set_, method),
    }
    if demo:
        from dagscale.cli.demo import run_demo

        run_demo(options, bootstrap, out or DEMO_FOLDER, force or out is None, json, quiet)
        return
    with printing.warnings_as_notes(quiet), _destination(out, force) as folder:
        result = discover_surely(file, options, bootstrap, _checkpoint(folder, force, quiet))
        if folder is not None:
            write_outputs(result, folder, progress=not quiet)
    if json:
        printing.print_json(as_document(result, out))
    elif not quiet:
        print_result(result, out)


def _checkpoint(folder: Path | None, force: bool, quiet: bool) -> Any:
    """Keep finished work in the output folder; say so when some of an interrupted run is there."""
    if folder is None:
        return None
    from dagscale.runtime.checkpoint import Checkpoint

    kept = Checkpoint(folder, replace=force, again="the same command goes on from there", locked=True)
    if kept.begun and not quiet:
        printing.note(f"found the checkpoint of an interrupted run in {folder}")
    return kept


def _destination(out: Path | None, force: bool) -> Any:
    return nullcontext(None) if out is None else output_folder(out, force)


def _knowledge(path: Path | None) -> Any:
    if path is None:
        return None
    from dagscale.inputs.knowledge import Knowledge

    return Knowledge.load(path)


def _settings(pairs: list[str] | None, method: str) -> dict[str, Any]:
    """Read --set, and refuse an unknown name before the table is read."""
    from dagscale.methods.registry import check_request

    found = parsing.settings(pairs)
    check_request(method, found)
    return found
