"""`Found`: a graph and the likelihood that decided on it."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.methods.auto.search.objective import Objective, item_of
from dagscale.methods.auto.search.proposers import Scene
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.models.likelihood.proportional import ProportionalGain
from dagscale.models.likelihood.rows_gain import RowsScale
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dagscale.methods.auto.conditions.changes import Experiments
    from dagscale.methods.auto.hidden.levels import Levels

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
    marked: BoolArray | None = None
    levels: "Levels | None" = None

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

    @property
    def repeats(self) -> bool:
        """Whether rows show draws of some columns again and again."""
        told = self.experiments
        return isinstance(self.scale, RowsScale) if told is None else told.repeats

    @property
    def notes(self) -> list[str]:
        """What was chosen, in plain words."""
        base, *others = self.scale.name.split(", some children ")
        some = [f"some children {SCALES[name].removeprefix('the columns were used ')}" for name in others]
        children, lines = int(self.graph.any(axis=0).sum()), self.lines
        said = [SCALES["data"] if lines == children > 0 else "; ".join([SCALES[base], *some])]
        if lines:
            said.append(
                f"noise multiplies: {lines} of {children} effects are likelier as a straight line of their causes, "
                "times noise; so hidden causes of two columns were not looked for"
            )
        if self.graph.any() and lines < children:  # nothing is known of the effects of no parents
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
