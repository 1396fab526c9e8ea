"""What one run cost: wall time, CPU time, peak memory; and a limit on its time."""

import ctypes
import gc
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

_PROC = Path("/proc/self")
_children: list[float] = []  # peaks of the children of the block, MiB


class TimeLimitReached(BaseException):
    """The run's time is up. Not an Exception, so that no method can swallow it."""


@dataclass
class Cost:
    """Filled in when the measured block ends; NaN where the system does not tell."""

    wall: float = float("nan")  # seconds
    cpu: float = float("nan")  # seconds of all threads, and of the child processes that ended in the block
    peak_mb: float = float("nan")  # highest resident MiB, of the child where `count_child` told of one
    start_mb: float = float("nan")  # resident MiB when the block began


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure the block.

    A process's peak memory never falls by itself, so a small run after a large one in the same worker would
    inherit its peak. On Linux, free memory is returned to the system and the peak is reset (writing 5 to
    /proc/self/clear_refs) before the block. Elsewhere `ru_maxrss` gives the highest of all runs so far.
    """
    gc.collect()
    with suppress(OSError, AttributeError):  # not every C library has malloc_trim
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        (_PROC / "clear_refs").write_text("5")
    cost = Cost(start_mb=_status_mb("VmRSS"))
    _children.clear()
    wall, cpu = time.perf_counter(), _cpu_seconds()
    try:
        yield cost
    finally:
        cost.wall = time.perf_counter() - wall
        cost.cpu = _cpu_seconds() - cpu
        cost.peak_mb = max(_children) if _children else _peak_mb()


def count_child(peak_mb: float) -> None:
    """Count a child process's peak memory towards the block being measured."""
    if peak_mb == peak_mb:
        _children.append(peak_mb)


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `TimeLimitReached` in the block after so many seconds.

    Signals reach the main thread alone, which is where joblib's process workers compute. In any other
    thread (dask's workers) and where there is no SIGALRM, the block runs without a limit.
    """
    usable = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()
    if seconds is None or not usable:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeLimitReached

    before = signal.signal(signal.SIGALRM, stop)
    # repeats, because an exception raised inside a destructor or a callback from C is dropped
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _peak_mb() -> float:
    peak = _status_mb("VmHWM")
    if peak == peak:
        return peak
    unit = 2**20 if sys.platform == "darwin" else 2**10  # ru_maxrss is in bytes there, in KiB elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _status_mb(field: str) -> float:
    with suppress(OSError):
        for line in (_PROC / "status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
    return float("nan")
