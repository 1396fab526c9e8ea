"""What a child of levels or counts is given its predictors: families of probabilities and their derivatives.

    categorical  P(y = k) ∝ exp((C (α + η))_k),   C (K, K - 1) orthonormal contrasts: no level is the first one
    ordinal      P(y <= k) = F(α_k - η),   F the logistic function; two levels are ordinal
    count        negative binomial of mean exp(α + η) and size r, fitted along; Poisson's law is its limit
    grouped      a count as an ordinal of at most `GROUPS` groups, within a group as the negative binomial has it

α is free, η (n, m) are the predictors, one or, of categories, K - 1. All derivatives are of the log likelihood, the
second ones Fisher's information. `own` is the evidence of the child alone, in nats; what a family's marginal has less
than the best one of its column is the family's `offset`, so that a column has one reference (see `columns.py`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import betainc, digamma, gammaln, polygamma

from dagscale.inputs.kinds import CATEGORICAL, COUNT
from dagscale.runtime.types import FloatArray, IntArray

LEAST = 1e-10  # probability of a level
GROUPS = 12  # of a count's values
HOPELESS = 15.0  # nats: a family whose marginal has so much less than the other's is left out
SIZES = (-4.0, 8.0)  # of log r over the mean: beyond, the law is Poisson's
FARTHEST = 30.0  # of a log mean
CLOSE = 1e-3  # of log r


class Derivatives(NamedTuple):
    """Of the log likelihood at α (a,) and η (n, m).

    Attributes
    ----------
    value : float
        Log likelihood.
    alpha, eta : (a,) and (n, m) float arrays
        First derivatives.
    information : (a, a) float array
    across : (a, n, m) float array
    weight : (n, m, m) float array
    """

    value: float
    alpha: FloatArray
    eta: FloatArray
    information: FloatArray
    across: FloatArray
    weight: FloatArray


def _of_one(value: float, g: FloatArray, w: FloatArray) -> Derivatives:
    """Return the derivatives of a predictor to which α is added: slopes and weights of the rows (n,)."""
    slope, weight = g.sum(keepdims=True), w.sum(keepdims=True)[None]
    return Derivatives(value, slope, g[:, None], weight, w[None, :, None], w[:, None, None])


@dataclass(frozen=True)
class Family(ABC):
    """The probabilities of one child.

    Attributes
    ----------
    y : (n,) array
        Levels 0, 1 ..., all present, or counts.
    offset : float
        Nats of its marginal over the best of the column.
    line_variance : float
        Prior variance of the coefficient of a straight line of mean square 1.
    """

    y: Any
    offset: float = field(default=0.0, kw_only=True)
    line_variance: ClassVar[float] = 4.0

    @property
    def predictors(self) -> int:
        """Return m."""
        return 1

    @cached_property
    def alone(self) -> Derivatives:
        """Return the derivatives without predictors, where there are any."""
        at = self.derivatives(self.start(), np.zeros((len(self.y), self.predictors)))
        assert at is not None
        return at

    def fitted_to(self, alpha: FloatArray, eta: FloatArray) -> Self:
        """Return the family with what else it has fitted at α and η: nothing, for levels."""
        return self

    def saturated(self) -> float:
        """Return the log likelihood of a predictor for each row: every row's level is certain."""
        return 0.0

    @abstractmethod
    def start(self) -> FloatArray:
        """Return α without predictors."""

    @abstractmethod
    def derivatives(self, alpha: FloatArray, eta: FloatArray) -> Derivatives | None:
        """Differentiate at α and η; None where α is not valid."""

    @abstractmethod
    def limits(self, alpha: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(Y < y) and P(Y <= y) of every row (n,); levels in the order of their codes."""


@dataclass(frozen=True)
class Categorical(Family):
    """Levels without an order."""

    contrasts: FloatArray  # (K, K - 1)

    @classmethod
    def of(cls, y: IntArray) -> "Categorical":
        """Choose contrasts; any are as good."""
        K = int(y.max()) + 1
        return cls(y, np.linalg.svd(np.eye(K) - 1.0 / K)[0][:, : K - 1])

    @property
    def predictors(self) -> int:
        """K - 1."""
        return int(self.contrasts.shape[1])

    def start(self) -> FloatArray:
        """Return the contrasts of the log frequencies."""
        return np.asarray(np.log(np.bincount(self.y)) @ self.contrasts)

    def shares(self, alpha: FloatArray, eta: FloatArray) -> FloatArray:
        """Return the probabilities of all levels in every row (n, K)."""
        # (K, n): sums over few levels are fast along the first axis alone
        P = self.contrasts @ (alpha + eta).T
        P -= P.max(axis=0)
        np.exp(P, out=P)
        P /= P.sum(axis=0)
        return np.asarray(np.maximum(P, LEAST, out=P).T)

    def derivatives(self, alpha: FloatArray, eta: FloatArray) -> Derivatives:
        """Differentiate at α and η."""
        P, C = self.shares(alpha, eta), self.contrasts
        PC = C.T @ P.T  # (m, n)
        g = C[self.y] - PC.T
        squares = (C[:, :, None] * C[:, None, :]).reshape(len(C), -1)
        W = (squares.T @ P.T).reshape(len(PC), *PC.shape) - PC[:, None] * PC  # (m, m, n)
        value = float(np.log(P[np.arange(len(P)), self.y]).sum())
        return Derivatives(value, g.sum(axis=0), g, W.sum(axis=2), W.transpose(0, 2, 1), W.transpose(2, 0, 1))

    def limits(self, alpha: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(Y < y) and P(Y <= y), levels in the order of their codes."""
        P, rows = self.shares(alpha, eta), np.arange(len(self.y))
        up_to = np.cumsum(P, axis=1)[rows, self.y]
        return up_to - P[rows, self.y], up_to


@dataclass(frozen=True)
class Ordinal(Family):
    """Levels in order.

    Levels have probabilities, not densities; a density over rounding cells has the same factor with and without
    parents, so that its nats compare with those of other columns.
    """

    def start(self) -> FloatArray:
        """Return the log odds of the cumulative frequencies."""
        below = np.cumsum(np.bincount(self.y))[:-1] / len(self.y)
        return np.asarray(np.log(below / (1.0 - below)))

    def derivatives(self, alpha: FloatArray, eta: FloatArray) -> Derivatives | None:
        """Differentiate at α and η."""
        if len(alpha) == 1:  # the same, in a third of the time
            p = self._cumulative(alpha, eta)[1]
            g, w = self.y - 1.0 + p, p * (1.0 - p)
            value = float(np.log(np.maximum(np.where(self.y == 0, p, 1.0 - p), LEAST)).sum())
            one = _of_one(value, g, w)
            return one._replace(alpha=-one.alpha, across=-one.across)
        if (np.diff(alpha) <= 0).any():
            return None
        y, K, rows = self.y, len(alpha) + 1, np.arange(len(self.y))
        F = self._cumulative(alpha, eta)
        around = F * (1.0 - F)
        f = around[1:-1]
        fall = around[1:] - around[:-1]  # f_k - f_{k-1}, (K, n)
        inverse = 1.0 / np.maximum(F[1:] - F[:-1], LEAST)  # of the levels' probabilities (K, n)
        share = fall * inverse
        own = inverse[y, rows]
        above, below = around[y + 1, rows] * own, around[y, rows] * own
        slope: FloatArray = np.asarray(
            np.bincount(y, above, K)[:-1] - np.bincount(y, below, K)[1:], dtype=np.float64
        )
        beside = -(f[:-1] * f[1:] * inverse[1:-1]).sum(axis=1)
        information = np.diag((f * f * (inverse[:-1] + inverse[1:])).sum(axis=1))
        information += np.diag(beside, 1) + np.diag(beside, -1)
        across = f * (share[1:] - share[:-1])
        weight = (fall * share).sum(axis=0)
        return Derivatives(
            -float(np.log(own).sum()), slope, (below - above)[:, None], information, across[:, :, None],
            weight[:, None, None],
        )  # fmt: skip

    def limits(self, alpha: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(Y < y) and P(Y <= y)."""
        F, rows = self._cumulative(alpha, eta), np.arange(len(self.y))
        return F[self.y, rows], F[self.y + 1, rows]

    def _cumulative(self, alpha: FloatArray, eta: FloatArray) -> FloatArray:
        """Return P(Y < k), k = 0 .. K, of every row (K + 1, n)."""
        found = np.zeros((len(alpha) + 2, len(eta)))
        found[1:-1] = 1.0 / (1.0 + np.exp(np.clip(eta[:, 0] - alpha[:, None], -35.0, 35.0)))
        found[-1] = 1.0
        return found


@dataclass(frozen=True)
class Count(Family):
    """Counts of a negative binomial law."""

    log_size: float
    line_variance: ClassVar[float] = 1.0

    @classmethod
    def of(cls, y: FloatArray) -> "Count":
        """Fit the size of counts alone."""
        plain = cls(y, np.log(max(y.mean(), 1e-9)) + SIZES[1])
        return plain.fitted_to(plain.start(), np.zeros((len(y), 1)))

    def start(self) -> FloatArray:
        """Return the log of the mean."""
        return np.array([np.log(max(self.y.mean(), 1e-9))])

    def _mean(self, alpha: FloatArray, eta: FloatArray) -> FloatArray:
        return np.asarray(np.exp(np.clip(alpha + eta[:, 0], -FARTHEST, FARTHEST)))

    def fitted_to(self, alpha: FloatArray, eta: FloatArray) -> "Count":
        """Return the family with the likeliest size at these means, by Newton's method on its logarithm."""
        mu, low = self._mean(alpha, eta), np.log(max(self.y.mean(), 1e-9))
        values, times = np.unique(self.y, return_counts=True)
        at = float(np.clip(self.log_size, low + SIZES[0], low + 3.0))
        for _ in range(30):
            r = np.exp(at)
            inner = times @ (digamma(values + r) - digamma(r)) + float(
                (np.log(r / (r + mu)) + (mu - self.y) / (r + mu)).sum()
            )
            bend = times @ (polygamma(1, values + r) - polygamma(1, r)) + float(
                (1.0 / r - 1.0 / (r + mu) - (mu - self.y) / (r + mu) ** 2).sum()
            )
            slope, curvature = r * inner, r * inner + r * r * bend
            step = slope / max(-curvature, 0.1 * abs(slope) + 1e-9)
            after = float(np.clip(at + np.clip(step, -1.5, 1.5), low + SIZES[0], low + SIZES[1]))
            if abs(after - at) < CLOSE:
                break
            at = after
        return self if abs(after - self.log_size) < CLOSE else Count(self.y, after, offset=self.offset)

    def log_probability(self, mu: FloatArray) -> FloatArray:
        """Return the log probability of every row (n,) at its mean."""
        r, y = np.exp(self.log_size), self.y
        return np.asarray(
            gammaln(y + r) - gammaln(r) - gammaln(y + 1.0) - r * np.log1p(mu / r) + y * np.log(mu / (r + mu))
        )

    def derivatives(self, alpha: FloatArray, eta: FloatArray) -> Derivatives:
        """Differentiate at α and η."""
        mu, r = self._mean(alpha, eta), np.exp(self.log_size)
        shrunk = r / (r + mu)
        g, w = (self.y - mu) * shrunk, mu * shrunk
        value = float(self.log_probability(mu).sum())
        return _of_one(value, g, w)

    def below(self, counts: FloatArray, mu: FloatArray) -> FloatArray:
        """Return P(Y < counts) at means mu."""
        r = np.exp(self.log_size)
        return np.where(counts > 0, betainc(r, np.maximum(counts, 1.0), r / (r + mu)), 0.0)

    def limits(self, alpha: FloatArray, eta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return P(Y < y) and P(Y <= y)."""
        mu = self._mean(alpha, eta)
        return self.below(self.y, mu), self.below(self.y + 1.0, mu)

    def saturated(self) -> float:
        """Return the log likelihood of counts that equal their means."""
        return float(self.log_probability(np.maximum(self.y, 1e-9)).sum())


def families_of(kind: str, levels: IntArray) -> list[Family]:
    """Return the families that compete for a column of levels or counts (n,)."""
    if kind == CATEGORICAL:
        return [Categorical.of(levels)]
    if kind == COUNT:
        return _for_counts(levels)
    return [Ordinal(levels)]


def _for_counts(counts: IntArray) -> list[Family]:
    """Return the negative binomial family and groups, with what each marginal has less than the better one."""
    n = len(counts)
    law = Count.of(counts.astype(np.float64))
    mean = np.exp(law.start())
    log_p = law.log_probability(np.full(n, mean[0]))
    ends = np.unique(np.quantile(counts, np.linspace(0.0, 1.0, GROUPS + 1)[1:-1], method="inverted_cdf"))
    groups = np.unique(np.searchsorted(ends, counts), return_inverse=True)[1]
    if groups.max() < 1:
        return [law]
    last = np.array([counts[groups == g].max() for g in range(groups.max() + 1)], dtype=np.float64)
    up_to = np.append(law.below(last[:-1] + 1.0, np.full(len(last) - 1, mean[0])), 1.0)
    mass = np.maximum(np.diff(np.append(0.0, up_to)), 1e-300)
    share = np.bincount(groups) / n
    free = float(log_p.sum() + np.log(share / mass)[groups].sum()) - 0.5 * len(share) * np.log(n)
    fixed = float(log_p.sum()) - np.log(n)  # a mean and a size
    best = max(free, fixed)
    both: list[Family] = [
        Count(law.y, law.log_size, offset=fixed - best),
        Ordinal(groups, offset=free - best),
    ]
    return [family for family in both if family.offset > -HOPELESS]
