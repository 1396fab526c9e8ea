"""Groups of rows that were seen under the same condition."""

from dataclasses import dataclass

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.runtime.types import BoolArray, FloatArray, IntArray


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

    @property
    def plain(self) -> BoolArray:
        """Which groups (groups,) are of the reference and have nothing set."""
        return self.reference & ~self.targets.any(axis=1)

    def prices(self, settings: LikelihoodSettings) -> FloatArray:
        """Nats that a change of each column (groups, d) must earn beside its parameters; inf for the reference."""
        a_row = np.where(self.targets.any(axis=1), settings.off_target, settings.slight)
        usual = np.log(self.targets.shape[1]) + settings.caution + (a_row * self.size)[:, None]
        price = np.where(self.targets, 0.0, usual)
        price[self.plain] = np.inf
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
