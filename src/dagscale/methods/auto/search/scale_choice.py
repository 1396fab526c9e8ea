"""Which scale and which kind of noise: a greedy graph on every scale, and what it is worth with every noise.

The score with interactions and with a spread that follows the parents, wherever they pay, picks both, or names the
two scales that are to be searched on.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from dagscale.methods.auto.search.loop import greedy
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.order_search import by_order
from dagscale.methods.auto.search.proposers import Scene
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
    settings : LikelihoodSettings
    graphs : list of (d, d) bool arrays
    even_score, uneven_score : float
        S(G) of the best graph, interactions included.
    joint : JointGain or RowsGain, optional
        What scored it with uneven noise.
    """

    scale: Any
    even: SplineGain
    uneven: SplineGain
    settings: LikelihoodSettings
    graphs: list[BoolArray]
    even_score: float = -math.inf
    uneven_score: float = -math.inf
    joint: Any = None

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
        even = spline_gain(scale, n_jobs=context.n_jobs) if other is None else other.on(scale)
        start = cls(scale, even, even.with_uneven(), settings, [])
        graph = greedy(start._objective(even, scene), scene, context.deadline)
        if other is None:
            return start._by_order([graph], scene, context)
        return start._scored([graph], scene, context)

    def searched(self, scene: Scene, context: Context) -> "Start":
        """Return the same with further graphs: one by order, and one found by uneven noise where that is promising."""
        start = self if len(self.graphs) > 1 else self._by_order(self.graphs, scene, context)
        promising = start.even_score + PROMISING * self.settings.uneven * abs(start.even_score)
        if start.uneven_score <= promising or context.out_of_time():
            return start
        # a graph found by even noise does not do it justice
        own = greedy(self._objective(self.uneven, scene), scene, context.deadline)
        score = self._objective(start.joint, scene).score(own)
        return replace(start, uneven_score=max(start.uneven_score, score))

    def _by_order(self, graphs: list[BoolArray], scene: Scene, context: Context) -> "Start":
        """Put a graph by order beside a greedy one, if there are not too many columns, and score the better one."""
        objective, first = self._objective(self.even, scene), graphs[0]
        if objective.d <= self.settings.ordered:
            rows = self.scale.own_rows if isinstance(self.scale, RowsScale) else None
            price = objective.price(int(first.sum()))
            other = by_order(self.scale.children, scene.known, price, first, context.deadline, rows)
            graphs = sorted([first, other], key=lambda graph: -objective.score(graph))
        scored = self.joint is not None and graphs[0] is first
        return replace(self, graphs=graphs) if scored else self._scored(graphs, scene, context)

    def _objective(self, gain: Any, scene: Scene) -> Objective:
        return Objective(gain, len(scene.mask), self.settings.caution)

    def _scored(self, graphs: list[BoolArray], scene: Scene, context: Context) -> "Start":
        """Return the same with some graphs, the first of which is scored with either kind of noise."""
        if context.out_of_time():
            score = self._objective(self.even, scene).score(graphs[0])
            return replace(self, graphs=graphs, even_score=score)
        joint = best_length(self.even, graphs[0])
        even = self._objective(joint, scene).score(graphs[0])
        joint = joint.beside(self.uneven)
        uneven = self._objective(joint, scene).score(graphs[0])
        return replace(self, graphs=graphs, even_score=even, uneven_score=uneven, joint=joint)

    @property
    def score(self) -> float:
        """The better of the two."""
        return max(self.even_score, self.uneven_score)

    @property
    def hope(self) -> float:
        """What it may be worth with a graph of its own for uneven noise: that much again as this noise has brought."""
        return self.score + max(self.uneven_score - self.even_score, 0.0)

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
    free spread can stand in for the right scale, so that a search on the wrong one catches up. A scale that is far
    behind, without hope, is not given more than a greedy graph.
    """
    starts = [Start.of(scales[0], scene, context, settings)]
    for scale in scales[1:]:
        if not context.out_of_time():
            starts.append(Start.of(scale, scene, context, settings, starts[0].even))
    far = 1.0 / settings.near - 1.0
    most = max(start.score for start in starts)
    starts = [
        start
        if start.hope < most and clearly_more(most, start.score, far)
        else start.searched(scene, context)
        for start in starts
    ]
    own, best = starts[0], max(starts, key=lambda start: start.score)
    if not clearly_more(best.score, own.score, settings.rescaled):
        return [own]
    behind = clearly_more(best.score, own.score, far)
    return [best] if behind or own.is_uneven or best.is_uneven else [own, best]


def clearly_more(score: float, other: float, margin: float) -> bool:
    """Whether a score is higher than another one by a share of it."""
    return score > other + margin * abs(other)
