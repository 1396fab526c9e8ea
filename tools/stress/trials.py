"""What is asked about a fuzzed table: method, settings, kinds, interventions, conditions."""

from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd

import dagscale
from dagscale.methods.registry import METHODS
from stress.tables import KINDS, Rng

ARGUMENTS = frozenset(signature(dagscale.discover).parameters)
COLUMN_KINDS = ("continuous", "binary", "categorical", "ordinal", "count")


@dataclass(frozen=True)
class Trial:
    """One table and what is asked about it.

    Attributes
    ----------
    label : str
        Which kind of damage was done.
    table : DataFrame
    options : dict
        Keyword arguments of `dagscale.discover`.
    """

    label: str
    table: pd.DataFrame
    options: dict[str, Any]


METHODS_TRIED = tuple(name for name in METHODS if name != "grandag")

# Values tried for settings of these names, besides the default.
SETTINGS: dict[str, tuple[Any, ...]] = {
    "alpha": (0.05, 1e-12, 1.0),
    "K": (1, 3),
    "cutoff": (0.5, 1e-6),
    "eta": (1e-9, 10.0),
    "min_parents": (0, 1),
    "max_rows": (50,),
    "pns": (True, False),
    "max_parents": (1, 2),
    "n_crossval": (2, 3),
    "ridge": (1e-6, 10.0),
}


def trial(seed: int) -> Trial:
    """Return the trial of a seed."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    method = METHODS_TRIED[(seed // len(KINDS)) % len(METHODS_TRIED)]
    options: dict[str, Any] = {"method": method, "n_jobs": 1, "random_state": seed}
    known = METHODS[method].settings()
    for name, values in SETTINGS.items():
        if name in known and rng.uniform() < 0.15:
            options[name] = values[int(rng.integers(len(values)))]
    options["missing"] = str(rng.choice(["impute", "drop", "raise"], p=[0.7, 0.2, 0.1]))
    options["standardize"] = (None, None, True, False)[int(rng.integers(4))]
    if rng.uniform() < 0.15:
        options["transform"] = str(rng.choice(["rank", "log"]))
    if method == "auto" and rng.uniform() < 0.7:
        options["effort"] = "quick"
    table = kind(rng)
    if rng.uniform() < 0.4:
        table = _asked_more(table, options, rng)
    return Trial(kind.__name__.replace("_", " "), table, options)


def _asked_more(table: pd.DataFrame, options: dict[str, Any], rng: Rng) -> pd.DataFrame:
    """Say a kind, which columns were set, or the conditions, where `discover` knows of them."""
    asked = str(rng.choice(["kinds", "interventions", "environment"]))
    if asked not in ARGUMENTS:
        return table
    columns = list(table.columns)
    if asked == "kinds":
        some = rng.choice(len(columns), int(rng.integers(1, len(columns) + 1)), replace=False)
        options[asked] = {columns[j]: str(rng.choice(COLUMN_KINDS)) for j in some}
        return table
    options[asked] = "condition"
    labels = ["", "obs", "?", *map(str, columns)] if asked == "interventions" else ["obs", "A", "B", "C"]
    count = int(rng.integers(1, len(labels) + 1))
    drawn = rng.choice(labels[:count] if rng.uniform() < 0.5 else labels, len(table))
    return table.assign(condition=drawn)
