"""One array namespace for numpy, torch and cupy, and the linear algebra the standard lacks.

Everything here accepts matrices or stacks of matrices (..., n, n). On numpy, scipy's LAPACK is
used matrix by matrix: it was the fastest on a CPU; on torch the batched kernels are.
"""

from typing import Any

import numpy as np
import scipy.linalg
from array_api_compat import array_namespace, is_torch_array

from dagscale.errors import InputError, MissingDependencyError
from dagscale.types import Array

__all__ = ["array_namespace", "cholesky", "cholesky_inverse", "cholesky_solve", "on_device", "to_numpy"]


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
