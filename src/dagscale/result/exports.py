"""A result in the forms that other programs take: the `to_...` methods of `Result`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagscale.graphs import export

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


class Exports:
    """Methods that write or convert the graph; they need `names` and `edge_table`."""

    if TYPE_CHECKING:
        names: list[Any]
        edge_table: pd.DataFrame

    def to_networkx(self) -> "nx.DiGraph[Any]":
        """Return a fresh `networkx.DiGraph`; each edge carries its row of `edges`."""
        return export.to_networkx(self.names, self.edge_table)

    def to_dot(self) -> str:
        """Return the graph in Graphviz's DOT language."""
        return export.to_dot(self.names, self.edge_table)

    def to_graphml(self, path: str | Path) -> None:
        """Write GraphML."""
        export.to_graphml(self.names, self.edge_table, path)

    def to_gml(self, path: str | Path) -> None:
        """Write GML."""
        export.to_gml(self.names, self.edge_table, path)

    def to_json(self, path: str | Path) -> None:
        """Write node-link JSON."""
        export.to_json(self.names, self.edge_table, path)

    def to_csv(self, path: str | Path) -> None:
        """Write the edge table."""
        export.to_csv(self.edge_table, path)

    def to_dowhy(self) -> "nx.DiGraph[str]":
        """Return the graph as DoWhy takes it: `CausalModel(graph=...)`, `gcm.falsify_graph(...)`.

        Names are texts, because DoWhy fails on others: give it the table with `str` column names.
        """
        return export.to_labelled(self.names, self.edge_table)

    def to_causallearn(self) -> Any:
        """Return a `causallearn.graph.Dag.Dag`."""
        return export.to_causallearn(self.names, self.edge_table)

    def to_pgmpy(self) -> Any:
        """Return a `pgmpy.base.DAG`."""
        return export.to_pgmpy(self.names, self.edge_table)
