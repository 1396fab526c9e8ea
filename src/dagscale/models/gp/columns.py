"""The table as the evidence sees it: standardised columns, their main effects, and stacks of problems."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from dagscale.inputs.subsample import shuffled_rows
from dagscale.models.gain import Item
from dagscale.models.gp.features import main_effects
from dagscale.runtime.arrays import array_namespace, on_device
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import Array, BoolArray, FloatArray, IntArray

MOST_CUT = 0.01  # share of a column's rows: a heavy tail is a tail, not a set of errors


class Columns:
    """Standardised columns of a table, rows shuffled once so that leading rows are a random subsample.

    Parameters
    ----------
    X : (n, d) array
    max_rows : int
        Rows to use; a fixed random subset when there are more.
    device : str
        Where `stack` puts its arrays.
    n_jobs : int or None
        Workers for the main effects.
    clip : float
        Robust standard deviations from the median at which values are cut, a hundredth of them at most.
    """

    def __init__(
        self, X: FloatArray, max_rows: int, device: str, n_jobs: int | None, clip: float = np.inf
    ) -> None:
        rows = shuffled_rows(len(X))[:max_rows]
        values = _clipped(X[rows], clip)
        centred = values - values.mean(axis=0)
        deviation = centred.std(axis=0)
        self.constant: BoolArray = deviation <= 1e-12 * np.abs(values).max(axis=0)
        scaled = np.where(self.constant, 0.0, centred / np.where(self.constant, 1.0, deviation))
        self.values: FloatArray = np.ascontiguousarray(scaled.T)  # (d, n): an item takes whole columns
        self.device, self.n_jobs = device, n_jobs

    @property
    def n(self) -> int:
        """Rows in use."""
        return int(self.values.shape[1])

    @property
    def d(self) -> int:
        """Columns."""
        return len(self.values)

    @cached_property
    def effects(self) -> FloatArray:
        """Main effects of every column, (d, n, b)."""
        return np.stack(parallel_map(main_effects, self.values, self.n_jobs, local=True))

    @cached_property
    def place(self) -> IntArray:
        """A place for each column that depends on its values alone, (d,).

        Parents are put in this order before they are fitted, so that permuting the table's
        columns permutes not even the rounding errors. Absolute values: units may change signs.
        """
        keys = np.round(np.abs(self.values[:, :50]), 6).T[::-1]  # lexsort's last key comes first
        return np.argsort(np.lexsort(keys)).astype(np.intp)

    def prepare(self) -> None:
        """Compute what is computed once, before workers would each start to."""
        _ = self.effects, self.place

    def on_device(self, array: Array) -> Array:
        """Move an array where this table's stacks are, its precision kept."""
        placed = on_device(array[:0], self.device)
        return array if self.device == "cpu" else array_namespace(placed).asarray(array, device=placed.device)

    def ordered(self, parents: Sequence[int]) -> list[int]:
        """Return the parents in the order in which they are fitted."""
        return sorted(parents, key=lambda i: int(self.place[i]))

    def problem(self, item: Item) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return parents (n, p), child (n,) and main effects (n, p * b) of one item, on numpy."""
        node, parents = item
        columns = self.ordered(parents)
        return (
            self.values[columns].T.copy(),
            self.values[node],
            np.hstack([self.values[:0].T, *self.effects[columns]]),
        )

    @cached_property
    def _on_device(self) -> tuple[Array, Array]:
        return on_device(self.values, self.device), on_device(self.effects, self.device)

    def stack(self, items: Sequence[Item]) -> tuple[Array, Array, Array, Array, BoolArray]:
        """Return (Z, y, F, mask, present) of many items on the device, padded to the most parents.

        Padding repeats column 0: its weight is masked, whatever it holds is not used.
        """
        width = max(len(parents) for _, parents in items)
        columns = np.zeros((len(items), width), dtype=np.intp)
        present = np.zeros((len(items), width), dtype=bool)
        for b, (_, parents) in enumerate(items):
            columns[b, : len(parents)] = self.ordered(parents)
            present[b, : len(parents)] = True
        values, effects = self._on_device
        Z = values[columns]  # (B, p, n)
        F = effects[columns]  # (B, p, n, b)
        F = F.transpose(1, 2).reshape(len(items), self.n, -1)
        y = values[np.array([node for node, _ in items])]
        return Z.mT.contiguous(), y, F, on_device(present.astype(float), self.device), present


def _clipped(X: FloatArray, clip: float) -> FloatArray:
    """Cut each column at `clip` robust deviations (1.4826 MAD) from its median, `MOST_CUT` at most."""
    if not np.isfinite(clip):
        return X
    median = np.median(X, axis=0)
    distance = np.abs(X - median)
    deviation = 1.4826 * np.median(distance, axis=0)
    farthest = np.maximum(clip * deviation, np.quantile(distance, 1.0 - MOST_CUT, axis=0))
    reach = np.where(deviation > 0, farthest, np.inf)  # columns mostly of one value keep the others
    return np.clip(X, median - reach, median + reach)
