"""Commands that read a saved result: `dagscale why`, `effect`, `compare`, `report` and `plot`."""

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dagscale.cli import printing

FIGURES = (".pdf", ".svg", ".png")
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


def effect(
    result: Saved,
    cause: Annotated[str, typer.Argument(help="The column that would be set.")],
    outcome: Annotated[str, typer.Argument(help="The column that would change.")],
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Estimate what setting one column does to another on average, if the graph is right.

    **Example**: `dagscale effect run/ rain wet`
    """
    from dagscale.result import Result

    answer = Result.load(result).effect(cause, outcome, level)
    if json:
        printing.print_json(answer.to_dict())
    else:
        typer.echo(str(answer))


def compare(
    first: Annotated[Path, typer.Argument(help="A run's folder, or a file with a graph.")],
    second: Annotated[Path, typer.Argument(help="The one to compare it with.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Lay two graphs side by side: links that are shared, reversed, open in one of them, added, missing.

    Graphs are run folders, edge lists or adjacency tables (CSV, TSV), JSON, GraphML, GML, DOT or NPY files.

    **Example**: `dagscale compare run/ earlier-run/`
    """
    from dagscale.graphs.links import links_of
    from dagscale.result.comparison import called, compare_links

    found = compare_links(links_of(first, []), links_of(second, []), called(first), called(second))
    if json:
        printing.print_json(found.to_dict())
    else:
        typer.echo(str(found))


def report(
    result: Saved,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page, or its folder. Default: RESULT/report.html.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option("--compare", help="Another result or a file of edges to lay over it.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Heading of the page.")] = None,
) -> None:
    """Write the report page of a saved result again.

    **Examples**: `dagscale report run/ --out page.html`, `dagscale report run/ --compare known-edges.csv`
    """
    from dagscale.result import Result
    from dagscale.result.report import write_page
    from dagscale.runtime.progress import reporter

    loaded = Result.load(result)
    with reporter(True) as progress:
        target = out or result
        if target.is_dir() or not target.suffix:
            with suppress(OSError):  # `write_page` says what is wrong
                target.mkdir(exist_ok=True)
            target /= "report.html"
        page = write_page(loaded, target, progress=progress, title=title, compare=compare)
    typer.echo(f"report: {page}")


def plot(
    result: Saved,
    figure: Annotated[Path, typer.Argument(metavar="FIGURE", help="The file: .pdf, .svg or .png.")],
    size: Annotated[
        str | None,
        typer.Option("--size", help="one-column or two-column of a paper. Default: as large as it needs."),
    ] = None,
    legend: Annotated[bool, typer.Option("--legend/--no-legend", help="Explain the lines.")] = True,
) -> None:
    """Draw the graph as a figure for a paper (extra `plot`).

    **Example**: `dagscale plot run/ graph.pdf --size one-column`
    """
    from dagscale.result import Result
    from dagscale.runtime.errors import InputError, shown

    if figure.suffix.lower() not in FIGURES:
        raise InputError(f"a figure's name ends in {', '.join(FIGURES)}, not {shown(figure.name)}")
    loaded = Result.load(result)
    _without_a_display()
    drawn = loaded.plot(size=size, legend=legend).figure
    try:
        drawn.savefig(figure, dpi=300)
    except OSError as error:
        raise InputError(f"cannot write {shown(str(figure))}: {error.strerror}; name another file") from None
    typer.echo(f"figure: {figure}")


def _without_a_display() -> None:
    """Let matplotlib draw into files where there is no screen; without matplotlib `plot` says what to install."""
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("Agg")
