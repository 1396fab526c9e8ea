"""`dagscale evaluate`: how far a graph is from a known one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dagscale.cli import printing

SHOWN = (
    ("shd", "edges missing, extra or reversed"),
    ("sid", "interventions told wrongly"),
    ("precision", "share of the edges found that are right"),
    ("recall", "share of the right edges found"),
    ("f1", "their harmonic mean"),
    ("order_errors", "true edges against the order found"),
    ("missing", "true edges not found"),
    ("extra", "edges found that are not true"),
    ("reversed", "found the wrong way round"),
)


def evaluate(
    truth: Annotated[Path, typer.Argument(help="The known graph.")],
    estimate: Annotated[Path, typer.Argument(help="The graph to judge; a run's folder is one.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Compare a graph with a known one.

    Graphs are edge lists or adjacency tables (CSV, TSV), JSON, GraphML, GML, DOT, NPY, or a run's folder.

    **Examples**

    - `dagscale evaluate truth.csv run/`

    - `dagscale evaluate truth.graphml estimate.dot --json`
    """
    found = compare(truth, estimate)
    if json:
        printing.print_json(found)
        return
    title = f"{found['estimated_edges']} edges against {found['true_edges']} known, {found['nodes']} nodes"
    printing.print_table(title, ["measure", "", "what it counts"], [(k, found[k], text) for k, text in SHOWN])


def compare(truth: Path, estimate: Path) -> dict[str, Any]:
    """Return all metrics of two graph files, matched by name; a run's own order counts its order errors."""
    from dagscale.graphs.metrics import evaluate as metrics_of
    from dagscale.graphs.metrics import order_errors
    from dagscale.graphs.read_files import read_pair

    true, estimated, names = read_pair(truth, estimate)
    found = metrics_of(true, estimated)
    if estimate.is_dir():
        from dagscale.result import Result

        place = {name: i for i, name in enumerate(names)}
        order = [place[str(name)] for name in Result.load(estimate).order]
        found["order_errors"] = order_errors(true, order)
    return found
