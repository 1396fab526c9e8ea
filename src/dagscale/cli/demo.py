"""`dagscale discover --demo`: a table that shows what the tool is for, then one that shows where it is hard."""

from pathlib import Path
from typing import Any

import typer

from dagscale.cli import printing
from dagscale.cli.folder import output_folder
from dagscale.cli.outputs import as_document, discover_surely, write_outputs

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
OF_SACHS = ("columns", "drop", "transform", "knowledge")  # what makes no sense for another table
CAUSE, OUTCOME = "fertiliser", "harvest"
TITLES = {True: "A simulated farm", False: "Proteins of immune cells (Sachs et al.)"}
KNOWN: dict[str, Any] = {"required": [("Raf", "Mek")], "roots": ["PKC", "Plcg"]}
KNOWN_IN_WORDS = "Raf causes Mek; nothing in the table causes PKC; nothing in the table causes Plcg"


def run_demo(
    options: dict[str, Any], replicates: int, out: Path, force: bool, json: bool, quiet: bool
) -> None:
    """Find the graphs of a simulated farm and of Sachs's proteins, judge both, write a folder for each."""
    told = not (json or quiet)
    farm = None if any(options[name] for name in OF_SACHS) else _farm(options, out, force, told)
    sachs = _sachs(options, replicates, out, force, told)
    if json:
        printing.print_json({**sachs, **({} if farm is None else {"farm": farm})})


def _farm(options: dict[str, Any], out: Path, force: bool, told: bool) -> dict[str, Any]:
    """Show a table whose causes are known: the graph, its distance to the truth, and an effect."""
    from dagscale.data.datasets import load
    from dagscale.data.datasets.farm import true_effect_of_fertiliser

    known, place = load("farm"), out.with_name(f"{out.name}-farm")
    if told:
        typer.echo("1. A table whose causes are known: 600 fields of a simulated farm, in everyday units\n")
    result, judged = _judged(known, options, 0, place, force)
    effect = result.effect(CAUSE, OUTCOME)
    x, y = (known.table[name].to_numpy(float) for name in (CAUSE, OUTCOME))
    plain = float(((x - x.mean()) @ (y - y.mean())) / ((x - x.mean()) @ (x - x.mean())))
    truth = true_effect_of_fertiliser()
    if told:
        _print_found(result, known, "true")
        best = min((name for name in BASELINES if name in judged), key=lambda name: judged[name]["shd"])
        typer.echo(
            f"Edges missing, wrong or reversed: {judged[result.method]['shd']}. The best of six trivial answers "
            f"({BASELINES[best]}) has {judged[best]['shd']}.\n"
        )
        _print_effect(effect, plain, truth)
        typer.echo(f"report: {place / 'report.html'}\n")
    found = {"plain": plain, "estimate": effect.estimate, "interval": effect.interval, "truth": truth}
    return {**as_document(result, place), "against_known_graph": judged, "effect": found}


def _print_effect(effect: Any, plain: float, truth: float) -> None:
    low, high = effect.interval
    held = ", ".join(map(str, effect.adjusted_for[0])) if effect.adjusted_for else "nothing"
    lines = [
        ("regression of one on the other", plain, "steep fields are dry, and get more of it"),
        (
            f"result.effect({CAUSE!r}, {OUTCOME!r})",
            effect.estimate,
            f"95%: {low:.1f} to {high:.1f}; held fixed: {held}",
        ),
        ("truth, found by giving more", truth, "this farm is simulated"),
    ]
    typer.echo(f"What does one more kilogram of {CAUSE} do to the {OUTCOME} (kg/ha)?")
    for what, value, remark in lines:
        typer.echo(f"  {what:40s} {value:+6.1f}   ({remark})")


def _sachs(options: dict[str, Any], replicates: int, out: Path, force: bool, told: bool) -> dict[str, Any]:
    """Show a measured table: what is claimed, what is left open, and what knowledge changes."""
    from dagscale.data.datasets import load
    from dagscale.flow import discover
    from dagscale.graphs.metrics import evaluate
    from dagscale.inputs.knowledge import Knowledge

    known = load("sachs")
    if told:
        typer.echo(
            "2. Where it is hard: 11 proteins in 853 immune cells (Sachs et al., Science 2005), 17 edges known\n"
        )
    result, judged = _judged(known, options, replicates, out, force)
    document = {**as_document(result, out), "against_known_graph": judged}
    if told:
        _print_found(result, known, "known")
        _print_judged(judged, "Distance to the known graph (shd, sid: less is better)")
        typer.echo("A method is worth its time where it beats the rows below its own.")
    if not any(options[name] for name in OF_SACHS) and result.method not in BASELINES:
        helped = discover(known.table, **{**options, "knowledge": Knowledge(**KNOWN), "progress": False})
        found = evaluate(known, helped)
        document["with_knowledge"] = {key: found[key] for key in MEASURES}
        if told:
            typer.echo(f"\nThree things a biologist knows: {KNOWN_IN_WORDS}.")
            before = f"shd {judged[result.method]['shd']} -> {found['shd']}"
            typer.echo(f"With them: {before}, open directions {_open(result)} -> {_open(helped)}.")
    if told:
        typer.echo(f"report: {out / 'report.html'}")
    return document


def _judged(
    known: Any, options: dict[str, Any], replicates: int, out: Path, force: bool
) -> tuple[Any, dict[str, dict[str, Any]]]:
    """Run the method and the baselines on a table with a known graph, and write the method's result."""
    from dagscale.flow import discover
    from dagscale.graphs.metrics import evaluate

    with printing.warnings_as_notes(not options["progress"]), output_folder(out, force) as folder:
        result = discover_surely(known.table, options, replicates)
        found = {result.method: evaluate(known, result)}
        for name in BASELINES:
            shared = {key: options[key] for key in SHARED}
            found[name] = evaluate(known, discover(known.table, method=name, **shared))
        shown: dict[str, Any] = {
            "title": TITLES[CAUSE in known.names],
            "compare": result.compare(known, "the known graph"),
        }
        write_outputs(result, folder, progress=options["progress"], **shown)
    return result, {name: {key: own[key] for key in MEASURES} for name, own in found.items()}


def _open(result: Any) -> int:
    return int(result.either_way.sum()) // 2


def _print_found(result: Any, known: Any, kind: str) -> None:
    seconds = sum(result.timings.values())
    left = _open(result)
    links = len(result.edge_table)
    size = f"{links} links, {links - left} directions supported, {left} open (--)"
    typer.echo(f"{result.method}: {size}, {seconds:.1f} s")
    counts = result.compare(known).counts
    typer.echo(
        f"Of the {kind} edges {counts['shared']} are found the right way round, {counts['undirected']} are left "
        f"open, {counts['reversed']} are reversed, {counts['missing']} are missing; {counts['added']} more are drawn."
    )
    printing.print_edges(_marked(result, known, kind))


def _print_judged(judged: dict[str, dict[str, Any]], title: str) -> None:
    printing.print_table(
        title,
        ["", *MEASURES],
        [
            (BASELINES.get(name, f"{name} (this result)"), *(own[key] for key in MEASURES))
            for name, own in judged.items()
        ],
    )


def _marked(result: Any, known: Any, kind: str) -> Any:
    """Return the edges with a column that says which of them are known, and which of those are left open."""
    edges = result.edges
    open_ = edges.get("either_way", [False] * len(edges))
    established = set(zip(known.edges["source"], known.edges["target"], strict=True))
    pairs = list(zip(edges["source"], edges["target"], strict=True))
    shown = edges[["source", "target", "strength", "sign", *[n for n in ("either_way",) if n in edges]]]
    return shown.assign(
        **{
            kind: [
                "no"
                if not {(a, b), (b, a)} & established
                else "open"
                if left
                else "yes"
                if (a, b) in established
                else "reversed"
                for (a, b), left in zip(pairs, open_, strict=True)
            ]
        }
    )
