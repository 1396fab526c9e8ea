"""What a column looks like, a few rows left out of the account."""

import numpy as np

from dagscale.runtime.types import FloatArray


def far_out(X: FloatArray, limit: float = 6.0) -> FloatArray:
    """Share of rows of each column (d,) further than `limit` robust deviations from the median.

    The deviation is 1.4826 times the median absolute one; where that is 0 (more than half of the rows have
    one value), the mean absolute one times 1.2533, as for a normal distribution.
    """
    distance = np.abs(X - np.median(X, axis=0))
    deviation = 1.4826 * np.median(distance, axis=0)
    deviation = np.where(deviation > 0, deviation, 1.2533 * distance.mean(axis=0))
    return np.asarray((distance > limit * np.where(deviation > 0, deviation, np.inf)).mean(axis=0))
