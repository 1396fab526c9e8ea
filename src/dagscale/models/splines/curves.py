"""Natural cubic splines through given values: how a column's thin-plate splines go on between its knots."""

from collections.abc import Callable

import numpy as np
from scipy.interpolate import CubicSpline

from dagscale.runtime.types import FloatArray

Curves = Callable[[FloatArray], FloatArray]  # (g,) -> (g, w)


def natural(knots: FloatArray, values: FloatArray) -> Curves:
    """Interpolate by the natural cubic spline, straight outside the knots.

    A thin-plate spline is a natural cubic spline with a knot at every distinct value, so that interpolating
    it there is exact.

    Parameters
    ----------
    knots : (m,) float array
        Increasing, at least two.
    values : (m, w) float array
        Of the w curves at the knots.
    """
    if len(knots) == 2:
        slope = (values[1] - values[0]) / (knots[1] - knots[0])
        return lambda x: values[0] + (x - knots[0])[:, None] * slope
    spline = CubicSpline(knots, values, bc_type="natural")

    def at(x: FloatArray) -> FloatArray:
        inside = np.clip(x, knots[0], knots[-1])
        result: FloatArray = spline(inside)
        outside = np.flatnonzero(inside != x)
        if len(outside):
            result[outside] += (x - inside)[outside, None] * spline(inside[outside], 1)
        return result

    return at
