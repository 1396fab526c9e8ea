"""Groups of rows that were seen under the same condition."""

from dataclasses import dataclass, replace

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.methods.auto.search.replicates import FEWEST
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
    again : (n, d) bool array or None
        Cells that show a draw once more (`search/replicates.py`): they count for nothing.
    largest : int or None
        The group of most rows; None where it is to be counted.
    """

    of_row: IntArray
    targets: BoolArray
    environment: IntArray
    again: BoolArray | None = None
    largest: int | None = None

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
        if plain.any():
            return np.asarray(plain)
        most = self.size.argmax() if self.largest is None else self.largest
        return np.asarray(np.arange(len(plain)) == most)

    @property
    def plain(self) -> BoolArray:
        """Which groups (groups,) are of the reference and have nothing set."""
        return self.reference & ~self.targets.any(axis=1)

    @property
    def by_columns(self) -> list[tuple[BoolArray, IntArray, "Groups"]]:
        """Columns (d,) that count the same rows, these rows, and the groups of these alone."""
        if self.again is None:
            return [(np.ones(self.targets.shape[1], dtype=bool), np.arange(len(self.of_row)), self)]
        patterns, which = np.unique(self.again.T, axis=0, return_inverse=True)
        rows, most = [np.flatnonzero(~again) for again in patterns], int(self.size.argmax())
        return [
            (which.reshape(-1) == k, own, replace(self, of_row=self.of_row[own], again=None, largest=most))
            for k, own in enumerate(rows)
        ]

    def prices(self, settings: LikelihoodSettings) -> FloatArray:
        """Nats that a change of each column (groups, d) must earn beside its parameters.

        Infinite for the reference, and where rows show so few draws of a column that they tell nothing.
        """
        size = np.zeros(self.targets.shape)
        for columns, _, own in self.by_columns:
            size[:, columns] = own.size[:, None]
        a_row = np.where(self.targets.any(axis=1), settings.off_target, settings.slight)
        usual = np.log(self.targets.shape[1]) + settings.caution + a_row[:, None] * size
        price = np.where(self.targets, 0.0, usual)
        price[self.plain] = np.inf
        if self.again is not None:
            price[(size < FEWEST) & ~self.targets] = np.inf
        return price

    def cells(self, changed: BoolArray) -> BoolArray:
        """Return the cells (n, d) of changed groups (groups, d), and those that show a draw again."""
        cells = np.asarray(changed[self.of_row])
        return cells if self.again is None else cells | self.again

    def moves(self, X: FloatArray, price: FloatArray | float) -> BoolArray:
        """Say which columns are distributed otherwise in a group than in the reference (groups, d), as normals.

        `price` (groups, d) is what that must earn in nats beside a mean and a variance.
        """
        found = np.zeros(self.targets.shape, dtype=bool)
        for columns, rows, own in self.by_columns:
            found[:, columns] = own._moves(X[rows], price)[:, columns]
        return found

    def _moves(self, X: FloatArray, price: FloatArray | float) -> BoolArray:
        """Say the same where every row counts."""
        base = X[self.reference[self.of_row]]
        earned = np.full(self.targets.shape, -np.inf)
        if len(base) < 2:  # of one row or none the spread is not known
            return np.zeros(self.targets.shape, dtype=bool)
        for g in np.flatnonzero(~self.reference & (self.size > 1)):
            own = X[self.of_row == g]
            both = np.concatenate([base, own])
            sizes = ((both, 1.0), (base, -1.0), (own, -1.0))
            nats = sum(k * len(A) * np.log(np.maximum(A.std(axis=0), 1e-12)) for A, k in sizes)
            earned[g] = nats - np.log(len(own))
        return np.asarray(earned > price)
