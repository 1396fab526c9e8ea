"""`Reading`: what a graph and the likelihood that decided on it say of edges, directions and doubts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dagscale.methods.auto.certainty.across_models import across_models, touching
from dagscale.methods.auto.certainty.alternatives import Alternatives, alternatives
from dagscale.methods.auto.certainty.edge_numbers import EdgeNumbers, numbers
from dagscale.methods.auto.certainty.residual_checks import Residuals, residual_checks
from dagscale.methods.auto.certainty.row_support import variance_of_directions
from dagscale.methods.auto.search.found import Found
from dagscale.methods.auto.search.objective import Change, Objective
from dagscale.models.likelihood.proportional import ProportionalGain
from dagscale.models.likelihood.rows_gain import joint_gain, spline_gain
from dagscale.runtime.clock import BudgetSpent
from dagscale.runtime.types import BoolArray, FloatArray


@dataclass(frozen=True)
class Reading:
    """What is read off a graph that was found, each part once.

    Attributes
    ----------
    found : Found
    until : float
        When it must be read off.
    n_jobs : int or None
    """

    found: Found
    until: float = np.inf
    n_jobs: int | None = 1

    def by(self, until: float) -> "Reading":
        """Return the same with another time; what is known of noise is kept."""
        later = replace(self, until=until)
        later.__dict__["residuals"] = self.residuals
        return later

    def beside(self, found: Found, near: Alternatives) -> "Reading":
        """Return the same of another graph, the graphs next to which were looked at before."""
        other = replace(self, found=found)
        other.__dict__["alternatives"] = near
        return other

    @cached_property
    def numbers(self) -> EdgeNumbers:
        """What every edge adds, and its direction."""
        return numbers(self.found.graph, self.found.objective.gain, self.alternatives)

    @cached_property
    def alternatives(self) -> Alternatives:
        """What the graphs next to this one are worth."""
        return alternatives(self.found.graph, self.found.objective, self.found.scene, self.until)

    @cached_property
    def residuals(self) -> Residuals:
        """What the noise still depends on."""
        found = self.found
        return residual_checks(found.X, found.graph, found.objective.gain, self.n_jobs, self.other_models)

    @cached_property
    def other_models(self) -> list[Any]:
        """Models that compete with the one that decided: every scale, any spread."""
        return [self._uneven_on(scale) for scale in self.found.scales]

    def _uneven_on(self, scale: Any) -> Any:
        """Return the likelihood on a scale, of any spread."""
        gain = spline_gain(scale, True, self.n_jobs)
        return joint_gain(gain, self.found.length) if self.found.interacting else gain

    def across(self, asked: BoolArray) -> FloatArray:
        """What the directions of edges are worth when every column may be on any scale and have any spread."""
        return self._compared(self._turned(asked), self.found.objective, self.found.scales)

    def filled(self, asked: BoolArray) -> FloatArray:
        """The same with rounding cells filled in parents, too; NaN where no column of the change is rounded."""
        found, objective = self.found, self.found.objective
        turned = touching(self._turned(asked), found.scales[0].rounded)
        scales = [scale.filled() for scale in found.scales] if turned else []
        for own in (scale for scale in scales if found.scale.name.startswith(scale.name)):
            gain = self._uneven_on(own)
            lines = isinstance(objective.gain, ProportionalGain)
            objective = replace(objective, gain=ProportionalGain(gain, scales[0]) if lines else gain)
        try:
            return self._compared(turned, objective.within(self.until), scales)
        except BudgetSpent:
            return np.full(found.graph.shape, np.nan)

    def _compared(
        self, turned: Mapping[tuple[int, int], Change], objective: Objective, scales: Any
    ) -> FloatArray:
        return across_models(self.found.graph, objective, scales, turned, self.until, self.n_jobs)

    def varies(self, asked: BoolArray) -> FloatArray:
        """Variance of what the directions of edges are worth, from row to row."""
        found, turned = self.found, self._turned(asked)
        return variance_of_directions(found.graph, found.objective.gain, turned, self.until, self.n_jobs)

    def _turned(self, asked: BoolArray) -> dict[tuple[int, int], Change]:
        """The best change that turns each of the edges `asked` for (d, d), where there is one."""
        return {edge: change for edge, change in self.alternatives.turned.items() if asked[edge]}
