"""What must not count: the order of the columns, their units, the number of workers."""

from typing import Any

import numpy as np
import pandas as pd

import dagscale
from stress.judge import Outcome, attempt
from stress.tables import functions, integers, sums, ties

METHODS = ("auto", "das", "score", "nogam", "cam")
DEGENERATE = (ties, sums, functions, integers)
FIRST = 2000  # seed of the first table


def invariant(k: int) -> list[Outcome]:
    """Try an ordinary table with every method."""
    seed = FIRST + k
    made = dagscale.simulate(nodes=5, samples=120, random_state=seed, n_jobs=1).table
    rng = np.random.default_rng(seed)
    shuffled = made[rng.permutation(made.columns)]
    scaled = made * 10.0 ** rng.uniform(-3, 3, made.shape[1])
    variants = (("column order", shuffled, 1), ("units", scaled, 1), ("workers", made, 2))
    spoilt = DEGENERATE[k % len(DEGENERATE)](rng)
    turned, what_ties = spoilt[rng.permutation(spoilt.columns)], "column order, ties and exact dependence"
    outcomes = []
    for method in METHODS:
        plain = _links(made, method, n_jobs=1)
        for what, table, workers in variants:
            label = f"{method}, seed {seed}"
            outcomes.append(attempt(f"invariance: {what}", label, _same, plain, table, method, workers))
        tied = f"{method}, seed {seed}, {DEGENERATE[k % len(DEGENERATE)].__name__}"
        outcomes.append(attempt(f"invariance: {what_ties}", tied, _both, spoilt, turned, method))
    return outcomes


def _links(table: pd.DataFrame, method: str, n_jobs: int) -> set[Any]:
    options = {"effort": "quick"} if method == "auto" else {"standardize": True}
    numbers = dict.fromkeys(table.columns, "continuous")
    edges = dagscale.discover(table, method, n_jobs=n_jobs, kinds=numbers, **options).edges
    return set(zip(edges["source"], edges["target"], strict=True))


def _same(plain: set[Any], table: pd.DataFrame, method: str, n_jobs: int) -> list[str]:
    found = _links(table, method, n_jobs)
    return [f"other edges: {sorted(plain ^ found)}"] if found != plain else []


def _both(table: pd.DataFrame, other: pd.DataFrame, method: str) -> list[str]:
    return _same(_links(table, method, n_jobs=1), other, method, n_jobs=1)
