"""Rows that depend on the row before."""

import numpy as np
import scipy.linalg

from dagscale.runtime.types import FloatArray


def serially_dependent(u: FloatArray, a: float) -> FloatArray:
    """Return the AR(1) series e_t = a e_{t-1} + √(1 - a²) u_t with e_0 = u_0.

    For independent u of mean 0 and variance 1 so are all e_t, with correlation aᵏ at lag k. Gaussian u stay
    Gaussian; other shapes come nearer to the Gaussian as |a| grows.

    Parameters
    ----------
    u : (n,) array
    a : float
        Between -1 and 1; 0 returns u itself.

    Returns
    -------
    (n,) array
    """
    if a == 0:
        return u
    right = np.sqrt(1 - a**2) * u
    right[0] = u[0]
    # the lower bidiagonal system e_t - a e_{t-1} = right_t, its two diagonals as rows
    bands = np.vstack([np.ones(len(u)), np.full(len(u), -a)])
    e: FloatArray = scipy.linalg.solve_banded((1, 0), bands, right, check_finite=False)
    return e
