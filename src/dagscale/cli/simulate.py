"""`dagscale simulate`: a table from a known graph."""

from pathlib import Path
from typing import Annotated

import typer

from dagscale.cli.folder import output_folder


def simulate(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for data.csv, truth.csv and truth.json.")],
    graph: Annotated[str, typer.Option(help="ER, SF, hubs, bipartite or chain.")] = "ER",
    nodes: Annotated[int, typer.Option(help="Columns.")] = 20,
    edges_per_node: Annotated[float, typer.Option(help="Density.")] = 1.0,
    samples: Annotated[int, typer.Option(help="Rows.")] = 1000,
    mechanism: Annotated[str, typer.Option(help="gp, mlp, sigmoid-additive, polynomial, linear, ...")] = "gp",
    noise: Annotated[str, typer.Option(help="gaussian, laplace, gumbel, uniform, ...")] = "gaussian",
    noise_variance: Annotated[float, typer.Option(help="Of every column's noise.")] = 1.0,
    standardize: Annotated[
        bool, typer.Option("--standardize", help="Scale the columns to variance 1.")
    ] = False,
    seed: Annotated[int, typer.Option(help="The same seed gives the same table.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing folder.")] = False,
) -> None:
    """Draw a random graph and a table from it.

    **Example**: `dagscale simulate --nodes 50 --mechanism mlp --out sim/`, then
    `dagscale discover sim/data.csv --out run/` and `dagscale evaluate sim/truth.json run/`
    """
    from dagscale.cli.known import write_known
    from dagscale.simulate import simulate as draw

    drawn = draw(
        graph=graph,
        nodes=nodes,
        edges_per_node=edges_per_node,
        samples=samples,
        mechanism=mechanism,
        noise=noise,
        noise_variance=noise_variance,
        standardize=standardize,
        random_state=seed,
    )
    with output_folder(out, force) as folder:
        write_known(drawn, folder)
    typer.echo(
        f"{samples} rows, {nodes} columns, {len(drawn.edges)} edges: {out / 'data.csv'}, {out / 'truth.json'}"
    )
