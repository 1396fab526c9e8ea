"""Conditions: what changed under them, searched together with the edges.

1. Start from a graph found without the cells that moved under an environment, or were said to be set.
2. Climb by `ChangesGain`, which gives every child with every set of parents its best set of changed conditions.
3. What was said to be set is not believed blindly: a target that follows its usual mechanism counts as observed, a
   column that changed without being named is left out there; both are said.
"""

from dataclasses import dataclass, replace

import numpy as np

from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.subsample import drawn_rows
from dagscale.methods.auto.conditions.groups import Groups
from dagscale.methods.auto.conditions.shifted import align, whole_table_shifts
from dagscale.methods.auto.search.found import Found
from dagscale.methods.auto.search.likelihood_search import search, searched_on
from dagscale.methods.auto.search.loop import climb
from dagscale.methods.auto.search.objective import Objective
from dagscale.methods.auto.search.proposers import exchange, single
from dagscale.methods.auto.search.replicates import shown_again
from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.context import Context
from dagscale.models.likelihood.changes import ChangesGain
from dagscale.models.likelihood.columns import Scale
from dagscale.models.likelihood.rows_changes import RowsChanges
from dagscale.models.likelihood.rows_gain import RowsScale, rows_scales, whole
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer, Dispute

SURE = 0.99  # share of a link's probability that a direction has which an experiment settled
ROUNDS = 3  # of changes given a graph and a graph given changes


@dataclass(frozen=True)
class Experiments:
    """What conditions told.

    Attributes
    ----------
    groups : Groups
        Of all rows of the table.
    changed : (groups, d) bool array
        Whose mechanism is another than the reference's, as far as the data tell.
    order : (d, d) bool array
        [i, j]: experiments show that i comes before j: j moved, through its usual mechanism, where i alone changed.
    moved : (groups, d) bool array
        Where conditions shift the whole table, the columns that are distributed otherwise than in the reference.
    table : (n, d) float array
        The table as it was looked at: where they do, with every condition's columns brought to the reference's mean
        and spread.
    repeats : bool
        Whether rows show draws of some columns again and again.
    """

    groups: Groups
    changed: BoolArray
    order: BoolArray
    moved: BoolArray
    table: FloatArray
    repeats: bool = False

    @property
    def left_out(self) -> BoolArray:
        """Cells (n, d) that tell nothing of their column's mechanism."""
        return self.groups.cells(self.changed)

    def settled(self, graph: BoolArray) -> BoolArray:
        """Edges (d, d) of a graph whose direction experiments show, and no experiment shows the other way."""
        return np.asarray(self.order & ~self.order.T & graph)


def search_conditions(X: FloatArray, context: Context) -> Found:
    """Find the graph of a table whose rows were seen under conditions, and what changed under them."""
    done, settings = context.conditions, SETTINGS.likelihood
    assert done is not None
    groups = Groups.of(done)
    rows = drawn_rows(len(X), settings.rows)
    again = shown_again(X[rows], rows, context)  # a draw stays one draw when its column is aligned
    drawn = replace(groups, of_row=groups.of_row[rows], again=again if again.any() else None)
    table, shifted = X, False
    price = drawn.prices(settings)
    found, start = _started(table[rows], drawn, price, context)
    if not found.late and _whole_table_shifts(found, drawn, start, context):
        table, shifted = align(X, groups, found.scale.name.startswith("log")), True
        found, start = _started(table[rows], drawn, price, context)
    found, changed = _together(found, drawn, start, price, context)
    order = order_shown(table[rows], drawn, changed)
    moved = drawn.moves(X[rows], price) if shifted else np.zeros_like(changed)
    return replace(found, experiments=Experiments(groups, changed, order, moved, table, bool(again.any())))


def order_shown(X: FloatArray, groups: Groups, changed: BoolArray) -> BoolArray:
    """Return what experiments show of the order (d, d): j moved, through its usual mechanism, where i alone changed."""
    through = groups.moves(X, SETTINGS.likelihood.either_way) & ~changed
    order = np.zeros((X.shape[1],) * 2, dtype=bool)
    for g in np.flatnonzero(changed.sum(axis=1) == 1):
        order[changed[g]] |= through[g]
    return order


def _started(X: FloatArray, groups: Groups, price: FloatArray, context: Context) -> tuple[Found, BoolArray]:
    """Find a graph without the cells said to be set, or that moved under an environment; these are (groups, d)."""
    start = groups.targets | (groups.moves(X, price) & (groups.environment > 0)[:, None])
    return search(X, context, left_out=groups.cells(start)), start


def changes_gain(
    found: Found, groups: Groups, price: FloatArray, start: BoolArray, context: Context
) -> ChangesGain | RowsChanges:
    """Return the likelihood with changes on the scale found; where draws show again, of every child on its rows."""
    scale = _counted(found, groups, context)
    if not isinstance(scale, RowsScale):
        return ChangesGain(SplineGain(scale), groups.of_row, price, start)
    pairs = zip(scale.parts, scale.rows, strict=True)
    parts = [ChangesGain(SplineGain(part), groups.of_row[own], price, start) for part, own in pairs]
    return RowsChanges(parts, scale)


def _counted(found: Found, groups: Groups, context: Context) -> Scale | RowsScale:
    """Return the scale found, of all rows, or for every child of those that show its draws for the first time."""
    if groups.again is None:
        return whole(found.scale)
    scales = rows_scales(found.X, groups.again, context.kinds)
    name = found.scale.name.split(", some children ")[0]
    return next((one for one in scales if one.name == name), scales[0])


def _whole_table_shifts(found: Found, groups: Groups, start: BoolArray, context: Context) -> bool:
    """Say whether conditions shift the whole table; only numbers of many values can be brought back."""
    if any(level is not None for level in whole(found.scale).levels):
        return False
    scale = _counted(found, groups, context)
    scales = scale.parts if isinstance(scale, RowsScale) else (scale,)
    parts = [(own, rows, columns) for own, (columns, _, rows) in zip(scales, groups.by_columns, strict=True)]
    return whole_table_shifts(parts, groups, found.graph, start, SETTINGS.likelihood.caution)


def with_conditions(answer: Answer, told: Experiments | None) -> Answer:
    """Add what changed under conditions, what speaks against the labels, and the directions that are settled."""
    if told is None:
        return answer
    groups, settled = told.groups, told.settled(answer.adjacency)
    labels = int(groups.environment.max()) + 1
    changed = np.zeros((labels, len(settled)), dtype=bool)
    np.logical_or.at(changed, groups.environment, (told.changed | told.moved) & ~groups.targets)
    both = settled | settled.T
    open_ = None if answer.either_way is None else answer.either_way & ~both
    likely = answer.probabilities
    if likely is not None:
        pair = likely + likely.T
        likely = np.where(settled, SURE * pair, np.where(settled.T, (1.0 - SURE) * pair, likely))
    return replace(
        answer, changed=changed if labels > 1 else None, either_way=open_, probabilities=likely,
        disputes=_disputes(told), notes=(*answer.notes, *_shifted_note(told)),
    )  # fmt: skip


def _shifted_note(told: Experiments) -> list[str]:
    """Say that conditions shift the whole table."""
    if not told.moved.any():
        return []
    cells = told.moved[~told.groups.reference]
    return [
        f"the conditions shift the whole table ({int(cells.sum())} of {cells.size} columns clearly, counted in each "
        "condition): each column was brought to the reference's mean and spread, and these shifts were not used as "
        "evidence about directions"
    ]


def _disputes(told: Experiments) -> tuple[Dispute, ...]:
    """List the experiments whose labels the data contradict."""
    groups = told.groups
    found = []
    for g in np.flatnonzero(groups.targets.any(axis=1)):
        said = groups.targets[g]
        changed = told.changed[g] | (told.moved[g] & said)
        if not np.array_equal(said, changed):
            named, unmoved, also = (
                tuple(np.flatnonzero(own).tolist()) for own in (said, said & ~changed, changed & ~said)
            )
            found.append(Dispute(named, unmoved, also, int(groups.size[g])))
    return tuple(found)


def _together(
    found: Found, groups: Groups, start: BoolArray, price: FloatArray, context: Context
) -> tuple[Found, BoolArray]:
    """Change the graph given the changes and the changes given the graph, until neither moves.

    Where effects add up, both are climbed over at once; where parents interact, or columns have levels, or are too
    many for the sums over groups, in turn. Wide tables do without the proposer that takes most of the time.
    """
    additive = not found.interacting and all(kind == CONTINUOUS for kind in context.kinds)
    narrow = len(found.graph) <= SETTINGS.narrow_table
    proposers = (single, exchange) if narrow else (single,)
    gain = changes_gain(found, groups, price, start, context)
    changed, graph, left_out = start, found.graph, start
    for done in range(ROUNDS):
        changed = gain.changes(graph)
        if (done and np.array_equal(changed, left_out)) or found.late:
            break
        if not done and np.array_equal(changed, start):
            break
        gain = gain.from_changes(changed)
        if additive and (narrow or gain.sums is not None) and not done:
            objective = Objective(gain, len(graph), found.settings.caution)
            graph = climb(graph, objective, found.scene, proposers, context.deadline)
            changed = gain.changes(graph)
            gain = gain.from_changes(changed)
        found = searched_on(found, graph, groups.cells(changed), context)
        graph, left_out = found.graph, changed
    return found, left_out
