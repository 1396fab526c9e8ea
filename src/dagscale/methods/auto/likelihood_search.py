"""`search`: the graph of a table by one objective, from the scale to the edges' numbers.

1. Scales (as given, log, normal scores): a greedy additive graph and one by an order search on each; the better
   one's score with interactions and with a spread that follows the parents, wherever they pay, picks the scale and
   the kind of noise.
2. Additive splines: climb on that scale by single edges, paths and exchanges.
3. Interactions: where they tell more of that graph, climb again with a joint process in every mean.
4. Columns that tell clearly more on another scale change theirs, and the graph is climbed from again.

`Found` then reads off every edge's nats, those for its direction, and the links whose direction stays open.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.graphs.pair_values import Numbers
from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.subsample import drawn_rows
from dagscale.methods.auto.across_models import across_models
from dagscale.methods.auto.alternatives import Alternatives, alternatives
from dagscale.methods.auto.certainty import PairEvidence, open_links, probabilities
from dagscale.methods.auto.edge_numbers import EdgeNumbers, numbers
from dagscale.methods.auto.loop import Proposer, climb, greedy
from dagscale.methods.auto.objective import Objective, item_of
from dagscale.methods.auto.order_search import by_order
from dagscale.methods.auto.pair_evidence import pair_evidence
from dagscale.methods.auto.proposers import Scene, exchange, path, single, wide
from dagscale.methods.auto.replicates import repeated
from dagscale.methods.auto.residual_checks import Residuals, residual_checks
from dagscale.methods.auto.settings import SETTINGS, LikelihoodSettings
from dagscale.models.likelihood.columns import Scale, scales_of
from dagscale.models.likelihood.joint_gain import JointGain, best_length
from dagscale.models.likelihood.rows_gain import RowsScale, joint_gain, rows_scales, spline_gain
from dagscale.models.likelihood.spline_gain import CONSTANT, LEVEL, PARENTS, SplineGain
from dagscale.runtime.clock import late
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dagscale.methods.auto.changes import Experiments

EVEN, UNEVEN = (CONSTANT,), (CONSTANT, LEVEL, PARENTS)
PROPOSERS: tuple[Proposer, ...] = (single, path, exchange)
STEPS = 4  # that progress counts
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

    def at(self, graph: BoolArray) -> "Found":
        """Return the same of another graph."""
        return replace(self, graph=graph)

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
        return residual_checks(self.X, self.graph, self.objective.gain)

    @property
    def across(self) -> FloatArray:
        """What the directions of edges are worth when every column may be on any scale and have any spread."""
        return across_models(self.graph, self.objective, self.scales, self.alternatives.turned, self.until)

    @property
    def repeats(self) -> bool:
        """Whether rows show draws of some columns again and again."""
        return self.experiments is None and isinstance(self.scale, RowsScale)

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
        said = ["; ".join([SCALES[base], *some])]
        said.append(
            "the noise is heteroscedastic: its spread depends on the parents"
            if self.uneven
            else "the noise of a column has the same spread everywhere"
        )
        said.append(
            "the effect of a parent may depend on the others"
            if self.interacting
            else "the effects of parents add up"
        )
        if self.repeats:
            said.append(
                "columns repeat together from row to row, as in families or series of measurements: each of their "
                "draws counts once"
            )
        return said


def search(
    X: FloatArray,
    known: Constraints | None = None,
    deadline: float = np.inf,
    settings: LikelihoodSettings | None = None,
    progress: Progress = silent,
    quick: bool = False,
    kinds: tuple[str, ...] = (),
    left_out: BoolArray | None = None,
) -> Found:
    """Find the graph of a table X (n, d), within what is known, by a deadline of `time.monotonic`.

    `quick` leaves out the search for interactions, most of the time. `kinds` are the columns', () if continuous.
    Cells of `left_out` (n, d) were set, or came about otherwise than by the column's own mechanism: they tell
    nothing of it. If None, those that show once more what another row has shown (`replicates.py`).
    """
    settings = settings or SETTINGS.likelihood
    known = known or Constraints.none(X.shape[1])
    rows = drawn_rows(len(X), settings.rows)
    X, left_out = X[rows], repeated(X[rows], kinds) if left_out is None else left_out[rows]
    left_out = left_out if left_out.any() else None
    line = _Line(progress)
    first = _tries(X, known, settings, deadline, kinds, left_out)
    best = _likeliest(first, settings.rescaled)
    line.next()
    uneven = best.uneven_score > best.even_score + settings.uneven * abs(best.even_score)
    additive = best.uneven if uneven else best.even
    graph = _climbed(best, additive, settings, deadline, line)
    line.next()
    gain: SplineGain | JointGain = additive
    if not quick and not late(deadline):
        joint = best_length(additive, graph, joint_gain)
        if not (pays := _pays(joint, additive, graph, settings)) and len(graph) <= settings.every_set:
            objective = Objective(joint, len(graph), settings.caution)  # parents that do nothing alone
            graph = climb(graph, objective, best.scene, (wide,), deadline, line)
            pays = _pays(joint, additive, graph, settings)
        gain = joint if pays else additive
    interacting = gain is not additive
    proposers = (*PROPOSERS, wide) if interacting else PROPOSERS
    objective, scene = Objective(gain, len(graph), settings.caution), best.scene
    graph = climb(graph, objective, scene, proposers, deadline, line) if interacting else graph
    line.next()
    if not late(deadline):
        objective = replace(objective, gain=_mixed(gain, [t.scale for t in first], graph, settings))
        graph = climb(graph, objective, scene, proposers, deadline, line)
    line.next()
    return Found(
        graph,
        X,
        objective,
        scene,
        settings,
        uneven,
        interacting,
        late(deadline),
        scales=tuple(t.scale for t in first),
    )


class _Line:
    """The line of progress: which step, and the best score so far."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.step = progress, 0
        progress("searching by likelihood", 0, STEPS)

    def __call__(self, score: float) -> None:
        """Tell a score."""
        self.progress(f"searching by likelihood, best so far {score:.0f} nats", self.step, STEPS)

    def next(self) -> None:
        """Begin the next step."""
        self.step += 1
        self.progress("searching by likelihood", self.step, STEPS)


def _tries(
    X: FloatArray,
    known: Constraints,
    settings: LikelihoodSettings,
    deadline: float,
    kinds: tuple[str, ...],
    left_out: BoolArray | None,
) -> list["_Try"]:
    """Try the scales in turn, the data's own in any case."""
    tried: list[_Try] = []
    scales: Sequence[Any] = scales_of(X, kinds) if left_out is None else rows_scales(X, left_out, kinds)
    for scale in scales:
        if not tried or not late(deadline):
            tried.append(_Try.of(scale, known, settings, deadline))
    return tried


@dataclass
class _Try:
    """Starts on one scale, the best first, and what it is worth with even and uneven noise, interactions included."""

    scale: Scale
    scene: Scene
    even: SplineGain
    uneven: SplineGain
    objective: Objective
    starts: list[BoolArray]
    even_score: float
    uneven_score: float

    @classmethod
    def of(cls, scale: Any, known: Constraints, settings: LikelihoodSettings, deadline: float) -> "_Try":
        d = scale.children.shape[1]
        even = spline_gain(scale, EVEN)
        uneven = even.with_spreads(UNEVEN)
        scene = Scene(
            known,
            known.allowed,
            min(settings.max_parents, len(scale.children) // 20 + 1),
        )
        objective = Objective(even, d, settings.caution)
        starts = [greedy(objective, scene, deadline)]
        if d <= settings.ordered:
            price = objective.price(int(starts[0].sum()))
            rows = scale.own_rows if isinstance(scale, RowsScale) else None
            starts.append(by_order(scale.children, known, price, starts[0], deadline, rows))
        starts.sort(key=lambda start: -objective.score(start))
        graph = starts[0]
        with_joint = best_length(even, graph, joint_gain)
        even_score = replace(objective, gain=with_joint).score(graph)
        by_uneven = replace(objective, gain=with_joint.beside(uneven))
        uneven_score = by_uneven.score(graph)
        if uneven_score > even_score:  # a graph found by even noise does not do it justice
            own = greedy(replace(objective, gain=uneven), scene, deadline)
            uneven_score = max(uneven_score, by_uneven.score(own))
        return cls(scale, scene, even, uneven, objective, starts, even_score, uneven_score)

    @property
    def score(self) -> float:
        """The better of the two."""
        return max(self.even_score, self.uneven_score)


def _climbed(
    best: _Try, additive: SplineGain, settings: LikelihoodSettings, deadline: float, line: "_Line"
) -> BoolArray:
    """Climb by additive curves from every start that is not far behind, and return the best that was reached."""
    objective = Objective(additive, best.objective.d, settings.caution)
    starts = best.starts if additive is best.even else [greedy(objective, best.scene, deadline), *best.starts]
    scores = [objective.score(start) for start in starts]
    least = max(scores) - (1.0 - settings.near) * abs(max(scores))
    near = [start for start, score in zip(starts, scores, strict=True) if score >= least]
    reached = [climb(start, objective, best.scene, PROPOSERS, deadline, line) for start in near]
    return max(reached, key=objective.score)


def _likeliest(tries: Sequence[_Try], margin: float) -> _Try:
    """The likeliest scale; the data's own, which comes first, unless another is clearly better."""
    best = max(tries, key=lambda one: one.score)
    return best if best.score > tries[0].score + margin * abs(tries[0].score) else tries[0]


def _pays(joint: JointGain, additive: SplineGain, graph: BoolArray, settings: LikelihoodSettings) -> bool:
    """Whether interactions tell more of the children of a graph than their curves, by enough to search on."""
    items = [item_of(graph, j) for j in range(len(graph))]
    curves = additive(items).sum()
    return bool(joint(items).sum() > curves + settings.interacting * abs(curves))


def _mixed(
    gain: SplineGain | JointGain, scales: Sequence[Scale], graph: BoolArray, settings: LikelihoodSettings
) -> SplineGain | JointGain:
    """Give children that tell clearly more on another scale that scale; return the gain on what results."""
    children = np.flatnonzero(graph.any(axis=0))
    items = [item_of(graph, int(j)) for j in children]
    base = gain.scale.name
    for other in scales:
        if other.name == base:
            continue
        crossed = gain.on(gain.scale.with_children(other, np.ones(len(graph), dtype=bool)))
        more = crossed(items) - gain(items)
        better = np.zeros(len(graph), dtype=bool)
        better[children[more > settings.column_rescaled]] = True
        if better.any():
            gain = gain.on(gain.scale.with_children(other, better))
    return gain


def searched_on(
    found: Found, graph: BoolArray, left_out: BoolArray, kinds: tuple[str, ...], deadline: float
) -> Found:
    """Climb on from a graph by the same kind of likelihood where other cells (n, d) tell nothing of their column."""
    scales: Sequence[Any] = (
        rows_scales(found.X, left_out, kinds) if left_out.any() else scales_of(found.X, kinds)
    )
    name = found.scale.name.split(", some children ")[0]
    scale = next((one for one in scales if one.name == name), scales[0])
    gain = spline_gain(scale, UNEVEN if found.uneven else EVEN)
    if found.interacting:
        gain = joint_gain(gain, found.length)
    objective = replace(found.objective, gain=gain)
    proposers = (*PROPOSERS, wide) if found.interacting else PROPOSERS
    graph = climb(graph, objective, found.scene, proposers, deadline)
    return replace(found, graph=graph, objective=objective, late=late(deadline))
