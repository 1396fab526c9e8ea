"""Noise in proportion to a straight-line mean: children that are a sum of their parents, times noise of any shape.

    log(y + c) = log(b₀ + Σᵢ bᵢ xᵢ) + e,

in the coordinates of the data. An additive curve of logarithms cannot be the logarithm of a sum, and where noise
multiplies, one parent may hide the others. c moves the origin, since tables may be standardised. All of (b, c) are
found by maximum likelihood with skew-normal noise, of density 2 φ(e / s) Φ(α e / s) / s: a normal error beside a
one-sided one, the stochastic frontier of Aigner, Lovell and Schmidt (1977), with α = 0 log-normal noise. Where e is
sharp at one end, as in x = exp(log Σ parents + |e|), it tells of parents that least squares do not see. α costs
½ log n, and each of p + 1 coefficients ½ log(n I) of the information I of e about its place, times its variance: what
sharp noise tells more sharply is paid for. c and s have their like in the child alone. The skew-normal density and one
of free shape (`density.py`) have equal odds, and so have this model and the curves of another likelihood.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_ndtr

from dagscale.models.gain import Item
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.density import shape_evidence
from dagscale.models.likelihood.spline_gain import TOGETHER, Noises, Told, remembered
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray

SHARPEST = 100.0  # |α|: an edge is blurred by a hundredth of s at least
NEAREST = 1e-3  # of the gap between low values: the least of them is so far above the origin at least
FARTHEST = 100.0  # means of the child: the origin is so far below it at most
NARROWEST = 1e-3  # s
STARTED = 12  # rounds from which the likelihood is climbed
STEPS = 40
HALVED = 1e-4  # share of a step that is still tried
ENOUGH = 0.02  # nats of a step
FOLLOWS = 0.25  # correlation of the size of a residual with the mean, from which on noise may be proportional


class Line(NamedTuple):
    """One child as a line times noise.

    Attributes
    ----------
    nats : float
        Log likelihood with skew-normal noise, α paid for, up to what normal densities have in common.
    price : float
        Of the coefficients.
    noise : (n,) float array
        e.
    raised : (n,) float array
        log(y + c): what the logarithm takes off the log density of e.
    """

    nats: float
    price: float
    noise: FloatArray
    raised: FloatArray


class _At(NamedTuple):
    """A place on the way: log likelihood, the line, y + c, e / s, log Φ, s, and c above its least value."""

    nats: float
    line: FloatArray
    raised: FloatArray
    z: FloatArray
    log_half: FloatArray
    s: float
    above: float


def fit_line(P: FloatArray, y: FloatArray) -> Line:
    """Fit a child y (n,) to its parents P (n, p)."""
    (n, p), P, y = P.shape, P - P.min(axis=0), y - y.min()
    P = P[:, P.max(axis=0) > 0]
    Q = np.column_stack([np.ones(n), P / P.mean(axis=0)])
    low = NEAREST * float(np.partition(y, min(9, n - 1))[:10].max()) / 9.0 + 1e-9 * float(y.mean())
    first, sign = _start(Q, y, low)
    with np.errstate(all="ignore"):  # a step too far has no likelihood, and is halved
        at, theta = _climbed(Q, y, low, first(sign))
        if abs(theta[-1]) < 1.0:  # α = 0 is stationary, whatever the data: the other sign may lead elsewhere
            at, theta = max((at, theta), _climbed(Q, y, low, first(-sign)), key=lambda one: one[0].nats)
        information = float(np.mean((theta[-1] * _hazard(at, theta[-1]) - at.z) ** 2)) * float(at.z.var())
    paid = 0.5 * (p + 1) * np.log(n * max(1.0, information))
    return Line(at.nats + 0.5 * (n - np.log(n)), paid, at.z * at.s, np.log(at.raised))


def _start(Q: FloatArray, y: FloatArray, low: float) -> tuple[Any, float]:
    """Return starting values by the sign of α, and the likelier sign: a line of positive slopes by gamma noise."""
    above = max(low, 1e-4 * float(y.mean()))
    Y = y + low + above
    b = np.full(Q.shape[1], Y.mean() / Q.shape[1])
    for _ in range(STARTED):  # each round multiplies, and gains (Lee and Seung 2000)
        w = 1.0 / (Q @ b)
        b *= np.sqrt((Q.T @ (Y * w * w)) / (Q.T @ w))
    e = np.log(Y) - np.log(Q @ b)
    middle, deviation = float(e.mean()), max(float(e.std()), NARROWEST)
    delta = 3.0 / np.sqrt(10.0)

    def first(sign: float) -> FloatArray:
        s = deviation / np.sqrt(1.0 - 2.0 * delta**2 / np.pi)
        moved = b * np.exp(middle - sign * s * delta * np.sqrt(2.0 / np.pi))
        return np.concatenate([moved, [np.log(above), np.log(s), sign * 3.0]])

    return first, 1.0 if np.mean((e - middle) ** 3) >= 0 else -1.0


def _climbed(Q: FloatArray, y: FloatArray, low: float, theta: FloatArray) -> tuple[_At, FloatArray]:
    """Climb the likelihood by Fisher scoring."""
    at, most = _likelihood(Q, y, low, theta), np.log(FARTHEST * float(y.mean()))
    assert at is not None
    for _ in range(STEPS):
        (g, H), alpha = _scored(Q, at, theta), theta[-1]
        free = np.ones(len(g), dtype=bool)
        free[-1] = abs(alpha) < SHARPEST or g[-1] * alpha < 0
        size = np.sqrt(np.diag(H)) + 1e-300
        H = H / np.outer(size, size) + 1e-8 * np.eye(len(g))
        step = np.zeros(len(g))
        step[free] = np.linalg.solve(H[np.ix_(free, free)], (g / size)[free]) / size[free]
        step /= max(1.0, *(np.abs(step[-3:]) / [2.0, 0.7, max(2.0, 0.7 * abs(alpha))]).tolist())
        share, better = 1.0, None
        while share > HALVED:
            there = theta + share * step
            there[-3:] = np.clip(
                there[-3:], [-np.inf, np.log(NARROWEST), -SHARPEST], [most, np.inf, SHARPEST]
            )
            better = _likelihood(Q, y, low, there)
            if better is not None and better.nats > at.nats + 0.05 * share * float(g @ step):
                break
            share, better = share / 2.0, None
        if better is None:
            break
        gained, at, theta = better.nats - at.nats, better, there
        if gained < ENOUGH:
            break
    return at, theta


def _likelihood(Q: FloatArray, y: FloatArray, low: float, theta: FloatArray) -> _At | None:
    """Return the log likelihood, ½ log 2π a row left out; None where the line is not positive."""
    line = Q @ theta[:-3]
    if not line.min() > 0:
        return None
    above, s, alpha = float(np.exp(theta[-3])), float(np.exp(theta[-2])), theta[-1]
    raised = y + (low + above)
    log_raised = np.log(raised)
    z = (log_raised - np.log(line)) / s
    log_half = log_ndtr(alpha * z)
    nats = len(y) * (np.log(2.0) - theta[-2]) - 0.5 * float(z @ z) + float(log_half.sum() - log_raised.sum())
    return _At(nats, line, raised, z, log_half, s, above)


def _scored(Q: FloatArray, at: _At, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gradient of the log likelihood, and its information: that of noise about a row, the same for all rows."""
    alpha, k = theta[-1], Q.shape[1]
    hazard = _hazard(at, alpha)
    slope, by_s, by_alpha = alpha * hazard - at.z, (at.z - alpha * hazard) * at.z - 1.0, at.z * hazard
    D = np.empty((len(Q), k + 1))  # of e / s by the line and c
    np.multiply(Q, (-1.0 / (at.s * at.line))[:, None], out=D[:, :k])
    D[:, k] = at.above / (at.s * at.raised)
    own = np.stack([slope, by_s, by_alpha])
    about = own @ own.T
    g, H = np.append(slope @ D, [by_s.sum(), by_alpha.sum()]), np.empty((k + 3, k + 3))
    g[k] -= at.s * D[:, k].sum()  # y + c is the logarithm's slope, too
    H[:-2, :-2] = D.T @ D * (about[0, 0] / len(Q))
    H[k, k] += at.s**2 * float(D[:, k] @ D[:, k])
    H[:-2, -2:] = np.outer(D.mean(axis=0), about[0, 1:])
    H[-2:, :-2], H[-2:, -2:] = H[:-2, -2:].T, about[1:, 1:]
    return g, H


def _hazard(at: _At, alpha: float) -> FloatArray:
    """φ(α z) / Φ(α z)."""
    return np.asarray(np.exp(-0.5 * (alpha * at.z) ** 2 - 0.5 * np.log(2.0 * np.pi) - at.log_half))


def may_be_proportional(scale: Scale, graph: BoolArray) -> bool:
    """Whether the residuals of straight lines grow with their means, for half of a graph's children or more."""
    children, follows = np.flatnonzero(graph.any(axis=0)).tolist(), 0
    for j in children:
        Z = scale.parents[:, graph[:, j]] - scale.parents[:, graph[:, j]].mean(axis=0)
        mean = Z @ np.linalg.lstsq(Z, scale.children[:, j], rcond=None)[0]
        size = np.abs(scale.children[:, j] - mean)
        if mean.std() > 0 and size.std() > 0:
            follows += bool(np.corrcoef(mean, size)[0, 1] > FOLLOWS)
    return bool(children) and 2 * follows >= len(children)


class ProportionalGain:
    """A likelihood beside which children may be a line of their parents times noise. All else is its own.

    Nats are over the child's own marginal, or that of its moved logarithm where it is a better one.

    Parameters
    ----------
    gain : SplineGain
    data : Scale
        The table as given.
    """

    def __init__(self, gain: Any, data: Scale) -> None:
        self.gain, self.data, self.scale = gain, data, gain.scale
        self.told: dict[Item, Told] = {}
        self.proportional: set[Item] = set()
        self.marginals: dict[int, float] = {}
        self.noises: Noises = {}

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        self.gain(items)
        new = []
        for item in dict.fromkeys(items):
            told = self.gain.told[item]
            if not item[1] or not self._lines(item[0]) or not np.isfinite(told.nats):
                self.told[item] = told
            elif item not in self.told:
                new.append(item)
        stacks = [new[first : first + TOGETHER] for first in range(0, len(new), TOGETHER)]
        found = parallel_map(self._nats, stacks, self.gain.n_jobs, local=True)
        for some, (nats, left) in zip(stacks, found, strict=True):
            for item, own, share in zip(some, nats.tolist(), left.tolist(), strict=True):
                self.told[item] = self._mixed(item, own, share)
        return np.array([self.told[item].nats for item in items])

    def _mixed(self, item: Item, own: float, left: float) -> Told:
        """Average both models of an item with equal odds."""
        told: Told = self.gain.told[item]
        nats = float(np.logaddexp(own, told.nats) - np.log(2.0)) - self._alone(item[0])
        if own <= told.nats:
            return replace(told, nats=nats)
        self.proportional.add(item)
        return replace(told, nats=nats, uneven=True, left=left)

    def reference(self, items: Sequence[Item]) -> FloatArray:
        """Nats that the reference of each item has over the child's own marginal; other likelihoods are over that."""
        return np.array([self._alone(j) if parents and self._lines(j) else 0.0 for j, parents in items])

    def _lines(self, child: int) -> bool:
        """Whether a child may be a line at all: not one of few values, nor a constant."""
        return self.scale.levels[child] is None and bool(np.ptp(self.data.children[:, child]) > 0)

    def _alone(self, child: int) -> float:
        """Nats that the moved logarithm of a child alone has over its own marginal."""
        if child not in self.marginals:
            own = float(self._nats([(child, ())])[0][0])
            self.marginals[child] = max(0.0, float(np.logaddexp(own, 0.0) - np.log(2.0)))
            if own > 0:
                self.proportional.add((child, ()))
        return self.marginals[child]

    def _nats(self, items: list[Item]) -> tuple[FloatArray, FloatArray]:
        """Nats of lines times noise over the children alone, and the share of the logarithm's variance they leave."""
        lines, n = [self._line(item) for item in items], len(self.data.children)
        noise, raised = np.stack([one.noise for one in lines]), np.stack([one.raised for one in lines])
        free = shape_evidence(noise) - raised.sum(axis=1)
        free -= 0.5 * n * np.log(np.maximum(noise.var(axis=1), NARROWEST**2))
        children = [j for j, _ in items]
        alone = self.data.offset[children] + 0.5 * n * np.log(self.data.children[:, children].var(axis=0))
        own, paid = np.array([[one.nats, one.price] for one in lines]).T
        nats = np.logaddexp(own, free) - np.log(2.0) - paid + alone
        return np.asarray(nats), noise.var(axis=1) / raised.var(axis=1)

    def _line(self, item: Item) -> Line:
        return fit_line(self.data.parents[:, list(item[1])], self.data.children[:, item[0]])

    def noise(self, item: Item) -> FloatArray:
        """Noise of an item: e, where it is a line times noise."""
        self([item])
        own = item[1] and item in self.proportional
        return self.noise_and_spread(item)[0] if own else np.asarray(self.gain.noise(item))

    def noise_and_spread(self, item: Item) -> tuple[FloatArray, FloatArray]:
        """Noise of an item, and what to take off its log density: that of its spread, or the logarithm's."""
        self([item])
        if self._lines(item[0]):
            self._alone(item[0])
        if item in self.proportional:
            return remembered(self.noises, item, lambda one: self._line(one)[2:])
        noise, log_spread = self.gain.noise_and_spread(item)
        return noise, log_spread

    def __getattr__(self, name: str) -> Any:
        """Return what the likelihood itself has."""
        if name == "gain":  # not there yet: a copy is being made
            raise AttributeError(name)
        return getattr(self.gain, name)


def reference(gain: Any, items: Sequence[Item]) -> FloatArray:
    """Nats of each item's reference over the child's own marginal: 0 but for lines times noise."""
    own = getattr(gain, "reference", None)
    return np.zeros(len(items)) if own is None else np.asarray(own(items))
