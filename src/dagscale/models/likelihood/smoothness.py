"""How smooth the curves of a child of levels or counts are: prior precisions, and MacKay's updates of the variances.

The coefficients of a straight line have the family's variance. Those of the other functions of a term t have the
variance τ_t over their roughness.
"""

import numpy as np

from dagscale.models.likelihood.families import Family
from dagscale.runtime.types import FloatArray, IntArray

BOUNDS = (1e-6, 30.0)


def prior_precision(roughness: FloatArray, tau: FloatArray, term: IntArray, family: Family) -> FloatArray:
    """Return the prior precision (q,) of coefficients by roughness (q,), 0 for lines, and term (q,)."""
    return np.where(roughness <= 0, 1.0 / family.line_variance, roughness / tau[term])


def smoothness(
    beta: FloatArray, variance: FloatArray, precision: FloatArray, roughness: FloatArray, tau: FloatArray,
    term: IntArray,
) -> tuple[FloatArray, float]:  # fmt: skip
    """Update τ by MacKay's rule at coefficients (m, q); say how far the logarithm moves where the term does something.

    `variance` (q,) is that of the coefficients a posteriori, summed over the m predictors.
    """
    curved = roughness > 0
    own, terms = term[curved], len(tau)
    free = np.bincount(own, (len(beta) - precision * variance)[curved], terms)
    energy = np.bincount(own, (roughness * (beta**2).sum(axis=0))[curved], terms)
    after = np.clip(energy / np.maximum(free, 1e-12), *BOUNDS)
    after = np.where(np.bincount(own, minlength=terms) > 0, after, tau)
    matters = np.abs(np.log(after / tau)) * np.minimum(free, 1.0)
    return after, float(matters.max(initial=0.0))


def promise(squares: FloatArray, values: FloatArray, variances: FloatArray) -> FloatArray:
    """Nats that further coefficients add with each of some prior variances v, to second order around a fit.

        ½ g'(M + I / v)⁻¹ g - ½ log |I + v M|,

    of which `values` (...) are the eigenvalues of their information M, and `squares` (...) those of the slope g along
    its eigenvectors.
    """
    g2, m, v = squares.ravel(), np.maximum(values.ravel(), 0.0), variances[:, None]
    return np.asarray(0.5 * (g2 / (m + 1.0 / v) - np.log1p(v * m)).sum(axis=1))
