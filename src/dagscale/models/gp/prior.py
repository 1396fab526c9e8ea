"""What length scales and amplitudes are like in one table, learnt from the nodes fitted so far.

By likelihood alone every node's length scales are its own, and a set of parents that needs odd ones to say
little counts as much as one that says it with those of all others. A table has its own usual scales (a
mechanism is about as wavy from one node to the next), so they are learnt from a first graph,

    log w_i ~ N(mean, spread²) for every parent,     log l ~ N(mean, spread²) for every node,

robustly, and the evidence of a node given parents becomes that of the data with these numbers integrated
out (Laplace's approximation at the mode, `exact.py` has the symbols and the curvature A):

    log ∫ p(y | theta) p(theta) d theta
        = -loss(theta) - ½ Σ_k ((theta_k - mean_k) / spread_k)² - ½ log |I + T A T|,

T the diagonal of the spreads. So a fitted scale pays for itself: nothing where the data do not care, more
where they do, and much where it is not what this table's scales are like.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dagscale.models.gp.optimise import Objective, Values
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

SPREADS = np.geomspace(0.05, 4.0, 80)  # among which that of a parameter is chosen
USUAL = 1.0  # a parameter this far from the mean counts as seen once: few numbers do not agree by chance


@dataclass(frozen=True)
class Prior:
    """Means and spreads of log w (of each parent) and of log l (of each node)."""

    scale: tuple[float, float]
    joint: tuple[float, float]

    @classmethod
    def learnt(cls, thetas: Sequence[FloatArray], errors: Sequence[FloatArray]) -> "Prior":
        """Learn from the log-parameters of many fitted nodes, (p + 3,) each, and their standard errors."""
        scales, joints = (
            [np.concatenate([np.zeros(0), *(row[part] for row in rows)]) for rows in (thetas, errors)]
            for part in (slice(None, -3), slice(-3, -2))
        )
        return cls(likeliest(*scales), likeliest(*joints))

    def of(self, present: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Means and precisions of theta, (p + 3,) and (B, p + 3); 0 precision where there is no prior."""
        B, p = present.shape
        mean = np.array([self.scale[0]] * p + [self.joint[0], 0.0, 0.0])
        precision = np.zeros((B, p + 3))
        precision[:, :p] = present / self.scale[1] ** 2
        precision[:, p] = self.joint[1] ** -2
        return mean, precision


class Informed:
    """A stack of losses with the prior's part added: the interface of `Objective`."""

    def __init__(self, objective: Objective, prior: Prior, present: BoolArray) -> None:
        self.objective = objective
        self.mean, self.precision = prior.of(present)
        self.away: FloatArray
        self.which: IntArray

    def value(self, theta: FloatArray, which: IntArray) -> Values:
        """Losses of the problems `which`, less likely parameters costing more."""
        self.away, self.which = theta - self.mean, which
        values = self.objective.value(theta, which)
        cost = 0.5 * (self.away**2 * self.precision[which]).sum(axis=1)
        return Values(values.loss + cost, values.noise)

    def derivatives(self, kept: IntArray) -> tuple[FloatArray, FloatArray]:
        """Gradients and curvatures at the positions `kept` of the last trial."""
        gradient, curvature = self.objective.derivatives(kept)
        precision = self.precision[self.which[kept]]
        curvature = curvature.copy()
        np.einsum("bii->bi", curvature)[...] += precision
        return gradient + precision * self.away[kept], curvature

    def volume(self, curvature: FloatArray) -> FloatArray:
        """½ log |I + T A T| of every problem, given the curvatures A + T^-2 where the search ended, (B,)."""
        known = self.precision > 0
        both = known[:, :, None] & known[:, None, :]
        matrix = np.where(both, curvature, 0.0)
        np.einsum("bii->bi", matrix)[...] += ~known
        tight = np.log(np.where(known, self.precision, 1.0)).sum(axis=1)
        return np.asarray(0.5 * (np.linalg.slogdet(matrix)[1] - tight))


def likeliest(x: FloatArray, errors: FloatArray) -> tuple[float, float]:
    """Mean and spread of what x estimates with the given standard errors: a model with random effects.

    x_i ~ N(mean, spread² + error_i²), by maximum likelihood; what is not known hardly counts.
    """
    variance = SPREADS[:, None] ** 2 + errors[None, :] ** 2  # (spreads, numbers)
    weight = np.column_stack([1.0 / variance, SPREADS**-2.0])  # and 0 seen once, for tables of few edges
    mean = (weight[:, :-1] * x).sum(axis=1) / weight.sum(axis=1)
    surprise = (np.log(variance) + (x - mean[:, None]) ** 2 / variance).sum(axis=1)
    surprise += 2.0 * np.log(SPREADS) + (USUAL / SPREADS) ** 2
    best = int(np.argmin(surprise))
    return float(mean[best]), float(SPREADS[best])
