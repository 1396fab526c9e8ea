"""Which links of a graph may point either way: what makes a direction doubtful."""

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.methods.auto.edge_numbers import Numbers
from dagscale.methods.auto.equivalence import told_by_shape_alone
from dagscale.methods.auto.objective import item_of
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.models.dependence import dependence, waves
from dagscale.models.gain import Likelihood
from dagscale.runtime.types import BoolArray, FloatArray

LEAST_LEFT = 0.01  # share of the variance: more than this is noise, however coarse the rounding


def open_directions(
    X: FloatArray, graph: BoolArray, gain: Likelihood, numbers: Numbers, settings: LikelihoodSettings
) -> BoolArray:
    """Mark the edges whose direction cannot be told (d, d), symmetric.

    Those with few nats for their direction, or for themselves; those within formulas and copies; those of
    children whose rows repeat (designs, families, heavy rounding); those of children of few values, whose
    direction no shape can tell; those with an end of levels or counts, unless third columns tell
    (`equivalence.py`); and those whose child has noise that still depends on the parent: there the model does
    not hold, whatever the likelihood says.
    """
    open_ = np.zeros_like(graph)
    open_[graph] = np.minimum(numbers.direction, numbers.nats)[graph] < settings.either_way
    for j in np.flatnonzero(graph.any(axis=0)).tolist():
        parents = graph[:, j]
        if _noiseless(gain, graph, j, settings):  # the whole formula, whichever side is called the result
            formula = parents | (np.arange(len(graph)) == j)
            open_ |= graph & np.outer(formula, formula)
        if _repeats(X, parents, j, settings, gain.scale.kinds) or _few_valued(gain, j):
            open_[parents, j] = True
        noise = gain.noise(item_of(graph, j))
        told = np.isfinite(noise)  # not in rows where the child was set
        if told.any():
            test = dependence(waves(X[told][:, parents]), waves(noise[told, None]))
            depends = (test.size[:, 0] > settings.dependent) & (test.p_values[:, 0] < settings.chance)
            open_[np.flatnonzero(parents)[depends], j] = True
    open_ |= told_by_shape_alone(graph, open_, gain.scale.kinds)
    return np.asarray(open_ | open_.T)


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


def _few_valued(gain: Likelihood, j: int) -> bool:
    return gain.scale.levels[j] is not None and gain.scale.kind(j) == CONTINUOUS
