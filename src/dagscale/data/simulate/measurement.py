"""Measurement error: what the instrument adds after all columns are made."""

import numpy as np

from dagscale.runtime.types import BoolArray, FloatArray


def measured(
    X: FloatArray, share: float, columns: BoolArray, reference: BoolArray, rng: np.random.Generator
) -> FloatArray:
    """Add independent Gaussian errors whose variance is this share of the column's own.

    Parameters
    ----------
    X : (n, d) array
    share : float
    columns : (d,) bool array
        The columns that are measured with error: a level or a count is not.
    reference : (n,) bool array
        The rows a column's variance is taken from: those without an intervention.
    rng : numpy Generator

    Returns
    -------
    (n, d) array
    """
    sigma = np.sqrt(share * X[reference].var(axis=0)) * columns  # (d,)
    observed: FloatArray = X + sigma * rng.standard_normal(X.shape)
    return observed
