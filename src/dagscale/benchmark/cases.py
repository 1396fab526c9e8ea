"""A case is where the data come from; with a seed it is a problem: a table and the graph behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd

from dagscale.runtime.types import BoolArray

STANDARDISED, RAW = "standardised", "raw"
UNITS = (STANDARDISED, RAW)  # users' columns come in any units, so standardised data stands first
SIMULATED = "simulated"


@dataclass(frozen=True)
class Case:
    """One source of data in one choice of units.

    Attributes
    ----------
    family : str
        What the tables call it, and where its published numbers are found ("ER1", "Sachs").
    nodes : int
        Number of columns d.
    units : {"standardised", "raw"}
        Columns at mean 0 and variance 1, or as they come.
    source : str
        "simulated", or the name of a data set.
    settings : tuple of (name, value)
        Arguments of `dagscale.simulate` other than the nodes, the units and the seed.
    """

    family: str
    nodes: int
    units: str = STANDARDISED
    source: str = SIMULATED
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """What progress lines and messages call the case."""
        return f"{self.family} d={self.nodes} {self.units}"

    def parameters(self) -> dict[str, Any]:
        """Everything that determines the data, save the seed: the case's part of a run's key."""
        settings = {name: list(v) if isinstance(v, tuple) else v for name, v in self.settings}
        return {"source": self.source, "nodes": self.nodes, "units": self.units, **settings}


@dataclass(frozen=True)
class Problem:
    """A table and the graph behind it, [parent, child] in the table's column order."""

    table: pd.DataFrame
    truth: BoolArray


def simulated(family: str, nodes: int, units: str, settings: Mapping[str, Any]) -> Case:
    """Declare a simulated case."""
    return Case(family, nodes, units, SIMULATED, tuple(sorted(settings.items())))


@lru_cache(maxsize=2)  # the methods of one case and seed run one after the other, in the same worker
def problem(case: Case, seed: int) -> Problem:
    """Draw the case's data with this seed.

    A data set that comes in several files (SynTReN) gives file number seed + 1; one that is a single
    file (Sachs) gives the same table for every seed.
    """
    if case.source == SIMULATED:
        from dagscale.data.simulate import simulate

        standardize = case.units == STANDARDISED
        drawn = simulate(
            nodes=case.nodes, standardize=standardize, random_state=seed, n_jobs=1, **dict(case.settings)
        )
        return Problem(drawn.table, drawn.adjacency)
    from dagscale.data import datasets

    index = {"index": seed + 1} if case.source == "syntren" else {}
    data = datasets.load(case.source, **index)
    table = data.table
    if case.units == STANDARDISED:
        table = (table - table.mean()) / table.std(ddof=0)
    return Problem(table, data.adjacency)
