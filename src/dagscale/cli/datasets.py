"""`dagscale datasets`: the tables with known graphs."""

from pathlib import Path
from typing import Annotated

import typer

from dagscale.cli import parsing, printing
from dagscale.cli.folder import output_folder
from dagscale.runtime.errors import InputError


def datasets(
    name: Annotated[str | None, typer.Argument(help="Write this one; without a name all are listed.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for data.csv and truth.json.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="An option of the data set; repeatable."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """List the tables whose graph is known, or write one.

    **Examples**

    - `dagscale datasets`

    - `dagscale datasets sachs --out sachs/`, then `dagscale evaluate sachs/truth.json run/`
    """
    if name is None:
        _list(json)
        return
    from dagscale.cli.write_truth import write_known
    from dagscale.data.datasets import load

    if out is None:
        raise InputError(f"name a folder for it: dagscale datasets {name} --out {name}/")
    loaded = load(name, **parsing.settings(set_))
    with output_folder(out, force) as folder:
        write_known(loaded, folder)
    if json:
        printing.print_json(
            {"name": name, "description": loaded.description, "source": loaded.source, "out": str(out)}
        )
        return
    n, d = loaded.table.shape
    known = "tiers of columns" if loaded.adjacency is None else f"{int(loaded.adjacency.sum())} edges"
    typer.echo(f"{name}: {n} rows, {d} columns, {known} in {out}")
    typer.echo(f"{loaded.description}\nsource: {loaded.source}")


def _list(json: bool) -> None:
    from dagscale.data.datasets import catalogue

    rows = catalogue()
    if json:
        printing.print_json(rows.to_dict("records"))
        return
    printing.print_table(
        "Tables with a known graph, or known tiers",
        ["name", "n", "d", "edges", "source", "here, or how to get it"],
        [
            (r["name"], r["n"], r["d"], r["edges"], r["source"], "yes" if r["available"] else r["how"])
            for _, r in rows.iterrows()
        ],
    )
