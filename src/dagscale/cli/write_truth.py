"""A table with its known graph, as files: what `simulate` and `datasets` write."""

from pathlib import Path
from typing import Any

from dagscale.graphs import export
from dagscale.runtime.spreadsheet import escaped


def write_known(known: Any, folder: Path) -> None:
    """Write `data.csv`, the edges as `truth.csv`, and the graph with all its nodes as `truth.json`.

    `known` has a table, edges and names: a `Simulation` or a `Dataset`. Where only tiers are known, they go
    to `knowledge.yaml` instead.
    """
    header = [escaped(name) for name in known.table.columns]
    known.table.to_csv(folder / "data.csv", index=False, header=header)
    if known.adjacency is None:
        known.knowledge.save(folder / "knowledge.yaml")
        return
    export.to_csv(known.edges, folder / "truth.csv")
    export.to_json(known.names, known.edges, folder / "truth.json")
