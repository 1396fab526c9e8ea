"""Commands that read a saved result: `dagscale why`, `dagscale report`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dagscale.cli import printing

Saved = Annotated[
    Path, typer.Argument(metavar="RESULT", help="The folder that `discover --out` or `save` wrote.")
]


def why(
    result: Saved,
    source: Annotated[str, typer.Argument(help="The cause asked about.")],
    target: Annotated[str, typer.Argument(help="Its effect.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Say which stage kept or removed an edge, with its numbers.

    **Example**: `dagscale why run/ rain wet`
    """
    from dagscale.result import Result

    answer = Result.load(result).why(source, target)
    if json:
        printing.print_json(asdict(answer))
    else:
        typer.echo(str(answer))


def report(
    result: Saved,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page; default report.html in RESULT.")
    ] = None,
) -> None:
    """Write the report page of a saved result again.

    **Example**: `dagscale report run/ --out page.html`
    """
    from dagscale.result import Result
    from dagscale.result.report import write_page
    from dagscale.runtime.progress import reporter

    loaded = Result.load(result)
    with reporter(True) as progress:
        page = write_page(loaded, out or result / "report.html", progress=progress)
    typer.echo(f"report: {page}")
