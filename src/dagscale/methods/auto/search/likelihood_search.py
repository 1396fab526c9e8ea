"""`search`: the graph of a table by one objective.

1. Candidates (`candidates.py`): every pair, or in wide tables those of which one column tells something of the other.
2. Scales (as given, log, normal scores): a greedy graph on each shows which scale and which kind of noise is the
   likeliest (`scale_choice.py`). Where that is not the data's own and not by far, 3 and 4 are done on both.
3. Additive splines: climb on that scale by single edges and exchanges.
4. Interactions: where they tell more of that graph, columns that act through a node's parents are looked for, and
   the graph is climbed from with a joint process in every mean.
5. Columns that tell clearly more on another scale change theirs, and the graph is climbed from again.
6. Where children are clearly likelier as straight lines times noise, the graph is climbed from once more.

What the graph and its likelihood say of edges and directions is read off in the room `certainty`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.subsample import drawn_rows
from dagscale.methods.auto.search.candidates import candidate_pairs, interacting_pairs
from dagscale.methods.auto.search.found import Found
from dagscale.methods.auto.search.loop import Proposer, climb, greedy
from dagscale.methods.auto.search.objective import Objective, item_of
from dagscale.methods.auto.search.proposers import Scene, exchange, single, wide
from dagscale.methods.auto.search.replicates import shown_again
from dagscale.methods.auto.search.row_sets import shared_sets
from dagscale.methods.auto.search.scale_choice import Start, clearly_more, contenders
from dagscale.methods.auto.search.within import Within
from dagscale.methods.auto.settings import SETTINGS, LikelihoodSettings
from dagscale.methods.context import Context
from dagscale.models.gain import Likelihood
from dagscale.models.likelihood.columns import FINE, Scale, scales_of
from dagscale.models.likelihood.proportional import ProportionalGain, may_be_proportional
from dagscale.models.likelihood.rows_gain import best_length, joint_gain, rows_scales, spline_gain, whole
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.models.splines import SplineTable
from dagscale.runtime.clock import BudgetSpent
from dagscale.runtime.progress import Progress
from dagscale.runtime.types import BoolArray, FloatArray

PROPOSERS: tuple[Proposer, ...] = (single, exchange)
STEPS = ("the scale of the columns", "links and directions", "scales of single columns", "done")


def search(
    X: FloatArray,
    context: Context | None = None,
    settings: LikelihoodSettings | None = None,
    left_out: BoolArray | None = None,
) -> Found:
    """Find the graph of a table X (n, d), within what is known, by the context's deadline.

    The quick effort looks only near the additive graph for interactions, which take most of the time. Cells of
    `left_out` (n, d) were set, or came about otherwise than by the column's own mechanism: they tell nothing of it. If
    None, those that show once more what another row has shown (`replicates.py`).
    """
    settings = settings or SETTINGS.likelihood
    context = context or Context(Constraints.none(X.shape[1]))
    rows = drawn_rows(len(X), settings.rows)
    X, left_out = X[rows], shown_again(X[rows], rows, context) if left_out is None else left_out[rows]
    line = _Line(context.progress)
    scene = Scene(
        context.constraints,
        candidate_pairs(X, context, settings),
        min(settings.max_parents, len(X) // 20 + 1),
    )
    scales = _scales(X, left_out, scene, context)
    starts = contenders(scales, scene, context, settings)
    if not context.out_of_time() and _rises_and_falls(starts[0], context):
        scales = [scale.of_rank(FINE) for scale in scales]
        starts = contenders(scales, scene, context, settings)
    line.next()
    found = _searched(starts[0], X, scene, scales, context, line)
    for start in starts[1:]:  # a poor graph may prefer a scale that a good one does not
        if not context.out_of_time():
            other = _searched(start, X, scene, scales, context, line)
            found = other if clearly_more(other.score, found.score, settings.rescaled) else found
    line.next()
    found = _with_own_scales(found, context, line)
    found = _with_proportional_noise(found, context, line)
    line.next()
    return replace(found, late=context.out_of_time())


def _searched(
    start: Start, X: FloatArray, scene: Scene, scales: Sequence[Any], context: Context, line: "_Line"
) -> Found:
    """Climb on the scale of a start: by additive curves, then with interactions."""
    settings = start.settings
    additive = start.uneven if start.is_uneven else start.even
    found = Found(
        _climbed(start, additive, scene, context, line),
        X, Objective(additive, X.shape[1], settings.caution), scene, settings, start.is_uneven,
        interacting=False, scales=tuple(scales),
    )  # fmt: skip
    return _with_interactions(found, additive, context, line)


def _scales(X: FloatArray, left_out: BoolArray, scene: Scene, context: Context) -> list[Any]:
    """Return the scales to be tried; where cells (n, d) are left out, for every child on its own rows."""
    if not left_out.any():
        return list(scales_of(X, context.kinds))
    return list(rows_scales(X, shared_sets(left_out, scene.mask), context.kinds))


def _rises_and_falls(start: Start, context: Context) -> bool:
    """Whether effects bend so often that more functions of every parent tell clearly more of the start's best graph."""
    finer = spline_gain(start.scale.of_rank(FINE), n_jobs=context.n_jobs)
    try:
        return _pays(Within(finer, context.deadline), start.even, start.graphs[0], start.settings)
    except BudgetSpent:
        return False


class _Line:
    """The line of progress: which step, and the best score so far."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.step, self.best = progress, 0, -np.inf
        progress(f"likeliest graph: {STEPS[0]}", 0, len(STEPS) - 1)

    def __call__(self, score: float) -> None:
        """Tell the best score so far: a search from another start, or on another scale, begins below it."""
        self.best = max(self.best, score)
        what = f"likeliest graph: {STEPS[self.step]}, best so far log likelihood {self.best:+.0f}"
        self.progress(what, self.step, len(STEPS) - 1)

    def next(self) -> None:
        """Begin the next step."""
        self.step += 1
        self.progress(f"likeliest graph: {STEPS[self.step]}", self.step, len(STEPS) - 1)


def _climbed(start: Start, additive: SplineGain, scene: Scene, context: Context, line: _Line) -> BoolArray:
    """Climb by additive curves from the best of the graphs to start from."""
    settings, deadline = start.settings, context.deadline
    objective = Objective(additive, len(scene.mask), settings.caution)
    graphs = start.graphs if additive is start.even else [greedy(objective, scene, deadline), *start.graphs]
    return climb(max(graphs, key=objective.score), objective, scene, PROPOSERS, deadline, line)


def _with_interactions(found: Found, additive: SplineGain, context: Context, line: _Line) -> Found:
    """Climb on with interactions, where they pay."""
    settings, graph, deadline = found.settings, found.graph, context.deadline
    if context.out_of_time():
        return found
    joint = best_length(additive, graph)
    objective, watched = replace(found.objective, gain=joint), Within(joint, deadline)
    graph, scene = _through_parents(found, objective, context, line)
    quick = context.effort == "quick"
    try:
        if (
            not (pays := _pays(watched, additive, graph, settings))
            and not quick
            and len(graph) <= settings.every_set
        ):
            graph = climb(graph, objective, scene, (wide,), deadline, line)  # parents that do nothing alone
            pays = _pays(watched, additive, graph, settings)
    except BudgetSpent:
        return found
    if not pays:
        return found
    found = replace(found, graph=graph, objective=objective, scene=scene, interacting=True)
    if not quick:
        found = found.at(climb(graph, objective, scene, _proposers(found), deadline, line))
    return found


def _through_parents(
    found: Found, objective: Objective, context: Context, line: _Line
) -> tuple[BoolArray, Scene]:
    """Offer every node the columns that act through its parents, and climb among these and the graph's own edges."""
    graph, scene = found.graph, found.scene
    table = SplineTable.of(whole(found.scale).parents, n_jobs=context.n_jobs, kinds=context.kinds)
    for _ in range(found.settings.offers):
        offered = interacting_pairs(table, graph, context)
        scene = replace(scene, mask=scene.mask | offered)
        near = replace(scene, mask=scene.mask & (graph | graph.T | offered))
        after = climb(graph, objective, near, (single,), context.deadline, line)
        if np.array_equal(after, graph) or context.out_of_time():
            return after, scene
        graph = after
    return graph, scene


def _proposers(found: Found) -> tuple[Proposer, ...]:
    """Every proposer that is worth its time: sets of parents are grown where there are few columns."""
    together = found.interacting and len(found.graph) <= SETTINGS.narrow_table
    return (*PROPOSERS, wide) if together else PROPOSERS


def _with_own_scales(found: Found, context: Context, line: _Line) -> Found:
    """Give children that tell clearly more on another scale that scale, and climb on."""
    if context.out_of_time():
        return found
    try:
        gain = _mixed(found.objective.gain, found.scales, found.graph, found.settings, context.deadline)
    except BudgetSpent:
        return found
    if gain is found.objective.gain:
        return found
    objective = replace(found.objective, gain=gain)
    proposers = PROPOSERS if context.effort == "quick" else _proposers(found)
    graph = climb(found.graph, objective, found.scene, proposers, context.deadline, line)
    return replace(found, graph=graph, objective=objective)


def _with_proportional_noise(found: Found, context: Context, line: _Line) -> Found:
    """Climb on with lines times noise in competition, where they tell clearly more of the graph.

    Not where interventions or repeats say which rows tell of a column, or among very many columns.
    """
    data, graph = found.scales[0], found.graph
    plain = isinstance(data, Scale) and context.conditions is None and len(graph) <= found.settings.ordered
    if context.out_of_time() or not plain or not found.continuous or not may_be_proportional(data, graph):
        return found
    gain = found.objective.gain
    objective = replace(
        found.objective, gain=ProportionalGain(gain.additive if found.interacting else gain, data)
    )
    try:
        score = objective.within(context.deadline).score(graph)
    except BudgetSpent:
        return found
    if not clearly_more(score, found.score, found.settings.rescaled):
        return found
    graph = climb(graph, objective, found.scene, PROPOSERS, context.deadline, line)
    return replace(found, graph=graph, objective=objective, uneven=True, interacting=False)


def _pays(richer: Likelihood, additive: SplineGain, graph: BoolArray, settings: LikelihoodSettings) -> bool:
    """Whether interactions, or finer curves, tell more of the children of a graph by enough to search on."""
    items = [item_of(graph, j) for j in range(len(graph))]
    curves = additive(items).sum()
    enough = min(settings.interacting * abs(curves), settings.interacting_rows * additive.n)
    return bool(richer(items).sum() > curves + enough)


def _mixed(
    gain: Any, scales: Sequence[Scale], graph: BoolArray, settings: LikelihoodSettings, deadline: float
) -> Any:
    """Give children that tell clearly more on another scale that scale; return the gain on what results."""
    children = np.flatnonzero(graph.any(axis=0))
    items = [item_of(graph, int(j)) for j in children]
    base = gain.scale.name
    for other in scales:
        if other.name == base:
            continue
        crossed = gain.on(gain.scale.with_children(other, np.ones(len(graph), dtype=bool)))
        more = Within(crossed, deadline)(items) - gain(items)
        better = np.zeros(len(graph), dtype=bool)
        better[children[more > settings.column_rescaled]] = True
        if better.any():
            gain = gain.on(gain.scale.with_children(other, better))
    return gain


def searched_on(found: Found, graph: BoolArray, left_out: BoolArray, context: Context) -> Found:
    """Climb on from a graph by the same kind of likelihood where other cells (n, d) tell nothing of their column.

    Wide tables have no moves that lead far from a graph that wrong labels led to: there a new greedy graph is climbed
    from, too.
    """
    scales = [one.of_rank(found.scale.rank) for one in _scales(found.X, left_out, found.scene, context)]
    name = found.scale.name.split(", some children ")[0]
    scale = next((one for one in scales if one.name == name), scales[0])
    gain = spline_gain(scale, found.uneven, context.n_jobs)
    if found.interacting:
        gain = joint_gain(gain, found.length)
    objective = replace(found.objective, gain=gain)
    starts = [graph]
    if len(graph) > SETTINGS.narrow_table:
        starts.append(greedy(objective, found.scene, context.deadline))
    proposers, deadline = _proposers(found), context.deadline
    reached = [climb(start, objective, found.scene, proposers, deadline) for start in starts]
    graph = max(reached, key=objective.score)
    return replace(found, graph=graph, objective=objective, late=context.out_of_time())
