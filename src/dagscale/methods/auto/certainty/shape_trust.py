"""Where shapes cannot tell a direction, whatever the likelihood says: formulas, designs, few values, spikes."""

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.methods.auto.search.objective import item_of
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.models.dependence import Dependence
from dagscale.models.gain import Likelihood
from dagscale.models.likelihood.rows_gain import rows_of
from dagscale.runtime.types import BoolArray, FloatArray

SPIKE = 0.05  # share of the rows: a value that so many have ...
ALONE = (
    3.0  # ... and so many times as many as have the third most frequent value (caps come in pairs) is a spike
)
LEAST_LEFT = 0.01  # share of the variance: more than this is noise, however coarse the rounding


def within_formulas(graph: BoolArray, gain: Likelihood, settings: LikelihoodSettings) -> BoolArray:
    """Mark the pairs (d, d) with an end in a formula or copy.

    Whichever side is called the result, no noise is left; and what one of its columns does, another may do as well.
    """
    found = np.zeros(len(graph), dtype=bool)
    for j in np.flatnonzero(graph.any(axis=0)).tolist():
        if _noiseless(gain, graph, j, settings):
            found |= graph[:, j]
            found[j] = True
    return np.asarray(found | found[:, None])


def among_few_rows(
    X: FloatArray, graph: BoolArray, kinds: tuple[str, ...], settings: LikelihoodSettings
) -> BoolArray:
    """Mark the edges (d, d) of children whose rows repeat: designs, families, heavy rounding."""
    found = np.zeros_like(graph)
    for j in np.flatnonzero(graph.any(axis=0)).tolist():
        found[:, j] = graph[:, j] & _repeats(X, graph[:, j], j, settings, kinds)
    return found


def residual_trust(forward: Dependence, settings: LikelihoodSettings) -> FloatArray:
    """Grade every edge (d, d): 1, falling to 0 where the noise of the child depends on the parent (`forward`)."""
    depends = np.where(forward.p_values < settings.chance, forward.size, 0.0)
    return np.asarray(np.clip(2.0 - depends / settings.dependent, 0.0, 1.0))


def shape_nats(graph: BoolArray, gain: Likelihood) -> FloatArray:
    """Nats for every edge's direction that the two columns alone give, (d, d): shape; 0 off the graph."""
    found, edges = np.zeros(graph.shape), np.argwhere(graph).tolist()
    if edges:
        found[graph] = gain([(j, (i,)) for i, j in edges]) - gain([(i, (j,)) for i, j in edges])
    return found


def few_valued(gain: Likelihood, spikes: BoolArray) -> BoolArray:
    """Pairs (d, d) with an end of few values or with a spike, where shape says nothing of directions."""
    few = np.array([level is not None for level in gain.scale.levels], dtype=bool) | spikes
    return np.asarray(few | few[:, None])


def with_spikes(X: FloatArray, gain: Likelihood) -> BoolArray:
    """Columns (d,) with a spike in the rows that tell of them."""
    return np.array([spiked(x[rows_of(gain, j, len(x))]) for j, x in enumerate(X.T)], dtype=bool)


def spiked(x: FloatArray) -> bool:
    """Say whether many rows share a value of a column (n,) of many others: a limit of detection, many zeros, a cap.

    As a child such a column has a model that knows nothing of the limit, and as a parent it needs none. Numbers that
    people round (heights to whole inches) have many frequent values: these are no spikes.
    """
    count = np.sort(np.unique(x, return_counts=True)[1])
    return len(count) > 2 and bool(count[-1] > max(SPIKE * len(x), ALONE * count[-3]))


def _noiseless(gain: Likelihood, graph: BoolArray, j: int, settings: LikelihoodSettings) -> bool:
    """Say whether the parents leave no more of a child than rounding does."""
    scale = gain.scale
    rounding = settings.cells * scale.cell[j] / max(float(scale.children[:, j].var()), 1e-300)
    return bool(gain.told[item_of(graph, j)].left < max(settings.noiseless, min(rounding, LEAST_LEFT)))


def _repeats(
    X: FloatArray, parents: BoolArray, j: int, settings: LikelihoodSettings, kinds: tuple[str, ...]
) -> bool:
    """Say whether a child and its parents have few distinct rows, though one of them is a number."""
    if kinds and all(kinds[i] != CONTINUOUS for i in (j, *np.flatnonzero(parents))):
        return False
    together = np.column_stack([X[:, j], X[:, parents]])
    return len(np.unique(together, axis=0)) < settings.distinct * len(X)
