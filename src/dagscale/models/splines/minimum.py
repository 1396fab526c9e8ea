"""Which minimum of the smoothness criterion is taken, and the way there.

GCV often has several minima, and which one a search ends in decides whether a borderline term is kept. To
decide as `summary(gam)` does, the search goes the way mgcv's goes (Wood 2004, JASA 99, section 3, and what
`magic` returns when it is stopped early), all over rho = log lambda:

1. three steps from a smooth start: Newton's on GCV, at most 5 long, where the Hessian is positive definite,
   else down the gradient, the largest component 1; halved until GCV falls;
2. one walk along each term's rho in turn, downhill by the gradient, in strides of 2 as long as GCV falls,
   at most 5 of them: this leaves plateaus and takes effects of no wiggliness to straight lines;
3. Newton's method to the end.

REML is minimised from the same start by step 3 alone.

Deviations: the start is the same for all terms, the middle of where mgcv's own lie; in step 3 negative
curvature is turned around rather than left for the gradient, and lambda ends at exp(`RHO_RANGE`).
"""

from collections.abc import Callable, Iterator

import numpy as np

from dagscale.models.splines.smoothing import (
    CRITERIA,
    NormalEquations,
    Solution,
    gcv,
    gcv_derivatives,
    gcv_gradient,
    solve,
)
from dagscale.runtime.types import BoolArray, FloatArray

RHO_RANGE = 16.0  # exp(16) times the mean penalty leaves about 1e-4 degrees of freedom of wiggles
LINE = 10.0  # from here on a term has about 0.01 degrees of freedom of wiggles left
START = 2.8  # mgcv starts between 2 and 4
STRIDES = 2.0 * np.arange(1, 6)
STRAIGHT = 0.3  # with fewer degrees of freedom of wiggles than this, downhill leads to a straight line
MAX_STEP = 5.0
TOLERANCE = 1e-7  # of the gradient of the logarithm of the criterion
MAX_ITERATIONS = 60


def smooth(equations: NormalEquations, criterion: str = "gcv") -> Solution:
    """Minimise the criterion over all smoothing parameters and return the fit there."""
    wiggly = np.add.reduceat(equations.penalty, equations.starts) > 0
    start = solve(equations, np.full(len(equations.starts), START))
    if not wiggly.any():
        return start
    if criterion == "gcv":
        rho = np.clip(_walked(equations, _opening(equations, start)), -RHO_RANGE, RHO_RANGE)
        return _finished(equations, rho, wiggly)
    return _newton(equations, start, criterion, wiggly)


def _opening(equations: NormalEquations, s: Solution, steps: int = 3) -> Solution:
    """Take the first steps, of Newton's method or down the gradient."""
    for _ in range(steps):
        gradient, hessian = gcv_derivatives(equations, s)
        step = -gradient / max(np.abs(gradient).max(), 1e-300)
        hessian += np.outer(gradient, gradient)  # of GCV, no longer of its logarithm, divided by GCV
        values, vectors = np.linalg.eigh(hessian)
        if values[0] > 0:
            step = -vectors @ ((vectors.T @ gradient) / values)
        lower = _halved(equations, s, gcv, [_short(step) / 2**h for h in range(16)])
        if lower is None:
            break
        s = lower
    return s


def _short(step: FloatArray) -> FloatArray:
    short: FloatArray = step * min(1.0, MAX_STEP / max(np.abs(step).max(), 1e-300))
    return short


def _halved(
    equations: NormalEquations,
    s: Solution,
    value: Callable[[NormalEquations, Solution], float],
    steps: Iterator[FloatArray] | list[FloatArray],
) -> Solution | None:
    """Return the fit after the first step that lowers the criterion."""
    score = value(equations, s)
    for step in steps:
        trial = solve(equations, np.clip(s.rho + step, -RHO_RANGE, RHO_RANGE))
        if value(equations, trial) < score:
            return trial
    return None


def _walked(equations: NormalEquations, s: Solution) -> FloatArray:
    """Move one rho after the other downhill in strides of 2; (p,).

    With P_j = P[:, j], the columns of term j, and Delta what its penalty grows by, the fit changes by -P_j t,
    t = C beta_j, C = Delta (I + P_jj Delta)^-1; its residual sum of squares by 2 t'v_j + t'M_jj t,
    v = P W beta, M = PGP, and its degrees of freedom by -tr(C M_jj): all of the size of one term. What P
    loses by the moves is kept as factors, `lost` and `gained`: a later term needs its own columns only.
    """
    uphill = gcv_gradient(equations, s) > 0
    rho, beta, weights = s.rho.copy(), s.beta.copy(), s.weights.copy()
    deviance, free = s.deviance, equations.n - s.trace
    lost, gained, known = np.empty_like(s.P), np.empty_like(s.P), 0  # P less gained[:known].T @ lost[:known]
    for j, (start, width) in enumerate(zip(equations.starts, equations.widths, strict=True)):
        block = slice(start, start + width)
        Pj = s.P[block] - gained[:known, block].T @ lost[:known]  # (w, q)
        PW = Pj * weights
        Pjj = Pj[:, block]
        M = Pjj - PW @ Pj.T
        strides = -STRIDES if uphill[j] else STRIDES
        grown = (weights[block] * np.expm1(strides)[:, None])[:, :, None]  # (strides, w, 1)
        eye = np.eye(width)
        C = np.linalg.solve(eye + grown * Pjj, grown * eye)
        t = C @ beta[block]  # (strides, w)
        deviances = deviance + 2 * t @ (PW @ beta) + np.vecdot(t @ M, t)
        frees = free + (C * M).sum(axis=(1, 2))
        now = _log_gcv(np.array([deviance]), np.array([free]))
        falls = np.append(np.diff(_log_gcv(deviances, frees), prepend=now) < 0, False)
        last = int(falls.argmin()) - 1
        if last < 0:
            continue
        rho[j] += strides[last]
        weights[block] *= np.exp(strides[last])
        beta -= t[last] @ Pj
        lost[known : known + width], gained[known : known + width] = Pj, C[last] @ Pj
        known += width
        deviance, free = deviances[last], frees[last]
    return rho


def _log_gcv(deviances: FloatArray, frees: FloatArray) -> FloatArray:
    """log GCV, constants left out; nearly dependent terms leave sums that rounding has made negative."""
    values: FloatArray = np.log(np.maximum(deviances, 1e-300)) - 2 * np.log(np.maximum(frees, 1e-300))
    return values


def _finished(equations: NormalEquations, rho: FloatArray, wiggly: BoolArray) -> Solution:
    """Go from rho to the minimum, with terms that are nearly straight taken as lines on the way."""
    straight = wiggly & (rho >= LINE)
    while straight.any():
        fewer = equations.straightened(straight)
        rho = np.where(straight, rho, _newton(fewer, solve(fewer, rho), "gcv", wiggly & ~straight).rho)
        s = solve(equations, np.where(straight, RHO_RANGE, rho))
        back = straight & (gcv_gradient(equations, s) > 0)
        if not back.any():
            return s
        straight &= ~back
    return _newton(equations, solve(equations, rho), "gcv", wiggly)


def _newton(equations: NormalEquations, s: Solution, criterion: str, wiggly: BoolArray) -> Solution:
    """Go to the minimum of whose basin s is part."""
    value, derivatives = CRITERIA[criterion]
    for _ in range(MAX_ITERATIONS):
        gradient, hessian = derivatives(equations, s)
        bounded = (np.abs(s.rho) >= RHO_RANGE) & (gradient * s.rho <= 0)
        free = wiggly & ~bounded
        if np.abs(gradient[free]).max(initial=0.0) < TOLERANCE:
            break
        lower = _halved(equations, s, value, _steps(equations, s, gradient, hessian, free))
        if lower is None:
            break
        s = lower
    return s


def _steps(
    equations: NormalEquations, s: Solution, gradient: FloatArray, hessian: FloatArray, free: BoolArray
) -> Iterator[FloatArray]:
    """Propose steps, the boldest first: Newton's with nearly straight terms made straight, then halves of it.

    Near a straight line the criterion is linear in exp(-rho), and Newton's method would walk there one unit
    of rho at a time. Where the curvature is negative, a step of three times its length goes downhill.
    """
    step = np.zeros_like(gradient)
    values, vectors = np.linalg.eigh(hessian[np.ix_(free, free)])
    curvature = np.maximum(np.where(values > 0, values, -values / 3), 1e-12)
    step[free] = _short(-vectors @ ((vectors.T @ gradient[free]) / curvature))
    wiggles = np.add.reduceat(s.leverage * (equations.penalty > 0), equations.starts)
    straighten = free & (wiggles < STRAIGHT) & (gradient < 0) & (hessian.diagonal() < -1.5 * gradient)
    if straighten.any():
        yield np.where(straighten, RHO_RANGE - s.rho, step)
    for halvings in range(30):
        yield step / 2**halvings
