"""The features of all columns as parents, side by side, with their Gram matrix."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagscale.models.splines import SplineTable
from dagscale.runtime.types import FloatArray, IntArray

LEAST = 4  # functions that others count on, be they 0


@dataclass(frozen=True)
class Basis:
    """Orthonormal splines of every column, padded with zeros to a common width w.

    Attributes
    ----------
    values : (n, d * w) float array
        Column i owns values[:, i * w:(i + 1) * w]: the straight line first, then rougher and rougher ones.
    roughness : (d, w) float array
        Penalty of each: 0 for the line, of mean 1 over the others; padding has 1.
    present : (d, w) bool array
        False where there is padding: a column of few values has few functions.
    """

    values: FloatArray
    roughness: FloatArray
    present: FloatArray

    @classmethod
    def of(cls, X: FloatArray, k: int = 10) -> "Basis":
        """Build the splines of rank k (the constant included) of every column of X (n, d)."""
        table = SplineTable.of(X, k)
        n, d = X.shape
        w = max(LEAST, int(table.widths.max(initial=1)))
        values, roughness = np.zeros((n, d, w)), np.ones((d, w))
        present = np.zeros((d, w), dtype=bool)
        for i, width in enumerate(table.widths):
            values[:, i, :width] = table.splines(i)
            roughness[i, :width] = table.columns[i].penalty
            present[i, :width] = True
        return cls(values.reshape(n, d * w), roughness, present)

    @property
    def width(self) -> int:
        """Functions a column, w."""
        return int(self.roughness.shape[1])

    @cached_property
    def gram(self) -> FloatArray:
        """Products of all functions (d * w, d * w)."""
        return self.values.T @ self.values

    def places(self, parents: IntArray) -> IntArray:
        """Columns of `values` that sets of parents (B, p) own, (B, p * w)."""
        w = self.width
        return (parents[:, :, None] * w + np.arange(w)).reshape(len(parents), -1)
