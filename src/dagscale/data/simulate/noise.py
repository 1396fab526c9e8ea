"""What is added to a child's signal: distributions of mean 0 and variance 1, and each node's variance."""

from collections.abc import Callable

import numpy as np

from dagscale.data.simulate.mechanisms import standardized
from dagscale.runtime.types import FloatArray

Noise = Callable[[FloatArray, np.random.Generator], FloatArray]  # (parents (n, p), rng) -> (n,)
Variance = float | tuple[float, float] | str

GRANDAG_SHRINKAGE = 0.4**2  # GraN-DAG's generator multiplies the noise of every node with parents by 0.4
HETEROSCEDASTICITY = 0.75  # standard deviation of the log of the noise's scale


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


def heteroscedastic(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw s(parents) z with Gaussian z: not additive noise, on purpose.

    log s is a random direction over the standardised parents with standard deviation 0.75, shifted so that
    the mean of s² over the rows is 1. Sources get plain Gaussian noise.
    """
    z = rng.standard_normal(len(P))
    if P.shape[1] == 0:
        return z
    direction = standardized(standardized(P) @ rng.standard_normal(P.shape[1]))
    # two or three rows far out must not hold all of the variance
    s = np.exp(HETEROSCEDASTICITY * np.clip(direction, -3, 3))
    scaled: FloatArray = z * s / np.sqrt(np.mean(s**2))
    return scaled


NOISES: dict[str, Noise] = {
    "gaussian": gaussian,
    "laplace": laplace,
    "gumbel": gumbel,
    "uniform": uniform,
    "heteroscedastic": heteroscedastic,
}


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
