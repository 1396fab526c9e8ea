"""What a discovery leaves: files in a folder, lines on the terminal, JSON for machines."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from dagscale.cli import printing

LEGEND = """\
  strength: share of the target's variance lost without the edge; sign: of its average effect, ± where that varies;
  linked: probability of the link; direction: that of this direction, given the link; --: neither is supported"""

if TYPE_CHECKING:
    import pandas as pd

    from dagscale.result import Result


def discover_surely(table: Any, options: dict[str, Any], replicates: int, checkpoint: Any = None) -> "Result":
    """Discover, and where replicates are asked for, bootstrap the whole table as well."""
    from dagscale.flow import discover
    from dagscale.resampling import bootstrap

    result = discover(table, checkpoint=checkpoint, **options)
    if not replicates:
        return result
    return bootstrap(table, replicates=replicates, checkpoint=checkpoint, **options).annotate(result)


def write_outputs(
    result: "Result", folder: Path, progress: bool = False, title: str | None = None, compare: Any = None
) -> None:
    """Write everything a run leaves: the result, the edge table, the DOT graph, the page.

    `title` heads the page, `compare` is a graph laid over it.
    """
    from dagscale.result.report import write_page
    from dagscale.runtime.progress import reporter

    result.save(folder)
    result.to_csv(folder / "edges.csv")
    (folder / "graph.dot").write_text(result.to_dot(), encoding="utf-8", errors="replace")
    with reporter(progress) as report:
        write_page(result, folder / "report.html", progress=report, title=title, compare=compare)


def as_document(result: "Result", out: Path | None) -> dict[str, Any]:
    """Return the result as what --json prints."""
    import numpy as np

    from dagscale.result import certainty

    return {
        "method": result.method,
        "rows": result.n_samples,
        "names": result.names,
        "order": result.order,
        "summary": certainty.headline(result),
        "edges": result.edges.to_dict("records"),
        "confounded": [
            [result.names[i], result.names[j]] for i, j in np.argwhere(np.triu(result.confounded))
        ],
        "settings": result.settings,
        "timings": result.timings,
        "changed": result.changed,
        "notes": list(result.notes),
        "out": None if out is None else str(out),
        "report": None if out is None else str(out / "report.html"),
    }


def print_result(
    result: "Result", out: Path | None, hint: bool = True, edges: "pd.DataFrame | None" = None
) -> None:
    """Print the graph for a person; `hint` says how to keep it where it was not written."""
    from dagscale.result import cautions, certainty, display

    for line in result.notes:
        printing.note(f"note: {line}")
    seconds = sum(result.timings.values())
    typer.echo(f"{display.title(result)}, {seconds:.1f} s")
    typer.echo(certainty.headline(result))
    for line in cautions.hidden_causes(result):
        typer.echo(line)
    if len(result.edge_table):  # any order fits a graph without edges
        typer.echo(display.order_line(result))
        printing.print_edges(result.edges if edges is None else edges, result.knowledge is not None)
    if "probability" in result.edge_table and len(result.edge_table):
        typer.echo(LEGEND)
    if out is not None:
        typer.echo(f"report: {out / 'report.html'}")
        if hint and result.either_way.any():
            printing.note("'What you may know' on the report page asks what would settle open directions")
    elif hint:
        printing.note("add --out FOLDER to keep the result and its report")
