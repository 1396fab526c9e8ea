"""Parallel maps over nodes: threads, or joblib's backend where one is configured; one BLAS thread each."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import lru_cache
from threading import local
from typing import Any, TypeVar

import joblib
from joblib.parallel import ThreadingBackend, get_active_backend
from threadpoolctl import ThreadpoolController

T = TypeVar("T")
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


def parallel_map(
    function: Callable[..., T],
    items: Iterable[Any],
    n_jobs: int | None = None,
    done: Callable[[int], None] | None = None,
    *,
    local: bool = False,
    processes: bool = False,
) -> list[T]:
    """Return `[function(item) for item in items]`, in order, on `n_jobs` workers.

    `done(k)` is called as the k-th result arrives; for the others see `parallel_results`.
    """
    results: list[T] = []
    for result in parallel_results(function, items, n_jobs, local=local, processes=processes):
        results.append(result)
        if done is not None:
            done(len(results))
    return results


def parallel_results(
    function: Callable[..., T],
    items: Iterable[Any],
    n_jobs: int | None = None,
    *,
    local: bool = False,
    processes: bool = False,
) -> Iterator[T]:
    """Yield `function(item)` for every item, in order, as they arrive from `n_jobs` workers.

    Threads are preferred (the work is BLAS, which releases the GIL). An active `joblib.parallel_config`
    overrides that: its processes, or the machines of its dask cluster, get what the function holds once
    (`travel.py`), so the function must return what it computes and not write into shared arrays.

    Parameters
    ----------
    function : callable
    items : iterable
    n_jobs : int or None
        See `workers`.
    local : bool
        Threads in any case, for tasks too short to travel.
    processes : bool
        Prefer processes to threads, for work that holds the interpreter's lock.
    """
    tasks: Sequence[Any] = list(items)
    available = workers(n_jobs)
    n_workers = min(available, len(tasks))
    prefer = "processes" if processes else "threads"
    threads = local or isinstance(get_active_backend(prefer=prefer)[0], ThreadingBackend)
    with one_blas_thread():
        if n_workers < 2:
            yield from map(function, tasks)
        elif threads:
            yield from _on_threads(function, tasks, min(available, joblib.cpu_count()))
        else:
            from dagscale.runtime.ship_closures import travelling_map

            yield from travelling_map(function, tasks, n_workers)


def run_in_threads(function: Callable[[Any], None], items: Iterable[Any], n_jobs: int | None = None) -> None:
    """Call `function` on every item for what it writes into shared arrays.

    Threads whatever joblib's configuration says: a process, or another machine, would write into a copy.
    """
    for _ in parallel_results(function, items, n_jobs, local=True):
        pass


def _on_threads(function: Callable[..., T], tasks: Sequence[Any], n_workers: int) -> Iterator[T]:
    # joblib polls for its results every 10 ms, which is longer than many of our tasks take
    pool = _pool(n_workers)
    left = [pool.submit(function, task) for task in tasks][::-1]
    try:
        while left:
            result = left[-1].result()
            left.pop()
            yield result
    finally:  # after an error nothing runs on: tasks may write into arrays that the caller uses again
        wait([future for future in left if not future.cancel()])


@lru_cache
def _pool(n_workers: int) -> ThreadPoolExecutor:
    """Return a pool of at most so many threads, kept: starting them for every map costs a millisecond.

    Not one for every number of tasks: their idle threads would add up to half the square of the cores.
    """

    def mark_busy() -> None:
        _thread.busy = True

    return ThreadPoolExecutor(n_workers, "dagscale", mark_busy)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads
