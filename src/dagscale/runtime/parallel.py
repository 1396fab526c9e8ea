"""Parallel maps over nodes: threads, or joblib's backend where one is configured; one BLAS thread each."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from typing import Any, TypeVar

import joblib
from joblib.parallel import ThreadingBackend, get_active_backend

from dagscale.runtime.ship_closures import shipped_map
from dagscale.runtime.workers import mark_busy, one_blas_thread, workers

T = TypeVar("T")


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
    (`ship_closures`), so the function must return what it computes and not write into shared arrays.

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
            yield from shipped_map(function, tasks, n_workers)


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

    return ThreadPoolExecutor(n_workers, "dagscale", mark_busy)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads
