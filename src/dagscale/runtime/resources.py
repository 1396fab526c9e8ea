"""What this machine has to offer: memory that is free, and its speed in a few plain operations."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dagscale.runtime.errors import InputError
from dagscale.runtime.types import FloatArray

LIMIT = "DAGSCALE_MEMORY_GB"  # environment variable: memory that may be used, instead of what is free
CONTROL_GROUP = (  # of Linux, versions 2 and 1: the limit and what is used
    ("memory.max", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
)


def free_memory(kind: str = "cpu") -> float | None:
    """Return the bytes that a run may take; None where the system does not tell."""
    if (said := os.environ.get(LIMIT)) is not None:
        try:
            return float(said) * 1e9
        except ValueError:
            raise InputError(f"{LIMIT} must be a number of gigabytes, not {said!r}") from None
    if kind != "cpu":
        import torch

        return float(torch.cuda.mem_get_info()[0]) if torch.cuda.is_available() else None
    found = [_meminfo(), _control_group()]
    return min((bytes_ for bytes_ in found if bytes_ is not None), default=None)


def _meminfo() -> float | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((float(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _control_group() -> float | None:
    """Return what a container may still take, None outside of one."""
    folder = Path("/sys/fs/cgroup")
    for limit, used in CONTROL_GROUP:
        try:
            return max(float((folder / limit).read_text()) - float((folder / used).read_text()), 0.0)
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return None


def probe_speed(kind: str = "cpu") -> dict[str, float]:
    """Measure what the methods are made of, in seconds: factorisations, exponentials, interpreted code."""
    if kind != "cpu":
        return _probe_device(kind)
    from scipy.linalg import cho_factor

    from dagscale.runtime.workers import one_blas_thread

    X = np.random.default_rng(0).normal(size=(700, 700))
    K = X @ X.T + 700 * np.eye(700)
    pieces = {
        "cholesky": lambda: cho_factor(K, lower=True, check_finite=False),
        "product": lambda: X @ X,
        "exponential": lambda: np.exp(X).sum(),
        "interpreter": lambda: [_small(row) for row in X],
    }
    with one_blas_thread():
        return {name: _least_time(piece) for name, piece in pieces.items()}


def _small(row: FloatArray) -> float:
    part = row[:20]
    return float((part * part).sum())


def _least_time(piece: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """Return the least of many times, of a quarter of a second together."""
    times: list[float] = []
    while sum(times) < 0.2 or len(times) < 3:
        start = clock()
        piece()
        times.append(clock() - start)
    return min(times)


def _probe_device(kind: str) -> dict[str, float]:
    import torch

    X = torch.randn(32, 1000, 1000, dtype=torch.float64, device=kind)
    K = X @ X.mT + 1000 * torch.eye(1000, dtype=torch.float64, device=kind)

    def factorise() -> None:
        torch.linalg.cholesky(K).sum().item()

    factorise()
    return {"cholesky": _least_time(factorise, time.perf_counter)}
