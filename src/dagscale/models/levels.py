"""A child of levels or counts given its parents: additive functions, tests, effects and residuals.

Binary, ordinal, categorical and count children have the families of `likelihood.families`; their predictors are sums
of few functions of every parent: the straight line and the smoothest curves of a number, any effect of a category's
levels. Weak normal priors keep a perfect prediction finite. A parent is tested by the likelihood ratio of the fits
with and without it, χ² with as many degrees of freedom as it has coefficients; its strength is the share of the
deviance that is lost without it, less what chance explains.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import chdtrc, ndtri

from dagscale.inputs.kinds import CATEGORICAL, COUNT, ORDERED
from dagscale.models.likelihood import laplace
from dagscale.models.likelihood.families import Categorical, Count, Ordinal
from dagscale.models.splines.curves import natural
from dagscale.models.splines.table import SplineTable
from dagscale.runtime.types import FloatArray, IntArray

FUNCTIONS = 3  # of a number as a parent
ROWS_EACH = 10  # rows not of the most frequent value that every coefficient needs
SIGNIFICANT = 2.0  # standard errors by which a line's coefficient must differ from zero to have a sign
DRAWS = 200  # of the coefficients, for intervals
INTERVAL = (0.025, 0.975)


@dataclass(frozen=True)
class LevelEffect:
    """What a child is at values of one parent, the others at their average.

    Attributes
    ----------
    x : (g,) float array
        Values of the parent.
    outcome, low, high : (g, K) float arrays
        Probability of every level, or of a count (K = 1) its mean, and the limits of 95% intervals.
    """

    x: FloatArray
    outcome: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class LevelFit:
    """A child's fitted probabilities.

    Attributes
    ----------
    table : SplineTable
        With `kinds`; columns that are not continuous hold codes or counts.
    child : int
    parents : tuple of int
        Those that vary.
    Z : (n, q) float array
        Functions of the parents, of mean square 1.
    widths : (p,) int array
        How many each parent has.
    fit : laplace.Fit
    """

    table: SplineTable
    child: int
    parents: tuple[int, ...]
    Z: FloatArray
    widths: IntArray
    fit: laplace.Fit

    @classmethod
    def of(cls, table: SplineTable, child: int, parents: Sequence[int] | IntArray) -> "LevelFit":
        """Fit the child on its parents; constant ones are left out."""
        varying = tuple(int(i) for i in parents if table.widths[i] > 0)
        family = family_of(table, child)
        rank = 1 + functions_each(table, child, len(varying))
        blocks = [table.term(i, rank)[0] * np.sqrt(table.n) for i in varying]
        Z = np.hstack([np.zeros((table.n, 0)), *blocks])
        widths = np.array([block.shape[1] for block in blocks], dtype=np.intp)
        return cls(table, child, varying, Z, widths, _fitted(family, Z))

    @property
    def starts(self) -> IntArray:
        """First function of each parent (p,)."""
        return np.cumsum(self.widths) - self.widths

    @cached_property
    def log_likelihood(self) -> float:
        """Of the child."""
        return _log_likelihood(self.fit, self.Z)

    @cached_property
    def alone(self) -> float:
        """Log likelihood of the child without parents."""
        return _log_likelihood(_fitted(family_of(self.table, self.child), self.Z[:, :0]), self.Z[:, :0])

    @cached_property
    def ratios(self) -> FloatArray:
        """Twice the log likelihood lost without each parent (p,)."""
        lost = []
        for start, width in zip(self.starts, self.widths, strict=True):
            rest = np.delete(self.Z, slice(start, start + width), axis=1)
            lost.append(self.log_likelihood - _log_likelihood(_fitted(self.fit.family, rest), rest))
        return np.asarray(2.0 * np.maximum(np.array(lost), 0.0))

    @property
    def free(self) -> IntArray:
        """Coefficients of each parent (p,)."""
        return self.widths * self.fit.family.predictors

    @property
    def p_values(self) -> FloatArray:
        """Of the likelihood ratio of each parent (p,)."""
        return np.asarray(chdtrc(self.free, self.ratios))

    @property
    def strengths(self) -> FloatArray:
        """Share of the child's deviance lost without each parent (p,), chance allowed for."""
        whole = 2.0 * max(self.fit.family.saturated() - self.alone, 1e-300)
        return np.asarray(np.clip((self.ratios - self.free) / whole, 0.0, 1.0))

    def without_last(self) -> "LevelFit":
        """Return the fit without the last parent, its other functions as they are."""
        Z, widths = self.Z[:, : self.starts[-1]], self.widths[:-1]
        return LevelFit(self.table, self.child, self.parents[:-1], Z, widths, _fitted(self.fit.family, Z))

    def last_over(self, without: "LevelFit") -> tuple[float, float]:
        """Return the last parent's p-value and strength, given the fit `without` it."""
        free, lost = float(self.free[-1]), 2.0 * max(self.log_likelihood - without.log_likelihood, 0.0)
        whole = 2.0 * max(self.fit.family.saturated() - without.alone, 1e-300)
        return float(chdtrc(free, lost)), float(np.clip((lost - free) / whole, 0.0, 1.0))

    @property
    def schwarz(self) -> float:
        """Nats over the child alone, less half the logarithm of the rows for every coefficient."""
        return self.log_likelihood - self.alone - 0.5 * float(self.free.sum()) * float(np.log(self.table.n))

    @cached_property
    def covariance(self) -> FloatArray:
        """Of α and the coefficients, predictor by predictor."""
        return laplace.covariance(self.fit, self.Z, *_no_curves(self.Z.shape[1]))

    @property
    def signs(self) -> IntArray:
        """Sign of each parent's line (p,), 0 where it does not differ from zero or one of the two has no order."""
        if self.table.kind(self.child) not in ORDERED:
            return np.zeros(len(self.parents), dtype=np.intp)
        slopes = self.fit.beta[0, self.starts]
        errors = np.sqrt(np.diagonal(self.covariance)[len(self.fit.alpha) + self.starts])
        ordered = np.array([self.table.kind(i) in ORDERED for i in self.parents], dtype=bool)
        clear = ordered & (np.abs(slopes) > SIGNIFICANT * errors)
        return np.where(clear, np.sign(slopes), 0).astype(np.intp)

    @property
    def residuals(self) -> FloatArray:
        """Randomised quantile residuals (n,): standard normal, independent of the parents, if the model is right.

        The random numbers depend on the child's values alone, so that the same table has the same residuals.
        """
        low, high = self.fit.family.limits(self.fit.alpha, self.Z @ self.fit.beta.T)
        rng = np.random.default_rng(zlib.crc32(np.ascontiguousarray(self.fit.family.y).tobytes()))
        u = low + rng.random(self.table.n) * (high - low)
        return np.asarray(ndtri(np.clip(u, 1e-9, 1.0 - 1e-9)))

    def partial(self, parent: int, x: FloatArray | int = 32) -> LevelEffect:
        """Return what the child is at values x of a parent, or at so many even steps over its range."""
        t = self.parents.index(parent)
        rows = self.table.data[:, parent]
        own = slice(self.starts[t], self.starts[t] + self.widths[t])
        knots, first = np.unique(rows, return_index=True)
        grid = np.linspace(knots[0], knots[-1], x) if isinstance(x, int) else x
        at = natural(knots, self.Z[first, own])(grid)
        a, m, q = len(self.fit.alpha), self.fit.family.predictors, self.Z.shape[1]
        where = np.concatenate([np.arange(a), *(a + k * q + np.arange(q)[own] for k in range(m))])
        spread = self.covariance[np.ix_(where, where)]
        mean = np.concatenate([self.fit.alpha, self.fit.beta[:, own].ravel()])
        draws = np.random.default_rng(0).multivariate_normal(mean, spread, DRAWS, method="eigh")
        told = [_outcome(self.fit.family, one[:a], at @ one[a:].reshape(m, -1).T) for one in (mean, *draws)]
        low, high = np.quantile(told[1:], INTERVAL, axis=0)
        return LevelEffect(grid, told[0], np.minimum(low, told[0]), np.maximum(high, told[0]))


def family_of(table: SplineTable, child: int) -> Any:
    """Return the family of a column of levels or counts."""
    y, kind = table.data[:, child], table.kind(child)
    if kind == COUNT:
        return Count.of(y)
    codes = np.unique(y, return_inverse=True)[1]
    return Categorical.of(codes) if kind == CATEGORICAL and codes.max(initial=0) > 1 else Ordinal(codes)


def functions_each(table: SplineTable, child: int, parents: int) -> int:
    """Return how many functions every number among so many parents gets."""
    return int(np.clip(most_parents(table, child) // max(parents, 1), 1, FUNCTIONS))


def most_parents(table: SplineTable, child: int) -> int:
    """Return how many coefficients the rows tell apart: those not of the most frequent value count."""
    times = np.unique(table.data[:, child], return_counts=True)[1]
    return (table.n - int(times.max())) // ROWS_EACH


def _no_curves(q: int) -> tuple[FloatArray, IntArray]:
    return np.zeros(q), np.zeros(q, dtype=np.intp)


def _fitted(family: Any, Z: FloatArray) -> laplace.Fit:
    return laplace.fit(family, Z, *_no_curves(Z.shape[1]))


def _log_likelihood(found: laplace.Fit, Z: FloatArray) -> float:
    at = found.family.derivatives(found.alpha, Z @ found.beta.T)
    assert at is not None
    return at.value


def _outcome(family: Any, alpha: FloatArray, eta: FloatArray) -> FloatArray:
    """Return the probability of every level (g, K), or the mean (g, 1) of a count, at predictors (g, m)."""
    if isinstance(family, Count):
        return np.exp(np.clip(alpha + eta, -30.0, 30.0))
    alpha = (
        np.sort(alpha) if isinstance(family, Ordinal) else alpha
    )  # a drawn pair of thresholds may have crossed
    shares = []
    for level in range(int(np.max(family.y)) + 1):
        low, high = replace(family, y=np.full(len(eta), level)).limits(alpha, eta)
        shares.append(high - low)
    return np.stack(shares, axis=1)
