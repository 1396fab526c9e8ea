"""How the noise's spread depends on the parents: functions from the parents (n, p) to s > 0 (n,).

The noise is then s z / √mean(s²), so that its variance over the rows stays what it was.
"""

from collections.abc import Callable

import numpy as np

from dagscale.data.simulate.mechanisms import multilayer_perceptron, standardized
from dagscale.runtime.types import FloatArray

Spread = Callable[[FloatArray, np.random.Generator], FloatArray]  # (parents (n, p), rng) -> (n,)

LOG_SPREAD = 0.75  # standard deviation of log s
FARTHEST = 3  # standard deviations of log s: two or three rows far out must not hold all of the variance


def log_linear(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw s with log s a random direction over the standardised parents; 1 for sources."""
    if P.shape[1] == 0:
        return np.ones(len(P))
    return _positive(standardized(P) @ rng.standard_normal(P.shape[1]))


def smooth(P: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw s with log s a random network of one hidden layer over the standardised parents; 1 for sources."""
    if P.shape[1] == 0:
        return np.ones(len(P))
    return _positive(multilayer_perceptron(standardized(P), rng, 1.0))


def scaled(z: FloatArray, s: FloatArray) -> FloatArray:
    """Return s z / √mean(s²): of the variance of z, with the spread s."""
    e: FloatArray = z * s / np.sqrt(np.mean(s**2))
    return e


def _positive(direction: FloatArray) -> FloatArray:
    s: FloatArray = np.exp(LOG_SPREAD * np.clip(standardized(direction), -FARTHEST, FARTHEST))
    return s
