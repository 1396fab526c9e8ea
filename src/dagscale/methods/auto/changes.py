"""Conditions: what changed under them, searched together with the edges.

1. Start from a graph found without the cells that moved under a condition, or were said to be set.
2. Climb by `ChangesGain`, which gives every child with every set of parents its best set of changed conditions.
3. What was said to be set is not believed blindly: a target that follows its usual mechanism counts as observed, a
   column that changed without being named is left out there; both are said.
"""

from dataclasses import dataclass

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.methods.auto.loop import climb
from dagscale.methods.auto.objective import Objective
from dagscale.methods.auto.proposers import Scene, exchange, path, single
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.models.likelihood.changes import ChangesGain
from dagscale.models.likelihood.spline_gain import SplineGain
from dagscale.runtime.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Groups:
    """Rows under the same condition: one environment, the same columns set.

    Attributes
    ----------
    of_row : (n,) int array
        Group of every row; 0 is the reference where there are rows of it.
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
        found, of_row = np.unique(key, axis=0, return_inverse=True)  # the reference, if any, comes first
        return cls(of_row.reshape(-1), found[:, 1:] > 0, found[:, 0])

    @property
    def size(self) -> IntArray:
        """Rows of every group."""
        return np.bincount(self.of_row, minlength=len(self.targets))

    def prices(self, d: int, settings: LikelihoodSettings) -> FloatArray:
        """Nats that a change of each column must earn in each group beside its parameters."""
        size = self.size[:, None]
        usual = np.log(d) + settings.caution + settings.slight * size
        price = np.where(self.targets, 0.0, np.broadcast_to(usual, self.targets.shape))
        reference = (self.environment == 0) & ~self.targets.any(axis=1)
        price[reference] = np.inf
        return price

    def cells(self, changed: BoolArray) -> BoolArray:
        """Return the cells (n, d) of changed groups (groups, d)."""
        return np.asarray(changed[self.of_row])


def marginal_moves(X: FloatArray, groups: Groups, price: FloatArray) -> BoolArray:
    """Say which columns are distributed otherwise in a group than in the reference (groups, d), normal densities."""
    sizes = groups.size
    first = int(np.flatnonzero(np.isinf(price).all(axis=1))[0]) if np.isinf(price).any() else int(sizes.argmax())
    base = X[groups.of_row == first]
    moved = np.zeros(groups.targets.shape, dtype=bool)
    for g in range(len(sizes)):
        own = X[groups.of_row == g]
        if g == first or len(own) < 2:
            continue
        both = np.concatenate([base, own])
        nats = sum(k * len(A) * np.log(np.maximum(A.std(axis=0), 1e-12)) for A, k in ((both, 1), (base, -1), (own, -1)))
        moved[g] = nats - np.log(len(own)) > np.minimum(price[g], 1e9)
    return moved


def settle(
    graph: BoolArray,
    whole: SplineGain,
    groups: Groups,
    start: BoolArray,
    scene: Scene,
    settings: LikelihoodSettings,
    deadline: float,
) -> tuple[BoolArray, BoolArray, float]:
    """Climb over edges and changes together; return the graph, the changes (groups, d), and the score."""
    prices = groups.prices(len(graph), settings)
    start = ChangesGain(whole, groups.of_row, prices, start).changes(graph)
    gain = ChangesGain(whole, groups.of_row, prices, start)
    objective = Objective(gain, len(graph), settings.caution)
    graph = climb(graph, objective, scene, (single, path, exchange), deadline)
    return graph, gain.changes(graph), objective.score(graph)
