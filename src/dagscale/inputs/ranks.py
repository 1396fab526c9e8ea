"""Ranks between 0 and 1, and the normal scores of them. (scipy.stats has ranks, and takes half a second to import.)"""

import numpy as np
from scipy.special import ndtri

from dagscale.runtime.types import FloatArray


def middle_ranks(x: FloatArray) -> FloatArray:
    """Return (rank - ½) / n of every value of x (n,), ties sharing their mean rank."""
    _, where, count = np.unique(x, return_inverse=True, return_counts=True)
    shares: FloatArray = ((np.cumsum(count) - 0.5 * count) / len(x))[where]
    return shares


def normal_scores(x: FloatArray) -> FloatArray:
    """Return the normal quantile of each value's rank: Φ⁻¹((rank - ½) / n)."""
    scores: FloatArray = ndtri(middle_ranks(x))
    return scores
