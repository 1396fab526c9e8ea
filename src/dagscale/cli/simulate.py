"""`dagscale simulate`: a table from a known graph."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dagscale.cli.folder import output_folder
from dagscale.runtime.errors import InputError, shown

if TYPE_CHECKING:
    from dagscale.data.simulate import Simulation

LABELS = "intervention"  # the column of data.csv that `discover --interventions` is told


def simulate(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for data.csv, truth.csv and truth.json.")],
    graph: Annotated[str, typer.Option(help="ER, SF, hubs, bipartite or chain.")] = "ER",
    nodes: Annotated[int, typer.Option(help="Columns.")] = 20,
    edges_per_node: Annotated[float, typer.Option(help="Density.")] = 1.0,
    edge_count: Annotated[
        str, typer.Option(help="ER, bipartite: exact or binomial (so many edges in expectation).")
    ] = "exact",
    orientation: Annotated[str, typer.Option(help="SF, hubs: old-to-new or random.")] = "old-to-new",
    samples: Annotated[int, typer.Option(help="Rows.")] = 1000,
    mechanism: Annotated[
        str, typer.Option(help="gp, gp-additive, sigmoid-additive, mlp, polynomial, sine or linear.")
    ] = "gp",
    length_scale: Annotated[float, typer.Option(help="Of the Gaussian processes.")] = 1.0,
    noise: Annotated[
        str,
        typer.Option(
            help="gaussian, laplace, gumbel, uniform, exponential, gamma, heteroscedastic, location-scale "
            "(its spread depends on the parents) or multiplicative (positive columns)."
        ),
    ] = "gaussian",
    noise_variance: Annotated[
        str,
        typer.Option(
            help="1 for every column; 0.4,0.8 draws each from that range; grandag draws U(1, 2) for roots "
            "and 0.16 U(1, 2) for the others."
        ),
    ] = "1",
    standardize: Annotated[
        bool, typer.Option("--standardize", help="Scale the finished columns to variance 1.")
    ] = False,
    iscm: Annotated[
        bool, typer.Option("--iscm", help="Scale each column to variance 1 before its children see it.")
    ] = False,
    post_nonlinear: Annotated[
        str | None, typer.Option(help="cube or exp: of the sum of effects and noise.")
    ] = None,
    linear: Annotated[float, typer.Option(help="Share of the mechanisms that are linear.")] = 0.0,
    hidden: Annotated[int, typer.Option(help="Hidden causes of two columns each.")] = 0,
    measurement_error: Annotated[
        float, typer.Option(help="Variance of the error of each column, as a share of its own.")
    ] = 0.0,
    autoregressive: Annotated[
        float, typer.Option(help="Correlation of the noise with that of the row before.")
    ] = 0.0,
    discrete: Annotated[
        float, typer.Option(help="Share of the columns with two or three levels, or counts.")
    ] = 0.0,
    interventions: Annotated[
        list[str] | None,
        typer.Option(
            help="60: so many rows more for every column, set alone; X3=60 or X1,X2=40 for these only. "
            "Repeatable. The column `intervention` of data.csv names what was set."
        ),
    ] = None,
    intervention_kind: Annotated[
        str, typer.Option(help="perfect (whatever the parents) or soft (another mechanism).")
    ] = "perfect",
    seed: Annotated[
        int, typer.Option("--seed", "--random-state", help="The same seed gives the same table.")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.")] = False,
) -> None:
    """Draw a random graph and a table from it.

    **Example**: `dagscale simulate --nodes 50 --mechanism mlp --out sim/`, then
    `dagscale discover sim/data.csv --out run/` and `dagscale evaluate sim/truth.json run/`
    """
    from dagscale.cli.write_truth import write_known
    from dagscale.data.simulate import simulate as draw

    if standardize and iscm:
        raise InputError("--iscm scales the columns already: leave out --standardize")
    drawn = draw(
        graph=graph,
        nodes=nodes,
        edges_per_node=edges_per_node,
        samples=samples,
        mechanism=mechanism,
        noise=noise,
        noise_variance=_variance(noise_variance),
        standardize="iscm" if iscm else standardize,
        random_state=seed,
        length_scale=length_scale,
        edge_count=edge_count,
        orientation=orientation,
        post_nonlinear=post_nonlinear,
        linear=linear,
        hidden=hidden,
        measurement_error=measurement_error,
        autoregressive=autoregressive,
        discrete=discrete,
        interventions=_interventions(interventions),
        intervention_kind=intervention_kind,
    )
    with output_folder(out, force) as folder:
        write_known(_labelled(drawn), folder)
        _add_to_truth(drawn, folder / "truth.json")
    typer.echo(f"{_summary(drawn)}: {out / 'data.csv'}, {out / 'truth.json'}")


def _labelled(drawn: "Simulation") -> "Simulation":
    """Add the column that names what was set in each row."""
    if drawn.targets is None:
        return drawn
    return replace(drawn, table=drawn.table.assign(**{LABELS: drawn.targets}))


def _add_to_truth(drawn: "Simulation", path: Path) -> None:
    """Write pairs with a hidden cause and kinds of columns among the attributes of the node-link graph."""
    known: dict[str, Any] = {}
    if drawn.confounded is not None:
        known["confounded"] = _confounded(drawn)
    if drawn.kinds is not None:
        known["kinds"] = drawn.kinds
    if known:
        document = json.loads(path.read_text(encoding="utf-8"))
        document["graph"] |= known
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _confounded(drawn: "Simulation") -> list[tuple[str, str]]:
    """List the pairs of columns with a hidden cause, each once."""
    if drawn.confounded is None:
        return []
    pairs = zip(*drawn.confounded.nonzero(), strict=True)
    return [(drawn.names[a], drawn.names[b]) for a, b in pairs if a < b]


def _summary(drawn: "Simulation") -> str:
    rows, columns = drawn.table.shape
    parts = [f"{rows} rows, {columns} columns, {len(drawn.edges)} edges"]
    if pairs := _confounded(drawn):
        parts.append(f"hidden causes of {'; '.join(f'{a}, {b}' for a, b in pairs)}")
    if drawn.kinds is not None:
        parts.append(f"{sum(kind != 'continuous' for kind in drawn.kinds.values())} columns discrete")
    if drawn.interventions is not None:
        parts.append(f"{int(drawn.interventions.any(axis=1).sum())} rows with interventions")
    return ", ".join(parts)


def _interventions(texts: list[str] | None) -> int | dict[str, int] | None:
    """Read `60`, or `X3=60` and `X1,X2=40`; `simulate` checks columns and numbers."""
    if not texts:
        return None
    remedy = "write 60 for every column, or X3=60 and X1,X2=40 for these"
    if len(texts) == 1 and "=" not in texts[0]:
        return _rows(texts[0], texts[0], remedy)
    rows: dict[str, int] = {}
    for text in texts:
        columns, equals, number = text.rpartition("=")
        if not equals or not columns:
            raise InputError(f"--interventions {shown(text)}: {remedy}")
        rows[columns] = _rows(number, text, remedy)
    return rows


def _rows(number: str, text: str, remedy: str) -> int:
    try:
        return int(number)
    except ValueError:
        raise InputError(f"--interventions {shown(text)}: {remedy}") from None


def _variance(text: str) -> Any:
    """Read a number, a range `low,high`, or the name of a scheme, which `simulate` checks."""
    try:
        ends = tuple(float(part) for part in text.split(","))
    except ValueError:
        if any(letter.isdigit() for letter in text):
            raise InputError(
                f"--noise-variance {shown(text)}: write 1, a range as 0.4,0.8, or grandag"
            ) from None
        return text
    return ends[0] if len(ends) == 1 else ends
