"""The command `dagscale open`: start the server, say where it is, wait for Ctrl-C."""

from pathlib import Path
from typing import Annotated

import typer


def open_(
    file: Annotated[Path, typer.Argument(help="CSV, TSV, Parquet or Feather, gzipped or not.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the page; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page at once.")] = True,
) -> None:
    """Open a page on this machine: choose columns, kinds and tiers, run, read the report.

    The page is at 127.0.0.1 and needs the token in its address; nothing leaves this machine. Ctrl-C ends it.

    **Example**: `dagscale open data.csv`
    """
    import webbrowser

    from dagscale.cli.app.run import Run
    from dagscale.cli.app.server import Server

    with Server(Run.of(file), port) as server:
        typer.echo(f"{file} is open at {server.address}")
        typer.echo("Ctrl-C ends it")
        if browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("closed")
