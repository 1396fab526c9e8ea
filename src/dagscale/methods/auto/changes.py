"""Conditions: what changed under them, searched together with the edges.

1. Start from a graph found without the cells that moved under an environment, or were said to be set.
2. Climb by `ChangesGain`, which gives every child with every set of parents its best set of changed conditions.
3. What was said to be set is not believed blindly: a target that follows its usual mechanism counts as observed, a
   column that changed without being named is left out there; both are said.
"""

from dataclasses import dataclass, replace

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.subsample import drawn_rows
from dagscale.methods.auto.found import Found
from dagscale.methods.auto.likelihood_search import search, searched_on
from dagscale.methods.auto.loop import climb
from dagscale.methods.auto.objective import Objective
from dagscale.methods.auto.proposers import exchange, path, single
from dagscale.methods.auto.settings import SETTINGS, LikelihoodSettings
from dagscale.methods.context import Context
from dagscale.models.likelihood.changes import ChangesGain
from dagscale.models.likelihood.rows_gain import whole
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.stages.answer import Answer, Dispute

SURE = 0.99  # share of a link's probability that a direction has which an experiment settled
ROUNDS = 3  # of changes given a graph and a graph given changes


@dataclass(frozen=True)
class Groups:
    """Rows under the same condition: one environment, the same columns set.

    Attributes
    ----------
    of_row : (n,) int array
        Group of every row.
    targets : (groups, d) bool array
        What was said to be set.
    environment : (groups,) int array
        A place among the conditions' labels.
    """

    of_row: IntArray
    targets: BoolArray
    environment: IntArray

    @classmethod
    def of(cls, done: Conditions) -> "Groups":
        """Group the rows of a table."""
        key = np.column_stack([done.environment, done.targets.astype(np.intp)])
        found, of_row = np.unique(key, axis=0, return_inverse=True)
        return cls(of_row.reshape(-1), found[:, 1:] > 0, found[:, 0])

    @property
    def size(self) -> IntArray:
        """Rows of every group."""
        return np.bincount(self.of_row, minlength=len(self.targets))

    @property
    def reference(self) -> BoolArray:
        """Which groups (groups,) are what the others are compared with: nothing set, the reference environment.

        Where there is none, the largest.
        """
        plain = (self.environment == 0) & ~self.targets.any(axis=1)
        largest: BoolArray = np.arange(len(plain)) == self.size.argmax()
        return np.asarray(plain if plain.any() else largest)

    def prices(self, settings: LikelihoodSettings) -> FloatArray:
        """Nats that a change of each column (groups, d) must earn beside its parameters; inf for the reference."""
        a_row = np.where(self.targets.any(axis=1), settings.off_target, settings.slight)
        usual = np.log(self.targets.shape[1]) + settings.caution + (a_row * self.size)[:, None]
        price = np.where(self.targets, 0.0, usual)
        price[self.reference & ~self.targets.any(axis=1)] = np.inf
        return price

    def cells(self, changed: BoolArray) -> BoolArray:
        """Return the cells (n, d) of changed groups (groups, d)."""
        return np.asarray(changed[self.of_row])

    def moves(self, X: FloatArray, price: FloatArray | float) -> BoolArray:
        """Say which columns are distributed otherwise in a group than in the reference (groups, d), as normals.

        `price` (groups, d) is what that must earn in nats beside a mean and a variance.
        """
        base = X[self.reference[self.of_row]]
        earned = np.full(self.targets.shape, -np.inf)
        for g in np.flatnonzero(~self.reference & (self.size > 1)):
            own = X[self.of_row == g]
            both = np.concatenate([base, own])
            sizes = ((both, 1.0), (base, -1.0), (own, -1.0))
            nats = sum(k * len(A) * np.log(np.maximum(A.std(axis=0), 1e-12)) for A, k in sizes)
            earned[g] = nats - np.log(len(own))
        return np.asarray(earned > price)


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
    """

    groups: Groups
    changed: BoolArray
    order: BoolArray

    @property
    def left_out(self) -> BoolArray:
        """Cells (n, d) that tell nothing of their column's mechanism."""
        return self.groups.cells(self.changed)


def search_conditions(X: FloatArray, context: Context) -> Found:
    """Find the graph of a table whose rows were seen under conditions, and what changed under them."""
    done, settings = context.conditions, SETTINGS.likelihood
    assert done is not None
    every, rows = Groups.of(done), drawn_rows(len(X), settings.rows)
    groups, X = replace(every, of_row=every.of_row[rows]), X[rows]
    price = groups.prices(settings)
    unknown = groups.environment > 0
    start = groups.targets | (groups.moves(X, price) & unknown[:, None])
    found = search(X, context, left_out=groups.cells(start))
    found, changed = _together(found, groups, start, price, context)
    moved = groups.moves(X, settings.either_way) & ~changed  # through its usual mechanism
    order = np.zeros_like(found.graph)
    for g in np.flatnonzero(changed.sum(axis=1) == 1):
        order[changed[g]] |= moved[g]
    return replace(found, experiments=Experiments(every, changed, order))


def with_conditions(answer: Answer, found: Found) -> Answer:
    """Add what changed under conditions, what speaks against the labels, and the directions that are settled."""
    if (told := found.experiments) is None:
        return answer
    groups, settled = told.groups, told.order & answer.adjacency
    labels = int(groups.environment.max()) + 1
    changed = np.zeros((labels, len(settled)), dtype=bool)
    np.logical_or.at(changed, groups.environment, told.changed & ~groups.targets)
    both = settled | settled.T
    open_ = None if answer.either_way is None else answer.either_way & ~both
    likely = answer.probabilities
    if likely is not None:
        pair = likely + likely.T
        likely = np.where(settled, SURE * pair, np.where(settled.T, (1.0 - SURE) * pair, likely))
    return replace(
        answer, changed=changed if labels > 1 else None, either_way=open_, probabilities=likely,
        disputes=_disputes(told),
    )  # fmt: skip


def _disputes(told: Experiments) -> tuple[Dispute, ...]:
    """List the experiments whose labels the data contradict."""
    groups = told.groups
    found = []
    for g in np.flatnonzero(groups.targets.any(axis=1)):
        said, changed = groups.targets[g], told.changed[g]
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

    Where effects add up, both are climbed over at once; where parents interact, or columns have levels, in turn.
    """
    additive = not found.interacting and all(kind == CONTINUOUS for kind in context.kinds)
    curves = SplineGain(whole(found.scale))
    changed, graph, left_out = start, found.graph, start
    for done in range(ROUNDS):
        changed = ChangesGain(curves, groups.of_row, price, changed).changes(graph)
        if (done and np.array_equal(changed, left_out)) or found.late:
            break
        if not done and np.array_equal(changed, start):
            break
        if additive and not done:
            gain = ChangesGain(curves, groups.of_row, price, changed)
            objective = Objective(gain, len(graph), found.settings.caution)
            graph = climb(graph, objective, found.scene, (single, path, exchange), context.deadline)
            changed = gain.changes(graph)
        found = searched_on(found, graph, groups.cells(changed), context)
        graph, left_out = found.graph, changed
    return found, left_out
