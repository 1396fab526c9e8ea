"""`dagscale plan`: how long a discovery will take and how much memory it needs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dagscale.cli import parsing, printing
from dagscale.cli.options import Drop, Environment, Interventions, Kinds
from dagscale.runtime.errors import InputError, shown


def plan(
    file: Annotated[Path | None, typer.Argument(help="A table, for its numbers of rows and columns.")] = None,
    rows: Annotated[int | None, typer.Option(help="Rows, instead of a file.")] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(help="How many, instead of a file; of a file, those to use, as a,b,c; repeatable."),
    ] = None,
    density: Annotated[
        float | None,
        typer.Option(help="Edges a column; of a file guessed from it, else 1.", min=0.0),
    ] = None,
    discrete: Annotated[
        float | None,
        typer.Option(
            help="Share of columns of levels and counts; of a file seen in it, else 0.", min=0.0, max=1.0
        ),
    ] = None,
    drop: Drop = None,
    kind: Kinds = None,
    interventions: Interventions = None,
    environment: Environment = None,
    method: Annotated[str | None, typer.Option("--method", "-m", help="Only this one.")] = None,
    effort: Annotated[str, typer.Option(help="quick or full, with --method.")] = "full",
    device: Annotated[str, typer.Option(help="cpu, or a torch device such as cuda.")] = "cpu",
    n_jobs: Annotated[int | None, typer.Option(help="Workers; default all cores.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Forecast time and peak memory of a discovery, from measured runs and a probe of this machine.

    **Examples**

    - `dagscale plan data.csv`

    - `dagscale plan data.csv --kind origin=categorical --drop patient_id`

    - `dagscale plan --rows 100000 --columns 50 --method auto --json`

    For a table the options of `discover` that choose columns and their kinds are taken, too.
    """
    from dagscale.methods.forecast import plan as forecast
    from dagscale.methods.forecast import planned_methods

    if file is None:
        n, d = _given_sizes(rows, columns, drop or kind or interventions or environment)
        share, first = 0.0, None
    elif rows is not None:
        raise InputError("name a file, or give --rows and --columns, not both")
    else:
        chosen = {
            "columns": parsing.names(columns),
            "drop": parsing.names(drop),
            "kinds": parsing.kinds(kind),
        }
        n, d, share, first = _sizes(file, interventions=interventions, environment=environment, **chosen)
    guessed = 1.0 if first is None else first.edges_per_node
    sizes: dict[str, Any] = {
        "edges_per_node": guessed if density is None else density,
        "discrete": share if discrete is None else discrete,
        "first": first if density is None and discrete is None else None,
    }
    wanted = planned_methods(device) if method is None else [(method, effort)]
    if not wanted:
        raise InputError(f"no forecast was measured on device {device!r}; leave --device out for the CPU's")
    plans = [forecast(n, d, name, device, effort=how, n_jobs=n_jobs, **sizes) for name, how in wanted]
    if json:
        printing.print_json([{**vars(one), "fits": one.fits} for one in plans])
    elif method is not None:
        typer.echo(str(plans[0]))
    else:
        _print(plans, n, d)


def _given_sizes(rows: int | None, columns: list[str] | None, of_a_file: Any) -> tuple[int, int]:
    """Return rows and columns where there is no file."""
    if rows is None or not columns or of_a_file:
        raise InputError("name a file, or give --rows and --columns alone")
    if len(columns) > 1 or not columns[0].isdecimal():
        raise InputError(
            f"--columns {shown(','.join(columns))} is no number of columns; to name some, name a file"
        )
    return rows, int(columns[0])


def _sizes(file: Path, **options: Any) -> tuple[int, int, float, Any]:
    """Return a table's rows, columns, share of columns of levels and counts, and what its first graph tells."""
    from dagscale.inputs.kinds import CONTINUOUS
    from dagscale.inputs.table import read_table
    from dagscale.methods.forecast import first_graph

    table = read_table(file, missing="impute", **options)
    n, d = table.X.shape
    share = sum(kind != CONTINUOUS for kind in table.kinds) / d
    return n, d, share, first_graph(table.X, table.kinds)


def _print(plans: list[Any], n: int, d: int) -> None:
    from dagscale.methods.forecast import duration, gigabytes

    printing.print_table(
        f"{n} rows, {d} columns",
        ["method", "time", "memory", ""],
        [
            (
                f"{one.method}, quick" if one.effort == "quick" else one.method,
                duration(one.seconds),
                gigabytes(one.memory),
                "" if one.fits else "does not fit",
            )
            for one in plans
        ],
    )
    free = plans[0].free
    room = "" if free is None else f"{gigabytes(free)} of memory are free; "
    one = plans[0]
    levels = f", {one.discrete:.0%} of the columns levels or counts" if one.discrete else ""
    density = f"{one.edges_per_node:.1f} edges a column{levels}"
    typer.echo(f"forecast for {density} and {one.n_jobs} workers; {room}measured on")
    typer.echo(plans[0].measured_on)
