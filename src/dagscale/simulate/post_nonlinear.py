"""Post-nonlinear models x = h(f(parents) + e): h by name, applied to the standardised inner sum.

Each h is strictly increasing and scaled to variance 1 on N(0, 1), so values do not grow along the graph.
"""

from collections.abc import Callable

import numpy as np

from dagscale.types import FloatArray

Transform = Callable[[FloatArray], FloatArray]


def cube(z: FloatArray) -> FloatArray:
    """Return z³ / √15."""
    x: FloatArray = z**3 / np.sqrt(15)
    return x


def exponential(z: FloatArray) -> FloatArray:
    """Return exp(z) / √(e² - e): positive."""
    x: FloatArray = np.exp(z) / np.sqrt(np.e**2 - np.e)
    return x


TRANSFORMS: dict[str, Transform] = {"cube": cube, "exp": exponential}
