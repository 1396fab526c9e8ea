"""Columns that somebody set: a designed experiment crosses its factors more evenly than chance ever does.

In a factorial experiment every level of one factor meets every level of another equally often. In rows drawn at random
such counts scatter, however the columns depend on each other. Let e_ij = r_i c_j / n be the count of a cell that the
margins of a table make even, and X² = Σ_ij (n_ij - e_ij)² / e_ij. Cells of Poisson's law, given their margins, are the
table of two independent columns; so for all t > 0, by Markov's inequality,

    P(X² <= x | margins) <= exp(t x) Π_ij E exp(-t (Pois(e_ij) - e_ij)² / e_ij) / P(margins),
    P(margins) = Π_i Pois(r_i; r_i) Π_j Pois(c_j; c_j) / Pois(n; n),

with equality for X² = 0 and t to infinity. Where this is below `CHANCE` the two are crossed by design. Of two columns
that are crossed one may still be no more than a property of what was used again and again: patients, each measured at
every visit, hulls, each towed at every speed. So a column passes for set only if

- its values, three or more, are equally frequent;
- no other column is crossed with the same ones without being crossed with it: a patient has many properties;
- where every combination occurs once, its values are evenly spaced: properties are not. Numbers from 0 or 1 on may
  then be the objects' own.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import gammaln

from dagscale.runtime.types import FloatArray, IntArray

CHANCE = 1e-6  # that columns drawn at random are crossed so evenly, all pairs of a table together
LEVELS = 3  # at least: with two, cases and their controls would pass for set
ROWS = 0.9  # at least, for each combination, on average
MISSING = 3  # rows of a level, at most
EVEN = 1e-3  # of a step: rounding of values that are evenly spaced
LOOKED_AT = 2000  # rows that tell whether a column has few values
TILTS = 2.0 ** np.arange(-1, 15)  # t


class Factor(NamedTuple):
    """A column that was set.

    Attributes
    ----------
    column : int
    crossed : tuple of int
        Columns that it is crossed with.
    once : bool
        Whether every combination occurs once.
    """

    column: int
    crossed: tuple[int, ...]
    once: bool


def factors(X: FloatArray) -> list[Factor]:
    """Return the columns of X (n, d) that were set in an experiment, as far as their combinations tell."""
    n, d = X.shape
    places = {j: pd.factorize(X[:, j])[0] for j in range(d) if _few(X[:, j])}
    places = {j: place for j, place in places.items() if place.max() > 0}
    least = np.log(CHANCE) - np.log(max(d * (d - 1) // 2, 1))
    found = []
    for j in (j for j, place in places.items() if _balanced(place)):
        even = {k: chance for k in places if k != j and (chance := log_chance(places[j], places[k])) <= 0.0}
        if not even:
            continue
        together = np.unique(X[:, list(even)], axis=0, return_inverse=True)[1].reshape(-1)
        if min(log_chance(places[j], together), *even.values()) > least:
            continue
        others = [k for k in places if k != j and k not in even]
        if any(log_chance(places[k], places[m]) < least for k in others for m in even):
            continue
        once = n < 2 * (places[j].max() + 1) * (together.max() + 1)
        if not once or _spaced(np.unique(X[:, j])):
            found.append(Factor(j, tuple(even), bool(once)))
    return found


def log_chance(a: IntArray, b: IntArray) -> float:
    """Log of the most that the probability of so even a table of two columns can be; inf if it is plainly not even.

    Columns (n,) are given as places of their values. All cells must be within 1 of what their margins make even.
    """
    n, shape = len(a), (int(a.max()) + 1, int(b.max()) + 1)
    if ROWS * shape[0] * shape[1] > n:
        return np.inf
    counts = np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1]).reshape(shape)
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    even = np.outer(rows, columns) / n
    if (np.abs(counts - even) >= 1.0).any():
        return np.inf
    margins = [float(_log_poisson(one, one).sum()) for one in (rows, columns, np.array([n]))]
    off = float(((counts - even) ** 2 / even).sum())
    cells, times = np.unique(np.round(even, 9), return_counts=True)
    k = np.arange(int(cells.max() + 10.0 * np.sqrt(cells.max())) + 10)
    log_p, square = _log_poisson(k, cells[:, None]), (k - cells[:, None]) ** 2 / cells[:, None]
    bounds = [t * off + float(times @ np.logaddexp.reduce(log_p - t * square, axis=1)) for t in TILTS]
    return float(min(min(bounds) - margins[0] - margins[1] + margins[2], 0.0))


def _few(x: FloatArray) -> bool:
    """Say whether a column (n,) has so few values that they can be crossed."""
    step = max(1, len(x) // LOOKED_AT)
    return len(np.unique(x[::step])) <= len(x[::step]) / 2


def _balanced(place: IntArray) -> bool:
    """Say whether values, enough of them, are equally frequent."""
    counts = np.bincount(place)
    each = len(place) / len(counts)
    return len(counts) >= LEVELS and bool(np.abs(counts - each).max() <= MISSING)


def _spaced(values: FloatArray) -> bool:
    """Say whether values (k,), sorted, are evenly spaced, or their logarithms, and no numbers from 0 or 1 on."""
    if values[0] in (0.0, 1.0) and (np.diff(values) == 1.0).all():
        return False
    for one in (values, np.log(values)) if values[0] > 0 else (values,):
        steps = np.diff(one)
        if np.abs(steps - steps.mean()).max() < EVEN * steps.mean():
            return True
    return False


def _log_poisson(k: FloatArray | IntArray, mean: FloatArray | IntArray) -> FloatArray:
    return np.asarray(k * np.log(mean) - mean - gammaln(k + 1.0), dtype=np.float64)
