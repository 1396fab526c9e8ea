"""`search`: the graph of a table by one objective, from the scale to the edges' numbers.

1. Scales (as given, log, normal scores): a greedy additive graph on each; its score with interactions and a spread that
   follows the parents, wherever they pay, picks the scale and the kind of noise.
2. Additive splines: climb on that scale by single edges, paths and exchanges.
3. Columns that tell more on another scale change theirs.
4. Interactions: where they tell more of that graph, climb again with a joint process in every mean.
5. Read off every edge's nats, those for its direction, and the share of the variance its child's parents explain; mark
   what no direction can be told of.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.edge_numbers import Numbers, numbers
from dagscale.methods.auto.loop import Proposer, climb, greedy
from dagscale.methods.auto.objective import Objective, item_of
from dagscale.methods.auto.proposers import Scene, exchange, path, single
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.models.dependence import dependence, waves
from dagscale.models.gain import Gain
from dagscale.models.likelihood.columns import Scale, scales_of
from dagscale.models.likelihood.joint_gain import JointGain, best_length
from dagscale.models.likelihood.spline_gain import CONSTANT, LEVEL, PARENTS, SplineGain
from dagscale.runtime.types import BoolArray, FloatArray

EVEN, UNEVEN = (CONSTANT,), (CONSTANT, LEVEL, PARENTS)
PROPOSERS: tuple[Proposer, ...] = (single, path, exchange)


@dataclass
class Answer:
    """What the search found.

    Attributes
    ----------
    graph : (d, d) bool array
        [parent, child].
    score : float
        S(G), nats.
    gain : Gain
        The likelihood that decided: its `told[item]` says the spread, the share left, and whether parents interact.
    scale : Scale
        On which.
    uneven, interacting : bool
        Whether a spread that follows the parents, and interactions, were part of it.
    numbers : Numbers
        Of every edge.
    either_way : (d, d) bool array
        Symmetric: adjacent, and no direction is claimed.
    late : bool
        Whether the deadline ended the search.
    notes : list of str
    """

    graph: BoolArray
    score: float
    gain: Gain
    scale: Scale
    uneven: bool
    interacting: bool
    numbers: Numbers
    either_way: BoolArray
    late: bool = False
    notes: list[str] = field(default_factory=list)


def search(
    X: FloatArray,
    known: Constraints | None = None,
    deadline: float = np.inf,
    settings: LikelihoodSettings | None = None,
) -> Answer:
    """Find the graph of a table X (n, d), within what is known, by a deadline of `time.monotonic`."""
    settings = settings or LikelihoodSettings()
    known = known or Constraints.none(X.shape[1])
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[: settings.rows])
    first = [_Try.of(scale, known, settings, deadline) for scale in scales_of(X[rows])]
    best = _likeliest(first, settings.rescaled)
    uneven = best.uneven_score > best.even_score + settings.uneven * abs(best.even_score)
    additive = best.uneven if uneven else best.even
    graph = (
        greedy(Objective(additive, best.objective.d, settings.caution), best.scene, deadline)
        if uneven
        else best.graph
    )
    objective = Objective(additive, len(graph), settings.caution)
    graph = climb(graph, objective, best.scene, PROPOSERS, deadline)
    joint = best_length(additive, graph)
    interacting = _pays(joint, additive, graph, settings.interacting)
    gain = joint if interacting else additive
    graph = climb(graph, Objective(gain, len(graph), settings.caution), best.scene, PROPOSERS, deadline)
    gain = _mixed(gain, [t.scale for t in first], graph, settings)
    objective = Objective(gain, len(graph), settings.caution)
    graph = climb(graph, objective, best.scene, PROPOSERS, deadline)
    found = numbers(graph, objective, best.scene)
    open_ = either_way(X[rows], graph, objective.gain, gain.scale, found, settings)
    late = time.monotonic() >= deadline
    answer = Answer(graph, objective.score(graph), gain, gain.scale, uneven, interacting, found, open_, late)
    answer.notes = said(answer, first)
    return answer


@dataclass
class _Try:
    """A greedy additive graph on one scale, and what it is worth with even and uneven noise, interactions included."""

    scale: Scale
    scene: Scene
    even: SplineGain
    uneven: SplineGain
    objective: Objective
    graph: BoolArray
    even_score: float
    uneven_score: float

    @classmethod
    def of(cls, scale: Scale, known: Constraints, settings: LikelihoodSettings, deadline: float) -> "_Try":
        d = scale.children.shape[1]
        even, uneven = SplineGain(scale, EVEN), SplineGain(scale, UNEVEN)
        scene = Scene(
            known,
            _candidates(even, known, settings),
            min(settings.max_parents, len(scale.children) // 20 + 1),
        )
        objective = Objective(even, d, settings.caution)
        graph = greedy(objective, scene, deadline)
        items = [item_of(graph, j) for j in range(d)]
        with_joint = best_length(even, graph)
        cost = objective.cost(int(graph.sum()))
        even_score = float(with_joint(items).sum()) - cost
        uneven_score = float(JointGain(uneven, with_joint.length)(items).sum()) - cost
        return cls(scale, scene, even, uneven, objective, graph, even_score, uneven_score)

    @property
    def score(self) -> float:
        """The better of the two."""
        return max(self.even_score, self.uneven_score)


def _likeliest(tries: Sequence[_Try], margin: float) -> _Try:
    """The likeliest scale; the data's own, which comes first, unless another is clearly better."""
    best = max(tries, key=lambda one: one.score)
    return best if best.score > tries[0].score + margin * abs(tries[0].score) else tries[0]


def _candidates(gain: SplineGain, known: Constraints, settings: LikelihoodSettings) -> BoolArray:
    """Edges that may be put in one by one: all, or the likeliest partners of each column in either direction."""
    d = gain.d
    if d <= settings.all_pairs:
        return known.allowed
    alone = np.full((d, d), -np.inf)
    pairs = [(i, j) for i in range(d) for j in range(d) if i != j]
    alone[tuple(np.array(pairs).T)] = gain([(j, (i,)) for i, j in pairs])
    either = np.maximum(alone, alone.T)
    mask = np.zeros((d, d), dtype=bool)
    for j in range(d):
        mask[np.argsort(-either[:, j])[: settings.partners], j] = True
    return (mask | mask.T) & known.allowed


def _pays(joint: JointGain, additive: SplineGain, graph: BoolArray, share: float) -> bool:
    """Whether interactions tell more of the children of a graph than their curves, by enough to search on."""
    items = [item_of(graph, j) for j in range(len(graph))]
    curves = additive(items).sum()
    return bool(joint(items).sum() > curves + share * abs(curves))


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


def either_way(
    X: FloatArray, graph: BoolArray, gain: Gain, scale: Scale, found: Numbers, settings: LikelihoodSettings
) -> BoolArray:
    """Mark the edges whose direction cannot be told (d, d), symmetric.

    Those with few nats for their direction; those of children without noise (formulas, copies), all parents of which
    are marked; those of children whose rows repeat (designs, families, heavy rounding); and those whose child has noise that still depends on the parent: the model does not hold there.
    """
    open_ = np.zeros_like(graph)
    open_[graph] = found.direction[graph] < settings.either_way
    for j in np.flatnonzero(graph.any(axis=0)).tolist():
        parents = graph[:, j]
        left = gain.told[item_of(graph, j)].left
        rounding = settings.cells * scale.cell[j] / max(float(scale.children[:, j].var()), 1e-300)
        if left < max(settings.noiseless, min(rounding, 0.01)):
            open_[parents, j] = True
        together = np.column_stack([X[:, j], X[:, parents]])
        if len(np.unique(together, axis=0)) < settings.distinct * len(X):
            open_[parents, j] = True
        noise = gain.noise(item_of(graph, j))
        if np.isfinite(noise).all():
            sides = waves(X[:, parents]), waves(noise[:, None])
            test = dependence(*sides)
            depends = (test.size[:, 0] > settings.dependent) & (test.p_values[:, 0] < settings.chance)
            open_[np.flatnonzero(parents)[depends], j] = True
    return open_ | open_.T


def said(answer: Answer, tries: Sequence[_Try]) -> list[str]:
    """Say in plain words what was chosen."""
    notes = [f"scale: {answer.scale.name}"]
    notes.append(
        "scores by scale: "
        + ", ".join(f"{t.scale.name} {t.even_score:.0f}/{t.uneven_score:.0f}" for t in tries)
    )
    notes.append("noise whose spread follows the parents" if answer.uneven else "noise of constant spread")
    notes.append("parents interact" if answer.interacting else "additive effects")
    return notes
