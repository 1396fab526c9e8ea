"""Shape of a residual: skewness, kurtosis and the Anderson-Darling test of the normal distribution."""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from dagscale.runtime.types import FloatArray


@dataclass(frozen=True)
class Shape:
    """Moments of a sample and its distance from the normal distribution.

    Attributes
    ----------
    skewness, kurtosis : float
        0 and 0 for the normal distribution (kurtosis in excess of 3).
    p_value : float
        Of the Anderson-Darling test.
    """

    skewness: float
    kurtosis: float
    p_value: float


def shape(x: FloatArray) -> Shape:
    """Describe a sample (n,); a constant one counts as normal."""
    centred = x - x.mean()
    deviation = float(centred.std(ddof=1)) if len(x) > 1 else 0.0
    if deviation <= 1e-12 * float(np.abs(x).max(initial=0.0)) or deviation == 0:
        return Shape(0.0, 0.0, 1.0)
    z = centred / deviation
    return Shape(float(np.mean(z**3)), float(np.mean(z**4)) - 3, anderson_darling(z))


def anderson_darling(z: FloatArray) -> float:
    """Return the p-value of A² for a standardised sample, mean and variance estimated.

    The approximation of D'Agostino and Stephens (1986, table 4.9), cut off beyond A* = 13, where p < 1e-29.
    """
    n = len(z)
    z = np.sort(z)
    odd = 2 * np.arange(1, n + 1) - 1
    statistic = -n - float(np.mean(odd * (log_ndtr(z) + log_ndtr(-z[::-1]))))
    a = min(statistic * (1 + 0.75 / n + 2.25 / n**2), 13.0)
    if a >= 0.6:
        p = np.exp(1.2937 - 5.709 * a + 0.0186 * a**2)
    elif a >= 0.34:
        p = np.exp(0.9177 - 4.279 * a - 1.38 * a**2)
    elif a >= 0.2:
        p = 1 - np.exp(-8.318 + 42.796 * a - 59.938 * a**2)
    else:
        p = 1 - np.exp(-13.436 + 101.14 * a - 223.73 * a**2)
    return float(np.clip(p, 0, 1))
