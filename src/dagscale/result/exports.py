"""A result in the forms that other programs take: the `to_...` methods of `Result`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs import export, export_libraries
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


class Exports:
    """Methods that write or convert the graph; they read the names, the edges and how sure they are."""

    if TYPE_CHECKING:
        names: list[Any]
        edge_table: pd.DataFrame
        adjacency: BoolArray
        either_way: BoolArray
        confounded: BoolArray
        kinds: dict[Any, str]

    @property
    def table_kinds(self) -> tuple[str, ...]:
        """The columns' kinds in their order, () where all are continuous: as `Table` and models have them."""
        kinds = tuple(self.kinds[name] for name in self.names)
        return () if set(kinds) == {CONTINUOUS} else kinds

    @property
    def _hidden_pairs(self) -> list[list[int]]:
        """Pairs of columns, by place, that share a hidden cause; each once."""
        pairs: list[list[int]] = np.argwhere(np.triu(self.confounded, 1)).tolist()
        return pairs

    def to_networkx(self) -> "nx.DiGraph[Any]":
        """Return a fresh `networkx.DiGraph`; each edge carries its row of `edges`, `either_way` among it.

        `graph.graph["confounded"]` lists the pairs that share a hidden cause.
        """
        graph = export.to_networkx(self.names, self.edge_table, self.table_kinds)
        graph.graph["confounded"] = [(self.names[i], self.names[j]) for i, j in self._hidden_pairs]
        return graph

    def to_dot(self) -> str:
        """Return the graph in Graphviz's DOT language; open links without an arrowhead, hidden causes dashed."""
        return export.to_dot(self.names, self.edge_table, self._hidden_pairs, self.table_kinds)

    def to_graphml(self, path: str | Path) -> None:
        """Write GraphML."""
        export.to_graphml(self.names, self.edge_table, path, self.table_kinds)

    def to_gml(self, path: str | Path) -> None:
        """Write GML."""
        export.to_gml(self.names, self.edge_table, path, self.table_kinds)

    def to_json(self, path: str | Path) -> None:
        """Write node-link JSON; `confounded`, an attribute of the graph, lists pairs that share a hidden cause."""
        export.to_json(self.names, self.edge_table, path, self.table_kinds, self._hidden_pairs)

    def to_csv(self, path: str | Path) -> None:
        """Write the edge table."""
        export.to_csv(self.edge_table, path)

    def to_dowhy(self) -> "nx.DiGraph[str]":
        """Return the graph as DoWhy takes it: `CausalModel(graph=...)`, `gcm.falsify_graph(...)`.

        Names are texts, because DoWhy fails on others: give it the table with `str` column names.
        """
        return export.to_labelled(self.names, self.edge_table, self.table_kinds)

    def to_causallearn(self) -> Any:
        """Return a `causallearn.graph.Dag.Dag`, or a `GeneralGraph` where links are open or confounded."""
        return export_libraries.to_causallearn(self.names, self.edge_table, self.confounded)

    def to_pgmpy(self) -> Any:
        """Return a `pgmpy.base.DAG`, or a `PDAG` where links are open; hidden causes are left out."""
        return export_libraries.to_pgmpy(self.names, self.edge_table)

    def to_pywhy(self) -> Any:
        """Return a `pywhy_graphs.ADMG`: hidden causes are bidirected, open links undirected edges."""
        return export_libraries.to_pywhy(self.names, self.edge_table, self.confounded)

    def to_lingam(self) -> FloatArray:
        """Return lingam's matrix [child, parent]; NaN where a direction is open or a hidden cause is shared."""
        return export_libraries.to_lingam(self.adjacency, self.either_way, self.confounded)
