"""Time budgets: an answer within 1.3 times the budget, or with the quick answer if that takes longer.

Seconds are those of the processor, with one worker: what other work does on the same machine does not count.
"""

import time
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

import dagscale
from stress.judge import Outcome, attempt

KEPT = 1.3
BUDGETS = (2.0, 10.0)


def _many_levels(table: pd.DataFrame, levels: int) -> pd.DataFrame:
    """Cut every second column into so many levels without an order."""
    cut = {name: pd.qcut(table[name], levels, labels=False) for name in table.columns[::2]}
    return table.assign(**{name: "level " + codes.astype(str) for name, codes in cut.items()})


def _heavy(table: pd.DataFrame) -> pd.DataFrame:
    return table + np.random.default_rng(0).standard_t(1.5, size=table.shape)


# What `simulate` is asked for, and what is done to the table afterwards.
TABLES: tuple[tuple[str, dict[str, Any], Any], ...] = (
    ("small", {"nodes": 5, "samples": 200}, None),
    ("dense, 10 columns", {"nodes": 10, "edges_per_node": 4}, None),
    ("dense, 15 columns", {"nodes": 15, "edges_per_node": 4}, None),
    ("dense, 20 columns", {"nodes": 20, "edges_per_node": 4}, None),
    ("dense, neural networks", {"nodes": 20, "edges_per_node": 4, "mechanism": "mlp"}, None),
    ("40 columns", {"nodes": 40, "edges_per_node": 2}, None),
    ("60 columns", {"nodes": 60, "edges_per_node": 1, "samples": 500}, None),
    ("150 columns", {"nodes": 150, "samples": 500}, None),
    ("150 columns, dense", {"nodes": 150, "edges_per_node": 4, "samples": 500}, None),
    (
        "200 columns, Laplace noise",
        {"nodes": 200, "mechanism": "sigmoid-additive", "noise": "laplace"},
        None,
    ),
    ("200 columns, heavy tails", {"nodes": 200, "samples": 500}, _heavy),
    ("location-scale, 10 columns", {"nodes": 10, "edges_per_node": 2, "noise": "location-scale"}, None),
    ("location-scale, 20 columns", {"nodes": 20, "edges_per_node": 2, "noise": "location-scale"}, None),
    ("heavy tails, 20 columns", {"nodes": 20, "edges_per_node": 2}, _heavy),
    ("multiplicative noise", {"nodes": 10, "edges_per_node": 4, "noise": "multiplicative"}, None),
    ("linear Gaussian", {"nodes": 20, "edges_per_node": 2, "mechanism": "linear"}, None),
    ("12 levels, 8 columns", {"nodes": 8, "edges_per_node": 2}, lambda t: _many_levels(t, 12)),
    ("12 levels, 20 columns", {"nodes": 20, "edges_per_node": 2}, lambda t: _many_levels(t, 12)),
    ("5000 rows, 10 columns", {"nodes": 10, "edges_per_node": 2, "samples": 5000}, None),
    ("5000 rows, 20 columns", {"nodes": 20, "edges_per_node": 2, "samples": 5000}, None),
)


def kept(k: int) -> list[Outcome]:
    """Run `auto` under a budget on a table that takes long."""
    name, asked, damage = TABLES[k // len(BUDGETS)]
    table = dagscale.simulate(random_state=11, n_jobs=1, **asked).table
    table, budget = table if damage is None else damage(table), BUDGETS[k % len(BUDGETS)]
    return [attempt("budgets", f"{name}, {budget:g} s", _kept, table, budget)]


def _kept(table: pd.DataFrame, budget: float) -> list[str]:
    taken = _seconds(table, time_budget=budget)
    if taken <= KEPT * budget:
        return []
    quick = _seconds(table, effort="quick", time_budget=taken)  # longer than this it need not be
    return [] if taken <= KEPT * quick else [f"took {taken:.1f} s, the quick answer {quick:.1f} s"]


def _seconds(table: pd.DataFrame, **options: Any) -> float:
    """Return what a run takes by the clock of the processor, which the run's own deadline looks at as well."""
    started = time.process_time()
    with patch("time.monotonic", time.process_time):
        dagscale.discover(table, n_jobs=1, **options)
    return time.process_time() - started
