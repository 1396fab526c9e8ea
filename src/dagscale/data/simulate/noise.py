"""What is added to a child's signal: distributions of mean 0 and variance 1, and each node's variance."""

from collections.abc import Callable

import numpy as np

from dagscale.data.simulate.spread import Spread, log_linear, scaled, smooth
from dagscale.runtime.types import FloatArray

Noise = Callable[[FloatArray, np.random.Generator], FloatArray]  # (parents (n, p), rng) -> (n,)
Variance = float | tuple[float, float] | str

GRANDAG_SHRINKAGE = 0.4**2  # GraN-DAG's generator multiplies the noise of every node with parents by 0.4
GAMMA_SHAPE = 2.0


def gaussian(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw from N(0, 1)."""
    return rng.standard_normal(len(P))


def laplace(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw from the double exponential; heavier tails than Gaussian."""
    return rng.laplace(0, 1 / np.sqrt(2), len(P))


def gumbel(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw from Gumbel's extreme value distribution; skewed."""
    beta = np.sqrt(6) / np.pi
    return rng.gumbel(-beta * np.euler_gamma, beta, len(P))


def uniform(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw from U(-√3, √3)."""
    return rng.uniform(-np.sqrt(3), np.sqrt(3), len(P))


def exponential(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw from the exponential distribution, moved to mean 0; skewness 2."""
    return rng.exponential(1.0, len(P)) - 1


def gamma(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw from the gamma distribution of shape 2, moved to mean 0; skewness √2."""
    e: FloatArray = (rng.gamma(GAMMA_SHAPE, 1.0, len(P)) - GAMMA_SHAPE) / np.sqrt(GAMMA_SHAPE)
    return e


def heteroscedastic(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw s(parents) z with Gaussian z and log s linear: not additive noise, on purpose."""
    z = gaussian(P, rng)
    return scaled(z, log_linear(P, rng))


def location_scale(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw s(parents) z with Gaussian z and log s a smooth function of any form."""
    z = gaussian(P, rng)
    return scaled(z, smooth(P, rng))


NOISES: dict[str, Noise] = {
    "gaussian": gaussian,
    "laplace": laplace,
    "gumbel": gumbel,
    "uniform": uniform,
    "exponential": exponential,
    "gamma": gamma,
    "heteroscedastic": heteroscedastic,
    "location-scale": location_scale,
}
SPREADS: dict[str, Spread] = {"heteroscedastic": log_linear, "location-scale": smooth}
MULTIPLICATIVE = "multiplicative"  # no noise that is added: see `multiplicative.py`


def variance_of(node_is_root: bool, spec: Variance, rng: np.random.Generator) -> float:
    """Draw the noise variance of one node.

    `spec` is a number, a range (low, high) to draw from, or "grandag": U(1, 2) for roots and, as in
    GraN-DAG's public generator, 0.4² U(1, 2) for the others.
    """
    if spec == "grandag":
        return rng.uniform(1, 2) * (1.0 if node_is_root else GRANDAG_SHRINKAGE)
    if isinstance(spec, tuple):
        return rng.uniform(*spec)
    return float(spec)
