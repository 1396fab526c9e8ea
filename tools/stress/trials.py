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


# `auto` has most code, so it has most turns.
METHODS_TRIED = (*METHODS, "auto", "auto", "auto")
FITTING = 0.7  # share of kinds and conditions that are made to fit the table; the others are mostly refused

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
    "pruning": ("additive", "evidence"),
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
    if method == "grandag":
        options["steps"] = 50
    table = kind(rng)
    if rng.uniform() < 0.4:
        table = _asked_more(table, options, rng)
    return Trial(kind.__name__.replace("_", " "), table, options)


def _asked_more(table: pd.DataFrame, options: dict[str, Any], rng: Rng) -> pd.DataFrame:
    """Say a kind, which columns were set, or the conditions, where `discover` knows of them."""
    asked = str(rng.choice(["kinds", "interventions", "environment"]))
    if asked not in ARGUMENTS:
        return table
    fitting = bool(rng.uniform() < FITTING)
    if asked == "kinds":
        some = rng.choice(table.shape[1], int(rng.integers(1, table.shape[1] + 1)), replace=False)
        kinds = {int(j): str(rng.choice(COLUMN_KINDS)) for j in some}
        options[asked] = {table.columns[j]: kind for j, kind in kinds.items()}
        return _of_kinds(table, kinds, rng) if fitting else table
    options[asked] = "condition"
    labels = (
        ["", "obs", "?", *map(str, table.columns)] if asked == "interventions" else ["obs", "A", "B", "C"]
    )
    if fitting:  # rows enough for every condition
        few = rng.choice(labels, int(rng.integers(1, 1 + max(1, len(table) // 30))))
        return table.assign(condition=rng.permutation(np.resize(["obs", *few], len(table))))
    count = int(rng.integers(1, len(labels) + 1))
    drawn = rng.choice(labels[:count] if rng.uniform() < 0.5 else labels, len(table))
    return table.assign(condition=drawn)


def _of_kinds(table: pd.DataFrame, kinds: dict[int, str], rng: Rng) -> pd.DataFrame:
    """Make columns what they are said to be, by the ranks of their values."""
    table = table.copy()
    for j, kind in kinds.items():
        if kind == "continuous":
            continue
        ranks = table.iloc[:, j].rank(pct=True).fillna(0.5).to_numpy()
        levels = 2 if kind == "binary" else int(rng.integers(2, 9))
        codes = np.minimum((levels * ranks**2).astype(int), levels - 1)
        table.isetitem(j, np.array(list("abcdefgh"))[codes] if kind == "categorical" else codes)
    return table
