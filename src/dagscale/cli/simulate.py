"""`dagscale simulate`: a table from a known graph."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dagscale.cli.folder import output_folder
from dagscale.runtime.errors import InputError, shown


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
        str, typer.Option(help="gaussian, laplace, gumbel, uniform or heteroscedastic.")
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
    seed: Annotated[int, typer.Option(help="The same seed gives the same table.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.")] = False,
) -> None:
    """Draw a random graph and a table from it.

    **Example**: `dagscale simulate --nodes 50 --mechanism mlp --out sim/`, then
    `dagscale discover sim/data.csv --out run/` and `dagscale evaluate sim/truth.json run/`
    """
    from dagscale.cli.known import write_known
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
    )
    with output_folder(out, force) as folder:
        write_known(drawn, folder)
    typer.echo(
        f"{samples} rows, {nodes} columns, {len(drawn.edges)} edges: {out / 'data.csv'}, {out / 'truth.json'}"
    )


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
