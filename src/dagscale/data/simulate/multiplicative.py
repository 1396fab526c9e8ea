"""Multiplicative noise: a positive child, in proportion to the sum of its parents."""

import numpy as np
from scipy.special import ndtr

from dagscale.data.simulate.serial import serially_dependent
from dagscale.runtime.types import FloatArray


def multiplied(P: FloatArray, sigma: float, autoregressive: float, rng: np.random.Generator) -> FloatArray:
    """Draw x = exp(log Σᵢ xᵢ + |e|) with e ~ N(0, σ²), as in GraN-DAG's PNL-MULT (Lachapelle et al. 2020).

    Sources are uniform on (0, √12 σ), of variance σ²; GraN-DAG's are on (0, 2), that is σ² = 1/3. They are
    made from normal draws by their distribution function, so that autoregressive rows stay positive.

    Parameters
    ----------
    P : (n, p) array
        The parents, all positive.
    sigma : float
        Standard deviation of e.
    autoregressive : float
        Correlation of e in one row with e in the row before.
    rng : numpy Generator

    Returns
    -------
    (n,) array
        Positive.
    """
    z = serially_dependent(rng.standard_normal(len(P)), autoregressive)
    x: FloatArray
    if P.shape[1] == 0:
        x = np.sqrt(12) * sigma * ndtr(z)
    else:
        with np.errstate(over="ignore"):  # values too large are refused once the table is complete
            x = P.sum(axis=1) * np.exp(sigma * np.abs(z))
    return x
