"""The widest candidates an order permits: every predecessor."""

import numpy as np

from dagscale.runtime.types import BoolArray, IntArray


def predecessors(order: IntArray, allowed: BoolArray | None = None) -> BoolArray:
    """Return the mask [parent, child] of all pairs that agree with the order.

    Parameters
    ----------
    order : (d,) int array
        Columns, sources first.
    allowed : (d, d) bool array, optional
        Edges that may exist at all.

    Returns
    -------
    mask : (d, d) bool array
    """
    place = np.argsort(order)
    mask = place[:, None] < place
    return mask if allowed is None else mask & allowed
