"""Post-nonlinear models x = h(f(parents) + e): h by name, applied to the standardised inner sum.

Each h is strictly increasing and of variance 1 on N(0, 1), so values do not grow along the graph.
"""

from collections.abc import Callable

import numpy as np

from dagscale.runtime.types import FloatArray

Transform = Callable[[FloatArray], FloatArray]


FARTHEST = 4.0  # standard deviations


def cube(z: FloatArray) -> FloatArray:
    """Return c(z)³ / √15 with c as in `drawn_in`."""
    x: FloatArray = drawn_in(z) ** 3 / np.sqrt(15)
    return x


def exponential(z: FloatArray) -> FloatArray:
    """Return exp(c(z)) / √(e² - e), positive, with c as in `drawn_in`."""
    x: FloatArray = np.exp(drawn_in(z)) / np.sqrt(np.e**2 - np.e)
    return x


def drawn_in(z: FloatArray) -> FloatArray:
    """Return z up to |z| = 4 and ±(4 + u / (1 + u)) with u = |z| - 4 beyond: smooth, increasing, within ±5.

    Cubes of cubes would otherwise leave one row to dominate its column after a few generations.
    """
    u = np.maximum(np.abs(z) - FARTHEST, 0)
    c: FloatArray = np.where(u > 0, np.sign(z) * (FARTHEST + u / (1 + u)), z)
    return c


TRANSFORMS: dict[str, Transform] = {"cube": cube, "exp": exponential}
