"""A case is where the data come from; with a seed it is a problem: a table and the graph behind it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dagscale.runtime.errors import InputError
from dagscale.runtime.types import BoolArray, FloatArray

STANDARDISED, RAW = "standardised", "raw"
UNITS = (STANDARDISED, RAW)  # users' columns come in any units, so standardised data stands first
SIMULATED = "simulated"
NUMBERED = ("syntren",)  # data sets of several tables; seed s is table s + 1


@dataclass(frozen=True)
class Case:
    """One source of data in one choice of units."""

    family: str  # what the tables call it, and where its published numbers are found ("ER1", "Sachs")
    nodes: int
    units: str = STANDARDISED  # columns at mean 0 and variance 1; or raw, as they come
    source: str = SIMULATED  # or the name of a data set
    settings: tuple[tuple[str, Any], ...] = ()  # further arguments of `dagscale.simulate`

    @property
    def name(self) -> str:
        """What progress lines and messages call the case."""
        return f"{self.family} d={self.nodes} {self.units}"

    @property
    def fixed(self) -> bool:
        """Whether the data are the same for every seed."""
        return self.source != SIMULATED and self.source not in NUMBERED

    def parameters(self) -> dict[str, Any]:
        """Everything that determines the data, save the seed: the case's part of a run's key."""
        settings = {name: list(v) if isinstance(v, tuple) else v for name, v in self.settings}
        return {"source": self.source, "nodes": self.nodes, "units": self.units, **settings}


@dataclass(frozen=True)
class Problem:
    """A table and the graph behind it, [parent, child] in the table's column order."""

    table: pd.DataFrame
    truth: BoolArray
    kinds: tuple[str, ...] = ()  # of the columns; () where all are continuous

    @property
    def numbers(self) -> FloatArray:
        """The table as numbers (n, d), categories as their codes."""
        columns = (
            c.cat.codes if isinstance(c.dtype, pd.CategoricalDtype) else c for _, c in self.table.items()
        )
        return np.column_stack([column.to_numpy(dtype=np.float64) for column in columns])


def simulated(
    families: Mapping[str, Mapping[str, Any]], sizes: Iterable[int], units: Iterable[str] = UNITS
) -> tuple[Case, ...]:
    """Declare simulated cases: every family, with its arguments of `simulate`, at every size in all units."""
    return tuple(
        Case(family, d, unit, SIMULATED, tuple(sorted(families[family].items())))
        for family, d, unit in product(families, sizes, units)
    )


@lru_cache(maxsize=2)  # the methods of one case and seed run one after the other, in the same worker
def problem(case: Case, seed: int) -> Problem:
    """Draw the case's data with this seed; a data set of one table gives it for every seed."""
    standardize = case.units == STANDARDISED
    if case.source == SIMULATED:
        from dagscale.data.simulate import simulate

        settings = {"standardize": standardize, "random_state": seed, "n_jobs": 1, **dict(case.settings)}
        drawn = simulate(nodes=case.nodes, **settings)
        kinds = () if drawn.kinds is None else tuple(drawn.kinds.values())
        return Problem(drawn.table, drawn.adjacency, kinds)
    from dagscale.data import datasets

    data = datasets.load(case.source, **({"index": seed + 1} if case.source in NUMBERED else {}))
    if data.adjacency is None:
        raise InputError(f"data set {case.source!r} has no known graph to judge by")
    table = (data.table - data.table.mean()) / data.table.std(ddof=0) if standardize else data.table
    return Problem(table, data.adjacency)
