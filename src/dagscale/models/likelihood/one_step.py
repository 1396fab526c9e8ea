"""One step of Newton's method from least squares towards the likeliest straight lines under noise of any shape.

Least squares are blind to the shape of noise: with many parents its errors blur a sharp edge, and what is left of the
edge depends on the parents. One step along the score ψ = (log p)' of the noise's own density p,

    b + (Z'Z)⁻¹ Z'(-ψ(r)) / I,    I = mean ψ(r)²,

is as good as maximum likelihood (Le Cam 1956).
"""

import numpy as np

from dagscale.models.likelihood.density import log_density
from dagscale.runtime.types import FloatArray

GRID = 400  # places at which the score is computed


def one_step(noise: FloatArray, parents: FloatArray) -> FloatArray:
    """Return noise (n,) once the straight lines of its parents (n, p) have taken the step."""
    score = _score(noise)
    score -= score.mean()
    Z = parents - parents.mean(axis=0)
    slope = np.linalg.lstsq(Z, -score / np.mean(score**2), rcond=None)[0]
    return np.asarray(noise - Z @ slope)


def _score(noise: FloatArray) -> FloatArray:
    """Slope of the log density at each value (n,)."""
    ordered = np.argsort(noise)
    grid = np.linspace(noise[ordered[0]], noise[ordered[-1]], GRID)
    log_p = np.interp(grid, noise[ordered], log_density(noise[None])[0][ordered])
    return np.asarray(np.interp(noise, grid, np.gradient(log_p, grid)))
