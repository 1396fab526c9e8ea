"""A damped Newton search in log-parameters for many small problems at once.

Levenberg-Marquardt steps on the average information: three to ten evaluations where L-BFGS takes
ten to forty. All problems of a batch step together but know nothing of each other, so a problem
ends at the same point in any batch.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from dagscale.runtime.types import BoolArray, FloatArray, IntArray


class Values(NamedTuple):
    """Losses, (B,), and beside each one the noise variance, to be kept with it."""

    loss: FloatArray
    noise: FloatArray


class Objective(Protocol):
    """A stack of losses with derivatives; `derivatives` belongs to the last call of `value`."""

    def value(self, theta: FloatArray, which: IntArray) -> Values:
        """Losses of the problems `which`, one row of theta each; inf where there is none."""

    def derivatives(self, kept: IntArray) -> tuple[FloatArray, FloatArray]:
        """Gradients and curvatures at the positions `kept` of the last trial."""


@dataclass(frozen=True)
class Bounds:
    """The box of log-parameters, (k,) each, and which of them each problem has, (B, k)."""

    low: FloatArray
    high: FloatArray
    present: BoolArray


@dataclass
class Search:
    """The state of the search: the best point of each problem and its values."""

    theta: FloatArray  # (B, k)
    values: Values  # (B,) each
    curvature: FloatArray  # (B, k, k), where derivatives were last taken: at theta, or a short step before


STEPS = 40  # at most
DAMPING = 0.3  # of the first
LONGEST_STEP = 2.0  # a factor of seven in any parameter
SURE = 1.0  # nats: below this a prediction that came true ends the search
FADE = 3.0  # a step that takes a fading parameter to a twentieth
GIVE_UP = 1e4  # damping at which no step can improve any more


def minimise(objective: Objective, theta: FloatArray, bounds: Bounds, tolerance: float) -> Search:
    """Minimise every problem to within about `tolerance` nats of its local optimum.

    A problem ends when its next step promises less than `tolerance` (parameters that fade to zero get a
    step of their own), or after a short step of less than `SURE` nats that gained what it promised,
    when damping had kept back less than `tolerance`: then the derivatives at the new point, the dear
    part of an evaluation, would tell nothing new. One without a finite loss at the start stays there.
    """
    theta = np.clip(theta, bounds.low, bounds.high)
    count, size = theta.shape
    gradient, curvature = np.zeros((count, size)), np.zeros((count, size, size))
    values = objective.value(theta, np.arange(count))
    state = Search(theta, values, curvature)
    active = np.flatnonzero(np.isfinite(state.values.loss))
    if len(active):
        gradient[active], curvature[active] = objective.derivatives(active)
    mu = np.full(count, DAMPING)
    faded = np.zeros(count, dtype=bool)
    for _ in range(STEPS):
        step, promise = _steps(state.theta, gradient, curvature, mu, bounds)
        _, undamped = _steps(state.theta, gradient, curvature, np.zeros_like(mu), bounds)
        fading, saved = _fade(state.theta, gradient, curvature, bounds)
        fade = (promise < tolerance) & (saved >= tolerance) & ~faded
        step[fade], promise[fade], undamped[fade] = fading[fade], saved[fade], saved[fade]
        faded |= fade
        active = active[(promise[active] >= tolerance) & (mu[active] < GIVE_UP)]
        if len(active) == 0:
            break
        trial = state.theta[active] + step[active]
        values = objective.value(trial, active)
        gained, promised = state.values.loss[active] - values.loss, promise[active]
        better = gained > 0
        mu[active] = _damping(mu[active], gained / promised)
        moved = active[better]
        state.theta[moved] = trial[better]
        for kept_values, new in zip(state.values, values, strict=True):
            kept_values[moved] = new[better]
        open_end = (np.abs(step[active]).max(axis=1) >= 1.0) | (saved[active] >= tolerance)
        error = np.abs(gained - promised) + undamped[active] - promised
        sure = better & ~open_end & (promised < SURE) & (error < tolerance)
        kept = np.flatnonzero(better & ~sure)
        if len(kept):
            gradient[active[kept]], curvature[active[kept]] = objective.derivatives(kept)
        active = active[~sure]
    return state


def _damping(mu: FloatArray, ratio: FloatArray) -> FloatArray:
    """Less damping after a step that kept its promise, more after one that did not or lost."""
    factor = np.select([ratio > 0.7, ratio > 0.3, ratio > 0], [0.2, 1.0, 3.0], 4.0)
    return np.asarray(np.maximum(mu * factor, np.where(ratio > 0, 1e-4, 0.05)))


def _fade(
    theta: FloatArray, gradient: FloatArray, curvature: FloatArray, bounds: Bounds
) -> tuple[FloatArray, FloatArray]:
    """Steps that all but switch off what is fading, (B, k), and the decrease they promise, (B,).

    Near zero the loss is linear in a variance x, so its derivative with respect to log x is all that
    is left to save by x -> 0. A parabola in log x cannot know that, and would stop too early. Curvature is
    of second order in x: fading is what slopes more than it bends.
    """
    bend = np.einsum("bii->bi", curvature)
    going = bounds.present & (gradient > bend) & (theta > bounds.low)
    step = np.where(going, np.maximum(bounds.low - theta, -FADE), 0.0)
    saved = np.where(going, gradient, 0.0).sum(axis=1) * (1.0 - np.exp(-FADE))
    return step, saved


def _steps(
    theta: FloatArray, gradient: FloatArray, curvature: FloatArray, mu: FloatArray, bounds: Bounds
) -> tuple[FloatArray, FloatArray]:
    """Damped steps inside the box, (B, k), and the decrease each one promises, (B,)."""
    stuck = ((theta <= bounds.low) & (gradient > 0)) | ((theta >= bounds.high) & (gradient < 0))
    free = bounds.present & ~stuck
    g = np.where(free, gradient, 0.0)
    A = np.where(free[:, :, None] & free[:, None, :], curvature, 0.0)
    diagonal = np.einsum("bii->bi", A)
    damped = A.copy()
    # The constant keeps flat directions (a scale that no longer matters) from running away.
    np.einsum("bii->bi", damped)[...] += np.where(free, mu[:, None] * (diagonal + 0.1) + 0.01, 1.0)
    step = -np.linalg.solve(damped, g[..., None])[..., 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    step *= np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300))
    step = np.clip(theta + step, bounds.low, bounds.high) - theta
    bent = np.einsum("bi,bij,bj->b", step, A, step)
    promise = -(g * step).sum(axis=1) - 0.5 * bent
    return step, promise
