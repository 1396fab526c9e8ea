"""`Found`: a graph and the likelihood that decided on it, and what both say of edges, directions and doubts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.pair_values import Numbers
from dagscale.methods.auto.across_models import across_models, touching
from dagscale.methods.auto.alternatives import Alternatives, alternatives
from dagscale.methods.auto.certainty import PairEvidence, open_links, probabilities
from dagscale.methods.auto.edge_numbers import EdgeNumbers, numbers
from dagscale.methods.auto.objective import Objective, item_of
from dagscale.methods.auto.pair_evidence import pair_evidence
from dagscale.methods.auto.proposers import Scene
from dagscale.methods.auto.residual_checks import Residuals, residual_checks
from dagscale.methods.auto.row_support import variance_of_directions
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.models.likelihood.proportional import ProportionalGain
from dagscale.models.likelihood.rows_gain import RowsScale, joint_gain, spline_gain
from dagscale.runtime.clock import BudgetSpent
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dagscale.methods.auto.changes import Experiments
    from dagscale.methods.auto.hidden_levels import Levels

SCALES = {
    "data": "the columns were used as they are",
    "log": "the columns were used as their logarithms",
    "scores": "the columns were used as normal scores of their ranks",
}


@dataclass(frozen=True)
class Found:
    """A graph, and the likelihood that decided on it.

    Attributes
    ----------
    graph : (d, d) bool array
        [parent, child].
    X : (n, d) float array
        The rows that were looked at.
    objective : Objective
        S(G) with the likelihood that decided; its `gain.told[item]` says what it found of an item.
    scene : Scene
        What is known, and the pairs that were candidates.
    settings : LikelihoodSettings
    uneven, interacting : bool
        Whether a spread that follows the parents, and interactions, were part of the likelihood.
    late : bool
        Whether the deadline ended the search.
    experiments : Experiments or None
        What conditions told, where there were any.
    scales : tuple of Scale
        Those that were tried.
    until : float
        When edges and directions must be read off.
    n_jobs : int or None
    marked : (d, d) bool array or None
        Pairs, symmetric, that share noise in the likelihood, or a hidden level: likelier than an arrow.
    levels : Levels or None
        Hidden levels, where they explain most links better than arrows.
    """

    graph: BoolArray
    X: FloatArray
    objective: Objective
    scene: Scene
    settings: LikelihoodSettings
    uneven: bool
    interacting: bool
    late: bool = False
    experiments: "Experiments | None" = None
    scales: tuple[Any, ...] = ()
    until: float = np.inf
    n_jobs: int | None = 1
    marked: BoolArray | None = None
    levels: "Levels | None" = None

    def by(self, until: float) -> "Found":
        """Return the same with a time when edges and directions must be read off; what is known of noise is kept."""
        found = replace(self, until=until)
        if "residuals" in self.__dict__:
            found.__dict__["residuals"] = self.residuals
        return found

    def beside(self, near: Alternatives) -> "Found":
        """Return the same with the graphs next to it looked at before."""
        found = replace(self)
        found.__dict__["alternatives"] = near
        return found

    def at(self, graph: BoolArray) -> "Found":
        """Return the same of another graph."""
        return replace(self, graph=graph)

    @property
    def shared(self) -> BoolArray:
        """Pairs (d, d), symmetric, that share noise in the likelihood, or a hidden level."""
        return np.zeros_like(self.graph) if self.marked is None else self.marked

    @property
    def score(self) -> float:
        """S(G)."""
        return self.objective.score(self.graph)

    @property
    def scale(self) -> Any:
        """The scale of the columns, a `Scale`, or a `RowsScale` where children have rows of their own."""
        return self.objective.gain.scale

    @property
    def length(self) -> float:
        """The length scale of interactions, where they are part of the likelihood."""
        gain: Any = self.objective.gain
        return float(gain.length)

    @property
    def continuous(self) -> bool:
        """Whether every column is a number, and every child has many values."""
        return not self.scale.kinds and all(
            self.scale.levels[j] is None for j in np.flatnonzero(self.graph.any(axis=0))
        )

    @property
    def lines(self) -> int:
        """How many children are a straight line of their parents times noise."""
        gain, children = self.objective.gain, np.flatnonzero(self.graph.any(axis=0)).tolist()
        marked = gain.proportional if isinstance(gain, ProportionalGain) else set()
        return sum(item_of(self.graph, j) in marked for j in children)

    @property
    def price(self) -> float:
        """Nats that an edge had to earn."""
        return self.objective.price(max(int(self.graph.sum()) - 1, 0))

    @cached_property
    def numbers(self) -> EdgeNumbers:
        """What every edge adds, and its direction."""
        return numbers(self.graph, self.objective.gain, self.alternatives)

    @cached_property
    def alternatives(self) -> Alternatives:
        """What the graphs next to this one are worth."""
        return alternatives(self.graph, self.objective, self.scene, self.until)

    @cached_property
    def residuals(self) -> Residuals:
        """What the noise still depends on."""
        return residual_checks(self.X, self.graph, self.objective.gain, self.n_jobs, self.other_models)

    @cached_property
    def other_models(self) -> list[Any]:
        """Models that compete with the one that decided: every scale, any spread."""
        return [self._uneven_on(scale) for scale in self.scales]

    def _uneven_on(self, scale: Any) -> Any:
        """Return the likelihood on a scale, of any spread."""
        gain = spline_gain(scale, True, self.n_jobs)
        return joint_gain(gain, self.length) if self.interacting else gain

    @property
    def across(self) -> FloatArray:
        """What the directions of edges are worth when every column may be on any scale and have any spread."""
        turned = self.alternatives.turned
        return across_models(self.graph, self.objective, self.scales, turned, self.until, self.n_jobs)

    @cached_property
    def filled(self) -> FloatArray:
        """The same with rounding cells filled in parents, too; NaN where no column of the change is rounded."""
        turned = touching(self.alternatives.turned, self.scales[0].rounded)
        scales = [scale.filled() for scale in self.scales]
        own = next(scale for scale in scales if self.scale.name.startswith(scale.name))
        try:
            gain = self._uneven_on(own)
            if isinstance(self.objective.gain, ProportionalGain):
                gain = ProportionalGain(gain, scales[0])
            objective = replace(self.objective, gain=gain).within(self.until)
            return across_models(self.graph, objective, scales, turned, self.until, self.n_jobs)
        except BudgetSpent:
            return np.full(self.graph.shape, np.nan)

    @property
    def varies(self) -> FloatArray:
        """Variance of what the directions of edges are worth, from row to row."""
        return variance_of_directions(
            self.graph, self.objective.gain, self.alternatives.turned, self.until, self.n_jobs
        )

    @property
    def repeats(self) -> bool:
        """Whether rows show draws of some columns again and again."""
        told = self.experiments
        return isinstance(self.scale, RowsScale) if told is None else told.repeats

    def evidence(self, processes: Mapping[str, Numbers] | None = None) -> PairEvidence:
        """All that is known of the pairs; `processes` are the edges' numbers by processes, where they decided."""
        return pair_evidence(self, processes)

    @property
    def either_way(self) -> BoolArray:
        """Links (d, d), symmetric, whose direction is not claimed by this likelihood alone."""
        return open_links(probabilities(self.evidence(), self.scene.known), self.graph)

    @property
    def notes(self) -> list[str]:
        """What was chosen, in plain words."""
        base, *others = self.scale.name.split(", some children ")
        some = [f"some children {SCALES[name].removeprefix('the columns were used ')}" for name in others]
        children, lines = int(self.graph.any(axis=0).sum()), self.lines
        said = [SCALES["data"] if lines == children > 0 else "; ".join([SCALES[base], *some])]
        if lines:
            said.append(
                f"noise multiplies: {lines} of {children} effects are a straight line of their causes, times noise"
            )
        if self.graph.any():  # nothing is known of the effects of no parents
            said.append(
                "the noise is heteroscedastic: its variance depends on the parents"
                if self.uneven
                else "the noise has constant variance"
            )
            said.append(
                "parents interact: the effect of one may depend on the values of the others"
                if self.interacting
                else "the effects of parents are additive"
            )
        if self.repeats:
            said.append(
                "groups of rows share the values of some columns, as in families or repeated measurements: each group "
                "counts as one observation of those columns"
            )
        return said
