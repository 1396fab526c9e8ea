"""How items are fitted: a subsample of the rows first, then all of them by the cheapest accurate path."""

from dataclasses import dataclass

import numpy as np

from dagscale.models.gp.exact import Exact
from dagscale.models.gp.lowrank import LowRank, inducing_rows
from dagscale.models.gp.optimise import Bounds, Objective, Search, minimise
from dagscale.models.gp.prior import Informed, Prior
from dagscale.runtime.types import Array, BoolArray, FloatArray, IntArray

SCALES = (-11.0, 4.0)  # log w: from no influence to a length scale of an eighth of a standard deviation
SIGNAL = (-12.0, 9.0)  # log l, log v and log a, relative to the noise
# log l, log v, log a. Chosen of eight starts on 90 problems (1-6 parents; GP, MLP, additive, linear): 86 end
# within 1 nat of the best of twelve starts, the worst 4.4 short; on 29 fresh problems 26, the worst 3.6, the
# misses all linear. Choosing among several starts on a subsample did no better than one.
START = (-1.5, -2.0, -2.0)
UNKNOWN = 10.0  # standard error of a log-parameter that nothing depends on
MARGIN = 1.1  # on w when inducing rows are chosen, so that they still do when theta moves a little
TOLERANCE = 0.05  # nats by which an optimum may be missed
SLACK = 0.8  # nats of slack allowed to the low-rank path, which errs by about a tenth of them
FIRST_ROWS = 400  # of the first fit, which only has to find the right valley
PIVOT_ROWS = 1000  # among which inducing ones are chosen
RANK_SHARE = 0.35  # of the rows, from which on the exact path is the cheaper one


@dataclass(frozen=True)
class Optimum:
    """Where a fit ended: theta (p + 3,) with standard errors, its gain in nats, and the noise variance.

    `shape` is what the residuals' shape tells besides, in nats.
    """

    theta: FloatArray
    gain: float
    noise: float
    errors: FloatArray
    shape: float = 0.0


def fit(Z: FloatArray, y: FloatArray, F: FloatArray, prior: Prior | None = None) -> Optimum:
    """Maximise the evidence of y (n,) given parents Z (n, p) with main effects F (n, p * b), on numpy."""
    n, p = Z.shape
    theta, k = start(np.ones((1, p), dtype=bool), prior), FIRST_ROWS
    if p > 1 and n >= 1.5 * k:
        rough = 10 * TOLERANCE, 3 * SLACK
        theta = _climb(Z[:k], _centred(y[:k]), _centred(F[:k]), theta, prior, *rough).theta[None]
    return _climb(Z, y, F, theta, prior)


def _climb(
    Z: FloatArray, y: FloatArray, F: FloatArray, theta: FloatArray, prior: Prior | None,
    tolerance: float = TOLERANCE, slack: float = SLACK,
) -> Optimum:  # fmt: skip
    """Climb from theta by the low-rank path, and by the exact one from where that one ends."""
    box = bounds(np.ones((1, Z.shape[1]), dtype=bool))
    low = LowRank(Z, y, F, lambda at: _inducing(Z, at, slack), slack)
    search = _minimised(low, theta, box, tolerance, prior)
    if low.refused:
        search = _minimised(Exact.of_one(Z, y, F), search.theta, box, tolerance, prior)
    return optima(search)[0]


def _minimised(
    objective: Objective, theta: FloatArray, box: Bounds, tolerance: float, prior: Prior | None
) -> Search:
    """Minimise losses; with a prior, their mean over it takes the place of their minimum."""
    if prior is None:
        return minimise(objective, theta, box, tolerance)
    informed = Informed(objective, prior, box.present[:, :-3])
    search = minimise(informed, theta, box, tolerance)
    loss = search.values.loss
    finite = np.isfinite(loss)
    loss[finite] += informed.volume(search.curvature)[finite]
    return search


def fit_stack(
    Z: Array, y: Array, F: Array, mask: Array, present: BoolArray, prior: Prior | None = None
) -> list[Optimum]:
    """Do the same for a stack of B problems on torch, all exact: Z (B, n, p), y (B, n), F (B, n, p * b)."""
    n = Z.shape[1]
    box, theta = bounds(present), start(present, prior)
    if n >= 1.5 * FIRST_ROWS:
        k = FIRST_ROWS
        ky, kF = (part[:, :k] - part[:, :k].mean(1, True) for part in (y, F))
        leading = Exact(Z[:, :k], ky, kF, mask)
        theta = _minimised(leading, theta, box, 10 * TOLERANCE, prior).theta
    return optima(_minimised(Exact(Z, y, F, mask), theta, box, TOLERANCE, prior))


def optima(search: Search) -> list[Optimum]:
    """Read the optima of a search."""
    loss, noise = search.values
    inverse = np.linalg.inv(search.curvature + UNKNOWN**-2.0 * np.eye(search.theta.shape[1]))
    errors = np.sqrt(np.einsum("bii->bi", inverse))
    return [
        Optimum(theta, -float(nats), float(own), error)
        for theta, nats, own, error in zip(search.theta, loss, noise, errors, strict=True)
    ]


def bounds(present: BoolArray) -> Bounds:
    """Bound theta for problems with the parents `present` (B, p)."""
    p = present.shape[1]
    low = np.array([SCALES[0]] * p + [SIGNAL[0]] * 3)
    high = np.array([SCALES[1]] * p + [SIGNAL[1]] * 3)
    return Bounds(low, high, np.column_stack([present, np.ones((len(present), 3), dtype=bool)]))


def start(present: BoolArray, prior: Prior | None = None) -> FloatArray:
    """Return the one point from which a fit of the parents `present` (B, p) starts, (B, p + 3).

    Where nothing is known, length scales of 0.8 standard deviations; longer for many parents, or all rows
    would be strangers.
    """
    B, p = present.shape
    if prior is not None:
        return np.tile([prior.scale[0]] * p + [prior.joint[0], *START[1:]], (B, 1))
    scales = np.log(np.minimum(1.6, 6.0 / np.maximum(present.sum(axis=1, keepdims=True), 1)))
    return np.hstack([np.repeat(scales, p, axis=1), np.tile(START, (B, 1))])


def _centred(values: FloatArray) -> FloatArray:
    centred: FloatArray = values - values.mean(axis=0)
    return centred


def _inducing(Z: FloatArray, theta: FloatArray, slack: float) -> IntArray:
    """Choose rows that leave half the allowed slack, were the length scales slightly shorter."""
    n, p = Z.shape
    k = min(n, PIVOT_ROWS)
    w, l = MARGIN * np.exp(theta[:p]), float(np.exp(theta[p]))
    rows, left = inducing_rows(Z[:k], w, l, 0.5 * slack * k / n, int(RANK_SHARE * n))
    return rows if left <= slack * k / n else rows[:0]
