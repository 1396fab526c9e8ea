"""The features of all columns as parents, side by side, with their Gram matrix."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagscale.inputs.kinds import CATEGORICAL
from dagscale.models.splines import SplineTable
from dagscale.runtime.types import BoolArray, FloatArray, IntArray

LEAST = 4  # functions that others count on, be they 0
# nats: what a variance of effects costs that is fitted; without, an idle parent would cost nothing
LEARNT = 1.5
MOST = 20  # functions of a categorical column: the levels beyond are the rarest


@dataclass(frozen=True)
class Basis:
    """Orthonormal splines of every column, padded with zeros to a common width w; of categories, `level_effects`.

    Attributes
    ----------
    functions : (d * w, n) float array
        Column i owns functions[i * w:(i + 1) * w]: the straight line first, then rougher and rougher ones.
    roughness : (d, w) float array
        Penalty of each: 0 for the line, which categories have not, of mean 1 over the others; padding has 1.
    present : (d, w) bool array
        False where there is padding: a column of few values has few functions.
    price : (d,) float array
        Nats that a parent costs besides: categories, `LEARNT`, having no line that pays for itself; others, 0.
    """

    functions: FloatArray
    roughness: FloatArray
    present: BoolArray
    price: FloatArray

    @classmethod
    def of(cls, X: FloatArray, k: int, kinds: tuple[str, ...] = ()) -> "Basis":
        """Build the splines of rank k (the constant included), or effects of levels, of every column of X (n, d)."""
        table = SplineTable.of(X, k)
        n, d = X.shape
        of_column = [(table.splines(i), table.columns[i].penalty) for i in range(d)]
        for i in (i for i, kind in enumerate(kinds) if kind == CATEGORICAL):
            of_column[i] = level_effects(X[:, i])
        w = max(LEAST, *(len(penalty) for _, penalty in of_column))
        functions, roughness = np.zeros((d, w, n)), np.ones((d, w))
        present = np.zeros((d, w), dtype=bool)
        for i, (own, penalty) in enumerate(of_column):
            width = len(penalty)
            functions[i, :width] = own.T
            roughness[i, :width] = penalty
            present[i, :width] = True
        price = np.zeros(d)
        price[[i for i, kind in enumerate(kinds) if kind == CATEGORICAL]] = LEARNT
        return cls(functions.reshape(d * w, n), roughness, present, price)

    @property
    def values(self) -> FloatArray:
        """The functions as columns (n, d * w)."""
        return self.functions.T

    @property
    def width(self) -> int:
        """Functions a column, w."""
        return int(self.roughness.shape[1])

    @cached_property
    def gram(self) -> FloatArray:
        """Products of all functions (d * w, d * w)."""
        return self.functions @ self.functions.T

    def places(self, parents: IntArray) -> IntArray:
        """Rows of `functions` that sets of parents (B, p) own, (B, p * w)."""
        w = self.width
        return (parents[:, :, None] * w + np.arange(w)).reshape(len(parents), -1)


def level_effects(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Orthonormal functions of the levels of x (n,), (n, K - 1), and the penalty of each, of mean 1.

    Random effects: the levels' effects have one variance a priori, whatever their frequency. With n_l rows of level l,
    their covariance over centred rows has the eigenvalues of diag(n_l) - n_l n_m / n, and the penalty is the inverse.
    Names and order of the levels do not matter.
    """
    levels, where, count = np.unique(x, return_inverse=True, return_counts=True)
    if len(levels) < 2:
        return np.zeros((len(x), 0)), np.zeros(0)
    values, vectors = np.linalg.eigh(np.diag(count) - np.outer(count, count) / len(x))
    # but the constant, the frequent levels first
    kept = slice(len(levels) - 1, max(0, len(levels) - 1 - MOST), -1)
    values, vectors = values[kept], vectors[:, kept]
    centred = vectors - count @ vectors / len(x)
    penalty = 1.0 / values
    return centred[where] / np.sqrt(values), penalty / penalty.mean()
