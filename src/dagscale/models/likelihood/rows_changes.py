"""`ChangesGain` where some rows show a draw of some columns again: every child on the rows that count for it."""

import numpy as np

from dagscale.models.likelihood.changes import ChangesGain
from dagscale.models.likelihood.rows_gain import RowsGain, RowsScale
from dagscale.runtime.types import BoolArray


class RowsChanges(RowsGain):
    """Changes of mechanisms put together from one likelihood on every set of rows; each child is asked of its own.

    Parameters
    ----------
    parts : list of ChangesGain
    scale : RowsScale
    """

    def __init__(self, parts: list[ChangesGain], scale: RowsScale) -> None:
        super().__init__(parts, scale)

    @property
    def sums(self) -> bool | None:
        """Whether all sums over groups are known beforehand; None where they are not, as in `ChangesGain`."""
        return None if any(part.sums is None for part in self.parts) else True

    def from_changes(self, start: BoolArray) -> "RowsChanges":
        """Return the same with other changes (groups, d) to begin with."""
        return RowsChanges([part.from_changes(start) for part in self.parts], self.scale)

    def changes(self, graph: BoolArray) -> BoolArray:
        """Return the changes of every child given its parents in a graph (groups, d)."""
        found: BoolArray = np.zeros(self.parts[0].start.shape, dtype=bool)
        for k, part in enumerate(self.parts):
            own = self.scale.part_of == k
            found[:, own] = part.changes(graph & own)[:, own]
        return found
