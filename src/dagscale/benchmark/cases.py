"""A case is where the data come from; with a seed it is a problem: a table and the graph behind it."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
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
NUMBERED = {"syntren": 10, "tuebingen": 99}  # data sets of so many tables; seed s is table s + 1
DRAWN = ("regulatory",)  # data sets drawn anew by every seed


@dataclass(frozen=True)
class Experiments:
    """Rows of interventions that are drawn beside the observations; columns stand in random order, so the first do."""

    columns: int  # the first so many are set, each in turn
    rows: int = 60  # of each experiment
    together: int = 1  # columns that an experiment sets: a column and those after it, in a ring
    kind: str = "perfect"  # or "soft": another mechanism of the same parents

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `simulate`."""
        places = range(self.columns)
        sets = [tuple(f"X{(k + m) % self.columns}" for m in range(self.together)) for k in places]
        return {"interventions": dict.fromkeys(sets, self.rows), "intervention_kind": self.kind}


@dataclass(frozen=True)
class Case:
    """One source of data in one choice of units."""

    family: str  # what the tables call it, and where its published numbers are found ("ER1", "Sachs")
    nodes: int
    units: str = STANDARDISED  # columns at mean 0 and variance 1; or raw, as they come
    source: str = SIMULATED  # or the name of a data set
    settings: tuple[tuple[str, Any], ...] = ()  # further arguments of `simulate`, or of the data set
    cells_filled: bool = False  # values that repeat are spread over their rounding cells
    experiments: Experiments | None = None  # of a simulated case

    @property
    def name(self) -> str:
        """What progress lines and messages call the case."""
        return f"{self.family} d={self.nodes} {self.units}"

    @property
    def fixed(self) -> bool:
        """Whether the data are the same for every seed."""
        return self.source not in (SIMULATED, *NUMBERED, *DRAWN)

    def parameters(self) -> dict[str, Any]:
        """Everything that determines the data, save the seed: the case's part of a run's key."""
        settings = {name: list(v) if isinstance(v, tuple) else v for name, v in self.settings}
        settings |= {"cells_filled": True} if self.cells_filled else {}
        settings |= {"experiments": asdict(self.experiments)} if self.experiments else {}
        return {"source": self.source, "nodes": self.nodes, "units": self.units, **settings}


@dataclass(frozen=True)
class Problem:
    """A table and the graph behind it, [parent, child] in the table's column order; or what else is known."""

    table: pd.DataFrame
    truth: BoolArray | None  # None where nobody knows it
    kinds: tuple[str, ...] = ()  # of the columns; () where all are continuous
    tiers: tuple[
        int, ...
    ] = ()  # of the columns: an earlier one is no effect of a later one; () where not known
    weight: float | None = None  # of a pair of cause and effect among those of its collection
    targets: BoolArray | None = None  # (n, d): which columns were set in which row; None without experiments

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
        settings |= case.experiments.arguments() if case.experiments else {}
        drawn = simulate(nodes=case.nodes, **settings)
        kinds = () if drawn.kinds is None else tuple(drawn.kinds.values())
        return Problem(drawn.table, drawn.adjacency, kinds, targets=drawn.interventions)
    return _loaded(case, seed)


def _loaded(case: Case, seed: int) -> Problem:
    """Load a data set's table, without its columns of text, and what is known of it."""
    from dagscale.data import datasets

    options = dict(case.settings)
    options |= {"index": seed + 1} if case.source in NUMBERED else {}
    options |= {"random_state": seed} if case.source in DRAWN else {}
    data = datasets.load(case.source, **options)
    if data.adjacency is not None:
        return Problem(_changed(data.table, case), data.adjacency, weight=data.weight)
    if data.knowledge is None:
        raise InputError(f"data set {case.source!r} has neither a known graph nor tiers to judge by")
    table = data.table.select_dtypes("number")
    tier = {name: k for k, names in enumerate(data.knowledge.tiers) for name in names}
    return Problem(_changed(table, case), None, tiers=tuple(tier[name] for name in table.columns))


def _changed(table: pd.DataFrame, case: Case) -> pd.DataFrame:
    """Return a loaded table as the case wants it: rounding cells filled (but of columns of few values), units."""
    if case.cells_filled:
        from dagscale.models.likelihood.columns import few_levels, fill_cells

        filled = {name: x.to_numpy(dtype=np.float64) for name, x in table.items()}
        table = pd.DataFrame(
            {name: fill_cells(x) if few_levels(x) is None else x for name, x in filled.items()}
        )
    return (table - table.mean()) / table.std(ddof=0) if case.units == STANDARDISED else table
