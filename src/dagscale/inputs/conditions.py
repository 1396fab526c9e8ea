"""What was done to the rows of a table: which columns were set, and under which condition each row was seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscale.runtime.types import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Conditions:
    """Interventions with known targets, and conditions whose targets are unknown.

    Attributes
    ----------
    targets : (n, d) bool array
        True where a column was set in a row: the row tells nothing of that column's own mechanism, and
        everything of what the column does to others.
    environment : (n,) int array
        The condition of every row, a place among `labels`; 0 is the reference. All 0 where none was named.
    labels : tuple of str
        The conditions' names.
    """

    targets: BoolArray
    environment: IntArray
    labels: tuple[str, ...] = ("",)

    @property
    def untouched(self) -> BoolArray:
        """Rows (n,) in which nothing was set, of the reference."""
        return np.asarray((self.environment == 0) & ~self.targets.any(axis=1))

    def left_out(self, changed: Mapping[str, Sequence[Any]], names: Sequence[Any]) -> BoolArray:
        """Cells (n, d) that tell nothing of their column's mechanism: it was set, or changed under the row's label."""
        by_label = np.array([[name in changed.get(label, ()) for name in names] for label in self.labels])
        return np.asarray(self.targets | by_label[self.environment])

    def take(self, rows: IntArray) -> "Conditions":
        """Return the conditions of some rows."""
        return Conditions(self.targets[rows], self.environment[rows], self.labels)
