"""The share of a child's variance that its parents' splines cannot explain without one of them.

With y the child and beta = P Q'y, P = (Q'Q + W)^-1, M = P Q'Q P its fit on the splines Q of its parents,
dropping parent p raises the penalised sum of squares by T_p = beta_p' (P_pp)^-1 beta_p, of which chance alone
explains sigma^2 c_p, c_p = tr((P_pp)^-1 M_pp). The strength is (T_p - sigma^2 c_p) / y'y, smoothing held
fixed. For straight lines it is the omega-squared of a regression. It sees additive effects only: a parent
that acts through a pure interaction has strength near 0.
"""

import numpy as np

from dagscale.models.splines.fit import AdditiveFit
from dagscale.runtime.types import FloatArray


def strengths(fit: AdditiveFit) -> FloatArray:
    """Share of the child's variance lost without each parent (p,), in [0, 1]."""
    shares = []
    for own in terms(fit):
        weights = np.linalg.inv(fit.solution.P[own, own])
        gain = fit.solution.beta[own] @ weights @ fit.solution.beta[own]
        chance = noise_variance(fit) * np.trace(weights @ fit.solution.M[own, own])
        shares.append((gain - chance) / fit.equations.yy)
    bounded: FloatArray = np.clip(np.array(shares), 0, 1)
    return bounded


def terms(fit: AdditiveFit) -> list[slice]:
    """Where each parent's splines stand among the coefficients."""
    starts, widths = fit.equations.starts, fit.equations.widths
    return [slice(start, start + width) for start, width in zip(starts, widths, strict=True)]


def noise_variance(fit: AdditiveFit) -> float:
    """Estimate the noise's variance; where the parents leave no degree of freedom, as if they left one."""
    return fit.deviance / max(1.0, fit.equations.n - fit.solution.trace)


def schwarz(fit: AdditiveFit) -> float:
    """Approximate the evidence of an additive fit over the child alone, in nats (Schwarz 1978).

    The gain in likelihood less half the logarithm of the rows for every effective degree of freedom.
    """
    if not fit.parents:
        return 0.0
    n = fit.equations.n
    return float(-0.5 * n * np.log(fit.deviance / fit.equations.yy) - 0.5 * fit.edf.sum() * np.log(n))
