"""A table with the graph it is judged by, and where both come from."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dagscale.inputs.knowledge import Knowledge
from dagscale.runtime.types import BoolArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with its graph.

    Attributes
    ----------
    table : pandas.DataFrame
        n rows, one column per node.
    adjacency : (d, d) bool array or None
        [parent, child], rows and columns as the table's columns; None where nobody knows the graph.
    names : list of str
        The table's columns that are variables.
    description : str
        What the rows and columns are, and how far the graph can be trusted.
    source : str
        Whom to cite.
    knowledge : Knowledge or None
        What is known where the graph is not: which columns come before which.
    weight : float or None
        What a pair of cause and effect counts among those of its collection; None of other tables.
    interventions : str or None
        The table's further column that says what was set in each row, as `discover` takes it.
    """

    table: pd.DataFrame
    adjacency: BoolArray | None
    names: list[str]
    description: str
    source: str
    knowledge: Knowledge | None = None
    weight: float | None = None
    interventions: str | None = None

    @property
    def edges(self) -> pd.DataFrame:
        """The edges as a table with the columns source and target; empty where the graph is not known."""
        none = np.zeros((len(self.names), len(self.names)), dtype=bool)
        source, target = np.nonzero(none if self.adjacency is None else self.adjacency)
        names = np.array(self.names, dtype=object)
        return pd.DataFrame({"source": names[source], "target": names[target]})


def adjacency_of(names: list[str], edges: Iterable[tuple[str, str]]) -> BoolArray:
    """Return the adjacency [parent, child] of edges given by name."""
    place = {name: i for i, name in enumerate(names)}
    adjacency = np.zeros((len(names), len(names)), dtype=bool)
    for source, target in edges:
        adjacency[place[source], place[target]] = True
    return adjacency
