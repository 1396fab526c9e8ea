"""Numbers about some pairs of columns: a plain (d, d) array, or where d is large only the numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscale.runtime.types import FloatArray, IntArray

DENSE = 2000  # columns up to which a (d, d) array of floats (32 MB) is the simplest


@dataclass(frozen=True, eq=False)
class PairValues:
    """A (d, d) array of floats that is NaN nearly everywhere; reads like one.

    `values[i, j]` and `values[:, j]` cost next to nothing; whatever else is asked of it, numpy's functions
    included, goes through the full array.

    Attributes
    ----------
    shape : (int, int)
    parents, children : (m,) int arrays
        Ends of the pairs that have a number, sorted by child, then parent; no pair twice.
    numbers : (m,) float array
    """

    shape: tuple[int, int]
    parents: IntArray
    children: IntArray
    numbers: FloatArray

    def at(self, parents: IntArray, children: IntArray) -> FloatArray:
        """Return the numbers of some pairs, NaN for those that have none."""
        d = self.shape[0]
        keys = np.asarray(children) * d + parents
        places = np.searchsorted(self.children * d + self.parents, keys)
        inside = np.minimum(places, max(len(self.numbers) - 1, 0))
        found = np.full(keys.shape, np.nan)
        if len(self.numbers):
            hit = (self.children[inside] == children) & (self.parents[inside] == parents)
            found[hit] = self.numbers[inside][hit]
        return found

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2:
            row, column = key
            if isinstance(row, slice) and row == slice(None) and isinstance(column, int | np.integer):
                return self._column(int(column))
            if not isinstance(row, slice) and not isinstance(column, slice):
                ends = np.broadcast_arrays(row, column)
                if all(end.dtype.kind in "iu" for end in ends):
                    return self.at(*ends)[()]
        return self.__array__()[key]

    def _column(self, j: int) -> FloatArray:
        own = slice(*np.searchsorted(self.children, [j, j + 1]))
        column = np.full(self.shape[0], np.nan)
        column[self.parents[own]] = self.numbers[own]
        return column

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        full = np.full(self.shape, np.nan)
        full[self.parents, self.children] = self.numbers
        return full if dtype is None else full.astype(dtype)


Numbers = FloatArray | PairValues


def pair_values(d: int, parents: IntArray, children: IntArray, numbers: FloatArray) -> Numbers:
    """Lay out numbers of some pairs of d columns, NaN elsewhere; no pair may come twice."""
    if d <= DENSE:
        full = np.full((d, d), np.nan)
        full[parents, children] = numbers
        return full
    sorting = np.lexsort((parents, children))
    return PairValues((d, d), parents[sorting], children[sorting], numbers[sorting])


def pairs_with_numbers(values: Numbers) -> tuple[IntArray, IntArray, FloatArray]:
    """Return parents, children and numbers of all pairs that have one."""
    if isinstance(values, PairValues):
        seen = ~np.isnan(values.numbers)
        return values.parents[seen], values.children[seen], values.numbers[seen]
    parents, children = np.nonzero(~np.isnan(values))
    return parents, children, values[parents, children]


def restored(values: Any) -> Numbers:
    """Make a `PairValues` again of its fields, all that a checkpoint keeps of it; leave arrays alone."""
    numbers: Numbers = PairValues(*values) if isinstance(values, tuple) else values
    return numbers
