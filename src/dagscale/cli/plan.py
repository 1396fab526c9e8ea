"""`dagscale plan`: how long a discovery will take and how much memory it needs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dagscale.cli import printing
from dagscale.runtime.errors import InputError


def plan(
    file: Annotated[Path | None, typer.Argument(help="A table, for its numbers of rows and columns.")] = None,
    rows: Annotated[int | None, typer.Option(help="Rows, instead of a file.")] = None,
    columns: Annotated[int | None, typer.Option(help="Columns, instead of a file.")] = None,
    method: Annotated[str | None, typer.Option("--method", "-m", help="Only this one.")] = None,
    effort: Annotated[str, typer.Option(help="quick or full, with --method.")] = "full",
    device: Annotated[str, typer.Option(help="cpu, or a torch device such as cuda.")] = "cpu",
    n_jobs: Annotated[int | None, typer.Option(help="Workers; default all cores.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Forecast time and peak memory of a discovery, from measured runs and a probe of this machine.

    **Examples**

    - `dagscale plan data.csv`

    - `dagscale plan --rows 100000 --columns 50 --method auto --json`
    """
    from dagscale.methods.forecast import plan as forecast
    from dagscale.methods.forecast import planned_methods

    n, d, density = _sizes(file, rows, columns)
    wanted = planned_methods(device) if method is None else [(method, effort)]
    if not wanted:
        raise InputError(f"no forecast was measured on device {device!r}; leave --device out for the CPU's")
    plans = [
        forecast(n, d, name, device, effort=how, n_jobs=n_jobs, edges_per_node=density)
        for name, how in wanted
    ]
    if json:
        printing.print_json([{**vars(one), "fits": one.fits} for one in plans])
    elif method is not None:
        typer.echo(str(plans[0]))
    else:
        _print(plans, n, d)


def _sizes(file: Path | None, rows: int | None, columns: int | None) -> tuple[int, int, float]:
    if file is None and rows is not None and columns is not None:
        return rows, columns, 1.0
    if file is None or rows is not None or columns is not None:
        raise InputError("name a file, or give --rows and --columns")
    from dagscale.inputs.table import read_table
    from dagscale.methods.forecast import edges_a_node

    table = read_table(file, missing="impute")
    return *table.X.shape, edges_a_node(table.X, table.kinds)


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
    density = f"{plans[0].edges_per_node:.1f} edges a column"
    typer.echo(f"forecast for {density} and {plans[0].n_jobs} workers; {room}measured on")
    typer.echo(plans[0].measured_on)
