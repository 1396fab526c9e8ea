"""Columns brought to mean 0 and variance 1: the one place where it is done."""

from collections.abc import Sequence

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS, of_kinds
from dagscale.runtime.types import FloatArray


def standardized(X: FloatArray, kinds: Sequence[str] = ()) -> FloatArray:
    """Bring columns to mean 0 and variance 1; a constant one becomes 0, codes and counts (`kinds`) stay."""
    centred = X - X.mean(axis=0)
    scale = centred.std(axis=0)
    varying = scale > 1e-12 * np.abs(X).max(axis=0)
    scaled: FloatArray = np.where(varying, centred / np.where(varying, scale, 1.0), 0.0)
    return np.where(of_kinds(kinds, (CONTINUOUS,), X.shape[1]), scaled, X) if kinds else scaled
