"""Columns of other kinds than continuous, cut from a continuous one before their children are made.

binary
    0 or 1: below or above a threshold between the 30% and the 70% quantile.
categorical
    Three levels without an order: intervals of about a third of the rows each, whose codes 0, 1, 2 are
    shuffled; "a", "b", "c" in the table. A child sees the code, so levels that are neighbours in the code
    need not be neighbours in what they were cut from.
count
    Poisson, its log rate linear in the standardised column.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    import pandas as pd

CONTINUOUS = "continuous"
DISCRETE = ("binary", "categorical", "count")
LEVELS = ("a", "b", "c")
MEAN_RATE, LOG_RATE_SPREAD = 3.0, 0.5  # of a count, at the mean of the column and per standard deviation


def draw_kinds(d: int, share: float, rng: np.random.Generator) -> list[str]:
    """Make round(share d) random columns discrete, the three kinds in turn."""
    kinds = [CONTINUOUS] * d
    for i, j in enumerate(rng.permutation(d)[: round(share * d)]):
        kinds[j] = DISCRETE[i % len(DISCRETE)]
    return kinds


def cut(x: FloatArray, kind: str, reference: BoolArray, rng: np.random.Generator) -> FloatArray:
    """Return codes or counts in place of a continuous column.

    Parameters
    ----------
    x : (n,) array
    kind : {"continuous", "binary", "categorical", "count"}
    reference : (n,) bool array
        The rows that quantiles, mean and variance are taken from: those without an intervention.
    rng : numpy Generator

    Returns
    -------
    (n,) array
        Whole numbers as floats; x itself if it stays continuous.
    """
    if kind == CONTINUOUS:
        return x
    if kind == "count":
        return _counted(x, reference, rng)
    binary = kind == "binary"
    shares = [rng.uniform(0.3, 0.7)] if binary else [rng.uniform(0.25, 0.4), rng.uniform(0.6, 0.75)]
    codes = np.searchsorted(np.quantile(x[reference], shares), x)
    return (codes if binary else rng.permutation(len(LEVELS))[codes]).astype(np.float64)


def as_columns(X: FloatArray, names: list[str], kinds: list[str]) -> "pd.DataFrame":
    """Return the table: floats, whole numbers for binary columns and counts, texts for categories."""
    import pandas as pd

    table = pd.DataFrame(X, columns=names)
    discrete = [j for j, kind in enumerate(kinds) if kind != CONTINUOUS]
    if not discrete:
        return table
    columns: list[Any] = [table.iloc[:, j] for j in range(len(names))]
    for j in discrete:
        codes = X[:, j].astype(np.int64)
        texts = kinds[j] == "categorical"
        made: Any = pd.Categorical(np.array(LEVELS, dtype=object)[codes], LEVELS) if texts else codes
        columns[j] = pd.Series(made, name=names[j])
    mixed: pd.DataFrame = pd.concat(columns, axis=1)
    return mixed


def _counted(x: FloatArray, reference: BoolArray, rng: np.random.Generator) -> FloatArray:
    z = (x - x[reference].mean()) / (x[reference].std() or 1.0)
    rate = MEAN_RATE * np.exp(LOG_RATE_SPREAD * np.clip(z, -3, 3))
    counts: FloatArray = rng.poisson(rate).astype(np.float64)
    return counts
