"""The dense linear algebra of the evidence, for stacks (B, n, n): LAPACK on numpy, batched on torch.

On numpy matrices are factorised in place and only the lower triangle of an inverse is filled:
copying and symmetrising n x n arrays would cost as much as the arithmetic around them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from array_api_compat import is_torch_array

from dagscale.runtime import lapack
from dagscale.runtime.types import Array

IN_PLACE: dict[Any, Callable[[Any], bool]] = {
    np.dtype(np.float64): lapack.cholesky_in_place,
    np.dtype(np.float32): lapack.single_cholesky_in_place,
}


def factor(K: Array) -> Array:
    """Lower Cholesky factors of a stack of symmetric matrices (overwritten); NaN where not definite.

    What stands above the diagonal is not meant to be read.
    """
    if is_torch_array(K):
        import torch

        L, info = torch.linalg.cholesky_ex(K)
        L[info != 0] = float("nan")
        return L
    return _each(_factor, K)


def _factor(K: Array) -> Array:
    L = K.T  # the same matrix, in the column-major order that LAPACK wants
    if not IN_PLACE[L.dtype](L):
        L[...] = np.nan
    return L


def inverse(L: Array) -> Array:
    """Inverses of the factorised matrices; on numpy only their lower triangle is meant."""
    if is_torch_array(L):
        import torch

        return torch.cholesky_inverse(L)
    return _each(_inverse, L)


def _inverse(L: Array) -> Array:
    filled = L.copy(order="F")
    lapack.inverse_in_place(filled)
    return filled


def symmetric_product(T: Array, R: Array) -> Array:
    """T @ R for symmetric T, of which numpy reads the lower triangle alone; R is (B, n, k)."""
    return T @ R if is_torch_array(T) else _each(lapack.symmetric_product, T, R)


def solve_lower(L: Array, R: Array) -> Array:
    """L^-1 R for lower triangular L."""
    if is_torch_array(L):
        import torch

        return torch.linalg.solve_triangular(L, R, upper=False)
    return _each(lapack.solve_lower, L, R)


def solve_factored(L: Array, R: Array) -> Array:
    """(L L')^-1 R."""
    if is_torch_array(L):
        import torch

        return torch.cholesky_solve(R, L)
    return _each(lapack.solve_factored, L, R)


def _each(function: Callable[..., Array], *stacks: Array) -> Array:
    """Apply a matrix function along the first axis; one matrix alone keeps its memory order."""
    results = [function(*matrices) for matrices in zip(*stacks, strict=True)]
    if len(results) == 1:
        return results[0][None]
    return np.stack([result.T for result in results]).mT  # column-major inside, as LAPACK reads on
