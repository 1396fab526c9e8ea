"""What must not count: the order of the columns, their units, the number of workers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import dagscale
from stress.judge import Outcome, attempt

METHODS = ("auto", "das", "score", "nogam", "cam")
FIRST = 2000  # seed of the first table


def invariances(count: int) -> Iterator[Outcome]:
    """Try so many ordinary tables with every method."""
    for seed in range(FIRST, FIRST + count):
        made = dagscale.simulate(nodes=5, samples=120, random_state=seed, n_jobs=1).table
        rng = np.random.default_rng(seed)
        shuffled = made[rng.permutation(made.columns)]
        scaled = made * 10.0 ** rng.uniform(-3, 3, made.shape[1])
        for method in METHODS:
            plain = _links(made, method, n_jobs=1)
            for what, table, workers in (
                ("column order", shuffled, 1),
                ("units", scaled, 1),
                ("workers", made, 2),
            ):
                label = f"{method}, seed {seed}"
                yield attempt(f"invariance: {what}", label, _same, plain, table, method, workers)


def _links(table: pd.DataFrame, method: str, n_jobs: int) -> set[Any]:
    options = {"effort": "quick"} if method == "auto" else {"standardize": True}
    edges = dagscale.discover(table, method, n_jobs=n_jobs, **options).edges
    return set(zip(edges["source"], edges["target"], strict=True))


def _same(plain: set[Any], table: pd.DataFrame, method: str, n_jobs: int) -> list[str]:
    found = _links(table, method, n_jobs)
    return [f"other edges: {sorted(plain ^ found)}"] if found != plain else []
