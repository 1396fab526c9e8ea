"""What a column looks like, a few rows left out of the account."""

import numpy as np

from dagscale.runtime.types import FloatArray

MANY = 0.1  # share of the rows: more of them are no outliers


def far_out(X: FloatArray, limit: float = 6.0) -> FloatArray:
    """Share of rows of each column (d,) further than `limit` robust deviations from the median.

    The deviation is 1.4826 times the median absolute one. Where that is 0 (more than half of the rows have one
    value), or puts a tenth of the rows far out (nearly half have one value), it is the mean absolute one times 1.2533,
    as for a normal distribution.
    """
    distance = np.abs(X - np.median(X, axis=0))
    deviation, mean = 1.4826 * np.median(distance, axis=0), 1.2533 * distance.mean(axis=0)
    deviation = np.where((distance > limit * deviation).mean(axis=0) < MANY, deviation, mean)
    return np.asarray((distance > limit * np.where(deviation > 0, deviation, np.inf)).mean(axis=0))
