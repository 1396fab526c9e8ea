"""One array namespace for numpy, torch and cupy, and the linear algebra the standard lacks.

Everything here accepts matrices or stacks of matrices (..., n, n). On numpy, scipy's LAPACK is
used matrix by matrix: it was the fastest on a CPU; on torch the batched kernels are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from array_api_compat import array_namespace, is_torch_array

from dagscale.runtime.errors import InputError, MissingDependencyError
from dagscale.runtime.lapack import cholesky_in_place
from dagscale.runtime.types import Array

__all__ = [
    "Factor",
    "array_namespace",
    "beside",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "factorise",
    "kth_smallest",
    "largest",
    "on_device",
    "to_numpy",
]


def on_device(X: Array, device: str = "cpu") -> Array:
    """Move a numpy array to a device: numpy itself for "cpu", a torch tensor otherwise.

    "torch" (or "torch:cpu") is torch on the CPU, there so that the device path can be tested anywhere.
    """
    if device == "cpu":
        return np.asarray(X, dtype=np.float64)
    try:
        import torch
    except ImportError as error:
        raise MissingDependencyError(
            f"device={device!r} needs torch: pip install 'dagscale[torch]', or use device='cpu'"
        ) from error
    where = "cpu" if device in ("torch", "torch:cpu") else device
    if where.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(f"device={device!r}: torch sees no GPU on this machine; use device='cpu'")
    return torch.as_tensor(np.asarray(X, dtype=np.float64), device=where)


def beside(there: Array, values: Any) -> Array:
    """Bring a numpy array, of any type, to where another array is."""
    if not isinstance(there, np.ndarray) and not values.flags.writeable:
        values = values.copy()  # torch warns of an array that it must not write to
    return array_namespace(there).asarray(values, device=there.device)


def to_numpy(x: Array) -> Any:
    """Bring an array of any namespace back to numpy."""
    return x.detach().cpu().numpy() if is_torch_array(x) else np.asarray(x)


def cholesky(A: Array) -> Array:
    """Lower Cholesky factor; raises `numpy.linalg.LinAlgError` when A is not positive definite."""
    if is_torch_array(A):
        import torch

        L, info = torch.linalg.cholesky_ex(A)
        if bool((info != 0).any()):
            raise np.linalg.LinAlgError("matrix is not positive definite")
        return L
    if A.ndim == 2:
        return scipy.linalg.cholesky(A, lower=True, check_finite=False)
    return np.stack([scipy.linalg.cholesky(a, lower=True, check_finite=False) for a in A])


def cholesky_solve(L: Array, B: Array) -> Array:
    """Solve A X = B given the lower factor of A; B is (..., n, k)."""
    if is_torch_array(L):
        import torch

        return torch.cholesky_solve(B, L)
    if L.ndim == 2:
        return scipy.linalg.cho_solve((L, True), B, check_finite=False)
    return np.stack(
        [scipy.linalg.cho_solve((a, True), b, check_finite=False) for a, b in zip(L, B, strict=True)]
    )


def cholesky_inverse(L: Array) -> Array:
    """Inverse of A given its lower factor, symmetric."""
    if is_torch_array(L):
        import torch

        return torch.cholesky_inverse(L)
    if L.ndim == 2:
        inverse, _ = scipy.linalg.lapack.dpotri(L, lower=1)
        return np.tril(inverse) + np.tril(inverse, -1).T
    return np.stack([cholesky_inverse(a) for a in L])


BLOCK = 128  # rows of a diagonal block of `Factor`: wide enough for GEMM, cheap enough to invert


@dataclass(frozen=True)
class Factor:
    """A Cholesky factor ready to serve many right-hand sides.

    The inverses of the diagonal blocks are kept, so that a solve is matrix products alone: measured twice
    as fast as LAPACK's triangular solves, and free of the GIL. On torch the one block is the whole: an H200
    inverts a factor of 1000 rows in 0.5 ms, as long as it needs for a single triangular solve, and multiplies
    in 0.05.
    """

    lower: Array  # (n, n); what stands above the diagonal is not to be read
    blocks: tuple[Array, ...]  # inverses of the diagonal blocks

    def solve(self, B: Array) -> Array:
        """Solve A X = B for B (n, k); on numpy B is overwritten with the answer."""
        if is_torch_array(B):
            inverse = self.blocks[0]
            return inverse.mT @ (inverse @ B)
        L, starts = self.lower, range(0, len(self.lower), BLOCK)
        for i, inverse in zip(starts, self.blocks, strict=True):
            rows = B[i : i + BLOCK]
            if i > 0:
                rows -= L[i : i + BLOCK, :i] @ B[:i]
            rows[...] = inverse @ rows
        for i, inverse in zip(reversed(starts), reversed(self.blocks), strict=True):
            rows, j = B[i : i + BLOCK], i + BLOCK
            if j < len(L):
                rows -= L[j:, i:j].T @ B[j:]
            rows[...] = inverse.T @ rows
        return B


def factorise(A: Array) -> Factor:
    """Factorise one positive definite matrix (n, n); a numpy A is overwritten with its factor."""
    if is_torch_array(A):
        import torch

        L = cholesky(A)
        one = torch.eye(len(L), dtype=L.dtype, device=L.device)
        return Factor(L, (torch.linalg.solve_triangular(L, one, upper=False),))
    if not cholesky_in_place(A):
        raise np.linalg.LinAlgError("matrix is not positive definite")
    diagonal = (np.tril(A[i : i + BLOCK, i : i + BLOCK]) for i in range(0, len(A), BLOCK))
    return Factor(A, tuple(scipy.linalg.lapack.dtrtri(block.T, lower=0)[0].T for block in diagonal))


def largest(values: Array, most: int) -> tuple[Any, Any]:
    """Return the `most` largest of each column of (d, m) and their rows, as numpy (m, most), unsorted."""
    most = min(most, len(values))
    if is_torch_array(values):
        found, rows = values.topk(most, dim=0, sorted=False)
        return to_numpy(found).T, to_numpy(rows).T
    columns = np.ascontiguousarray(values.T)
    rows = np.argpartition(columns, len(values) - most, axis=1)[:, len(values) - most :]
    return np.take_along_axis(columns, rows, axis=1), rows


def kth_smallest(values: Array, k: int) -> tuple[float, float]:
    """Return the k-th (from 0) and (k-1)-th smallest of a flat array; a numpy array is reordered."""
    if is_torch_array(values):  # a GPU sorts a million faster than it selects from them
        around = values.sort().values[max(k - 1, 0) : k + 1].tolist()
        return around[-1], around[0]
    values.partition(k)
    return float(values[k]), float(values[: max(k, 1)].max())
