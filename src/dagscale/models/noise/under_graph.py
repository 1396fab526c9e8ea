"""What noise is like under a graph: of one size or not, normal or not, by the residuals of additive fits.

All evidence here takes a child for a function of its parents plus noise of one size. In tables where the
noise grows with the level (counts, concentrations, anything measured with a percentage of error) that is
wrong, and what a thousand rows then say with certainty is mostly about the noise. It shows in the residuals:
their spread follows the fitted values (`dependence.spread`, an effect size like a correlation). Noise that is
not normal does no such harm; it tells directions, to those who look at its shape (`negentropy`).
"""

from typing import NamedTuple

import numpy as np

from dagscale.models.dependence import spread, waves
from dagscale.models.noise.negentropy import negentropy
from dagscale.models.splines import AdditiveFit, SplineTable
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray

ROWS = 3000
CHILDREN = 300  # as many tell
CHANCE = 1.4  # nats by which a normal sample looks other than normal ...
VARYING = 1.2  # ... give or take


class Noise(NamedTuple):
    """What residuals are like, means over the children; zeros without edges.

    Attributes
    ----------
    uneven : float
        How far their spread follows the fitted values. Near 0 where noise is additive, whatever its
        distribution: parents that a graph misses make it up to 0.1, and noise in proportion to the level
        0.3 or more.
    negentropy : float
        Nats a row by which they are not normal, less what as many normal ones have, and two standard errors
        of that: under 0.003 for normal noise, parents missed or not, and from 0.008 on for Laplace, Gumbel
        and uniform noise of 1000 rows.
    """

    uneven: float
    negentropy: float


def noise_under(table: SplineTable, graph: BoolArray, n_jobs: int | None = None) -> Noise:
    """Look at what additive fits of the children of a graph (d, d) leave."""
    children = np.flatnonzero(graph.any(axis=0))
    if not len(children):
        return Noise(0.0, 0.0)
    children = children[np.unique(np.linspace(0, len(children) - 1, CHILDREN).round().astype(np.intp))]
    few = table.on_some_rows(ROWS, n_jobs)
    few.prepare()

    def one(child: int) -> Noise:
        fit = AdditiveFit.of(few, child, np.flatnonzero(graph[:, child]), "reml")
        sides = waves(np.stack([fit.effects.sum(axis=1), fit.residuals], axis=1))
        uneven = float(spread(sides[:, :, :1], sides[:, :, 1:]).size[0, 0])
        return Noise(uneven, negentropy(fit.residuals))

    seen = parallel_map(one, [int(j) for j in children], n_jobs, local=True)
    uneven, shape = np.mean(seen, axis=0).tolist()
    return Noise(uneven, shape - (CHANCE + 2.0 * VARYING / np.sqrt(len(seen))) / few.n)
