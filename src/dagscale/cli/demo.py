"""`dagscale discover --demo`: a real table whose graph is known, and the baselines beside the answer."""

from pathlib import Path
from typing import Any

import typer

from dagscale.cli import printing
from dagscale.cli.folder import output_folder
from dagscale.cli.outputs import as_document, discover_surely, print_result, write_outputs

BASELINES = {
    "empty": "no edge at all",
    "random": "random order",
    "varsort": "order by variance",
    "varsort-desc": "order by variance, largest first",
    "r2sort": "order by R²",
    "r2sort-desc": "order by R², largest first",
}
MEASURES = ("shd", "sid", "precision", "recall")
# About the table rather than the method: a baseline must see the same table.
SHARED = ("columns", "drop", "missing", "transform", "knowledge", "n_jobs", "random_state")


def run_demo(
    options: dict[str, Any], replicates: int, out: Path, force: bool, json: bool, quiet: bool
) -> None:
    """Find Sachs's graph, judge it against the known one and against the baselines, write the folder."""
    from dagscale.data.datasets import load
    from dagscale.flow import discover
    from dagscale.graphs.metrics import evaluate

    sachs = load("sachs")
    with printing.warnings_as_notes(quiet), output_folder(out, force) as folder:
        result = discover_surely(sachs.table, options, replicates)
        rows = {result.method: evaluate(sachs, result)}
        for name in BASELINES:
            shared = {key: options[key] for key in SHARED}
            rows[name] = evaluate(sachs, discover(sachs.table, method=name, **shared))
        write_outputs(result, folder, progress=not quiet)
    if json:
        judged = {name: {key: found[key] for key in MEASURES} for name, found in rows.items()}
        printing.print_json({**as_document(result, out), "against_known_graph": judged})
    elif not quiet:
        _print_demo(result, sachs, rows, out)


def _print_demo(result: Any, known: Any, rows: dict[str, dict[str, Any]], out: Path) -> None:
    typer.echo("Sachs et al. (Science 2005): 11 proteins in 853 immune cells; 17 edges are established\n")
    print_result(result, None, hint=False, edges=_marked(result, known))
    printing.print_table(
        "Distance to the established graph (shd, sid: less is better)",
        ["", *MEASURES, "edges"],
        [
            (
                BASELINES.get(name, f"{name} (this result)"),
                *(found[key] for key in MEASURES),
                found["estimated_edges"],
            )
            for name, found in rows.items()
        ],
    )
    typer.echo(
        "A method is worth its time where it beats the rows below; read the report before believing an edge."
    )
    typer.echo(f"report: {out / 'report.html'}")


def _marked(result: Any, known: Any) -> Any:
    """Return the edges with a column that says which of them are established."""
    edges = result.edges
    established = set(zip(known.edges["source"], known.edges["target"], strict=True))
    pairs = list(zip(edges["source"], edges["target"], strict=True))
    return edges.assign(
        known=[
            "yes" if (a, b) in established else "reversed" if (b, a) in established else "no"
            for a, b in pairs
        ]
    )
