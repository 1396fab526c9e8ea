"""Which scale and which kind of noise: a greedy graph on every scale, and what it is worth with every noise.

The score with interactions and with a spread that follows the parents, wherever they pay, picks both, or names the
two scales that are to be searched on.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from dagscale.methods.auto.loop import greedy
from dagscale.methods.auto.objective import Objective
from dagscale.methods.auto.order_search import by_order
from dagscale.methods.auto.proposers import Scene
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.methods.context import Context
from dagscale.models.likelihood.rows_gain import RowsScale, best_length, spline_gain
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray

PROMISING = 0.2  # share of the margin of uneven noise from which on it gets a graph of its own


@dataclass
class Start:
    """Graphs to start from on one scale, the best first, and what it is worth with even and uneven noise.

    Attributes
    ----------
    scale : Scale or RowsScale
    even, uneven : SplineGain or RowsGain
        Additive curves with noise of the same spread everywhere, and of a spread that may follow the parents.
    graphs : list of (d, d) bool arrays
    even_score, uneven_score : float
        S(G) of the best graph, interactions included.
    settings : LikelihoodSettings
    """

    scale: Any
    even: SplineGain
    uneven: SplineGain
    graphs: list[BoolArray]
    even_score: float
    uneven_score: float
    settings: LikelihoodSettings

    @classmethod
    def of(
        cls,
        scale: Any,
        scene: Scene,
        context: Context,
        settings: LikelihoodSettings,
        other: SplineGain | None = None,
    ) -> "Start":
        """Start on one scale; `other` has even noise on another one, and fits that this one need not make again."""
        d = len(scene.mask)
        even = spline_gain(scale, n_jobs=context.n_jobs) if other is None else other.on(scale)
        objective = Objective(even, d, settings.caution)
        graphs = [greedy(objective, scene, context.deadline)]
        if d <= settings.ordered:
            price = objective.price(int(graphs[0].sum()))
            rows = scale.own_rows if isinstance(scale, RowsScale) else None
            graphs.append(by_order(scale.children, scene.known, price, graphs[0], context.deadline, rows))
        graphs.sort(key=lambda graph: -objective.score(graph))
        uneven = even.with_uneven()
        if context.out_of_time():
            return cls(scale, even, uneven, graphs, objective.score(graphs[0]), -math.inf, settings)
        joint = best_length(even, graphs[0])
        even_score = replace(objective, gain=joint).score(graphs[0])
        by_uneven = replace(objective, gain=joint.beside(uneven))
        uneven_score = by_uneven.score(graphs[0])
        promising = even_score + PROMISING * settings.uneven * abs(even_score)
        if uneven_score > promising:  # a graph found by even noise does not do it justice
            own = greedy(replace(objective, gain=uneven), scene, context.deadline)
            uneven_score = max(uneven_score, by_uneven.score(own))
        return cls(scale, even, uneven, graphs, even_score, uneven_score, settings)

    @property
    def score(self) -> float:
        """The better of the two."""
        return max(self.even_score, self.uneven_score)

    @property
    def is_uneven(self) -> bool:
        """Whether a spread that follows the parents is worth clearly more than a constant one."""
        return clearly_more(self.uneven_score, self.even_score, self.settings.uneven)


def contenders(
    scales: list[Any], scene: Scene, context: Context, settings: LikelihoodSettings
) -> list[Start]:
    """Return the start on the data's own scale, which comes first in `scales`, unless another is clearly likelier.

    Then that one, and with it the data's own if it is not far behind: the graphs to start from are poor, and what
    they prefer may not be what good graphs prefer. With a spread that follows the parents the first choice stands: a
    free spread can stand in for the right scale, so that a search on the wrong one catches up.
    """
    own = best = Start.of(scales[0], scene, context, settings)
    for scale in scales[1:]:
        if not context.out_of_time():
            start = Start.of(scale, scene, context, settings, own.even)
            best = start if start.score > best.score else best
    if not clearly_more(best.score, own.score, settings.rescaled):
        return [own]
    far = clearly_more(best.score, own.score, 1.0 / settings.near - 1.0)
    return [best] if far or own.is_uneven or best.is_uneven else [own, best]


def clearly_more(score: float, other: float, margin: float) -> bool:
    """Whether a score is higher than another one by a share of it."""
    return score > other + margin * abs(other)
