"""Workers: how many there are, and what holds inside one: a single BLAS thread, and no workers of its own."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import local
from typing import Any

import joblib
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

WORTH_PROCESSES = 4000  # tasks
FEWEST_PROCESSES = 4  # workers; between two or three, threads take turns well enough
_thread = local()  # .busy is set in the threads that already work for a map


def workers(n_jobs: int | None) -> int:
    """Resolve `n_jobs`: None is the active `joblib.parallel_config`, else all cores; 1 inside a worker."""
    if getattr(_thread, "busy", False):
        return 1
    if n_jobs is None:
        n_jobs = get_active_backend()[1]
    return int(joblib.effective_n_jobs(-1 if n_jobs is None else n_jobs))


def worth_processes(tasks: int, n_jobs: int | None) -> bool:
    """Say whether so many tasks of a few milliseconds, mostly spent in the interpreter, are for processes.

    Threads take turns: on 16 cores, 4 or 16 of them were slower than one. Processes take seconds to start.
    """
    return tasks >= WORTH_PROCESSES and workers(n_jobs) >= FEWEST_PROCESSES


def one_blas_thread() -> Any:
    """Context manager: every BLAS call inside uses one thread (two on busy cores collapse)."""
    return _loaded_libraries(len(sys.modules)).limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _loaded_libraries(_modules: int) -> ThreadpoolController:
    # finding the BLAS libraries takes a millisecond or two: done again only after new imports
    return ThreadpoolController()


@contextmanager
def in_worker() -> Iterator[None]:
    """Context manager for a task: one BLAS thread, and maps inside it stay in its thread."""
    before = getattr(_thread, "busy", False)
    _thread.busy = True
    try:
        with one_blas_thread():
            yield
    finally:
        _thread.busy = before


def mark_busy() -> None:
    """Mark this thread as one that works for a map."""
    _thread.busy = True
