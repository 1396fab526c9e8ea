"""Links that an experiment on one of their ends tells: no shape is needed then.

Where the cause is set, its effect follows; where the effect is set, the cause stays as it was. The likelihood of every
child leaves out the rows in which it was set, so that its nats for a direction hold both what experiments and what
shapes say. What shapes say is known from the rows in which neither of the two was set, and is taken off.
"""

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.methods.auto.search.found import Found
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.rows_gain import RowsScale
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray, FloatArray

FEWEST = 20  # rows of observation from which on shapes say something


def told_by_experiments(found: Found, direction: FloatArray) -> BoolArray:
    """Edges (d, d) with an end of levels or counts whose direction an experiment on one of the two tells.

    `direction` (d, d) are the nats of every edge's direction.
    """
    told, scale = np.zeros_like(found.graph), found.scale
    if found.experiments is None or not scale.kinds or not isinstance(scale, RowsScale):
        return told
    for i, j in np.argwhere(found.graph).tolist():
        levels = scale.kind(i) != CONTINUOUS or scale.kind(j) != CONTINUOUS
        if levels and scale.part_of[i] != scale.part_of[j]:
            nats = direction[i, j] - max(_by_shape(found, scale, i, j), 0.0)
            told[i, j] = nats >= found.settings.either_way
    return told


def _by_shape(found: Found, scale: RowsScale, i: int, j: int) -> float:
    """Nats for i -> j over j -> i of the two columns alone, in the rows in which neither was set."""
    rows = np.intersect1d(scale.own_rows[i], scale.own_rows[j])
    pair = found.X[rows][:, [i, j]]
    if len(rows) < FEWEST or (pair == pair[:1]).all(axis=0).any():
        return 0.0
    offered = scales_of(pair, (scale.kind(i), scale.kind(j)))
    own = next((one for one in offered if one.name == scale.name.split(",")[0]), offered[0])
    ahead, back = SplineGain(own)([(1, (0,)), (0, (1,))])
    return float(ahead - back)
