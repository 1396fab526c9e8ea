"""Parallel maps over nodes: joblib outside, one BLAS thread per worker inside."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import local
from typing import Any, TypeVar

import joblib
from joblib.parallel import ThreadingBackend, get_active_backend
from threadpoolctl import ThreadpoolController

T = TypeVar("T")
_thread = local()  # .busy is set in the threads that already work for a map


def workers(n_jobs: int | None) -> int:
    """Resolve `n_jobs`: None is the active `joblib.parallel_config`, else all cores; 1 inside a worker."""
    if getattr(_thread, "busy", False):
        return 1
    if n_jobs is None:
        n_jobs = get_active_backend()[1]
    return int(joblib.effective_n_jobs(-1 if n_jobs is None else n_jobs))


def one_blas_thread() -> Any:
    """Context manager: every BLAS call inside uses one thread (two on busy cores collapse)."""
    return _loaded_libraries(len(sys.modules)).limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _loaded_libraries(_modules: int) -> ThreadpoolController:
    # finding the BLAS libraries takes a millisecond or two: done again only after new imports
    return ThreadpoolController()


def parallel_map(
    function: Callable[..., T],
    items: Iterable[Any],
    n_jobs: int | None = None,
    done: Callable[[int], None] | None = None,
) -> list[T]:
    """Return `[function(item) for item in items]`, in order, on `n_jobs` workers.

    Threads are preferred (the work is BLAS, which releases the GIL); an active
    `joblib.parallel_config` overrides that. `done(k)` is called as the k-th result arrives.
    """
    tasks: Sequence[Any] = list(items)
    results: list[T] = []
    with one_blas_thread():
        for result in _results(function, tasks, n_jobs):
            results.append(result)
            if done is not None:
                done(len(results))
    return results


def run_in_threads(function: Callable[[Any], None], items: Iterable[Any], n_jobs: int | None = None) -> None:
    """Call `function` on every item for what it writes into shared arrays.

    Threads whatever joblib's configuration says: a process, or another machine, would write into a copy.
    """
    tasks: Sequence[Any] = list(items)
    n_workers = min(workers(n_jobs), len(tasks), joblib.cpu_count())
    with one_blas_thread():
        calls = _on_threads(function, tasks, n_workers) if n_workers > 1 else map(function, tasks)
        for _ in calls:
            pass


def _results(function: Callable[..., T], tasks: Sequence[Any], n_jobs: int | None) -> Iterator[T]:
    n_workers = min(workers(n_jobs), len(tasks))
    if n_workers < 2:
        return (function(task) for task in tasks)
    if isinstance(get_active_backend(prefer="threads")[0], ThreadingBackend):
        return _on_threads(function, tasks, n_workers)
    pool = joblib.Parallel(n_jobs=n_workers, prefer="threads", return_as="generator")
    results: Iterator[T] = pool(joblib.delayed(function)(task) for task in tasks)
    return results


def _on_threads(function: Callable[..., T], tasks: Sequence[Any], n_workers: int) -> Iterator[T]:
    # joblib polls for its results every 10 ms, which is longer than many of our tasks take
    def mark_busy() -> None:
        _thread.busy = True

    with ThreadPoolExecutor(n_workers, initializer=mark_busy) as pool:
        yield from pool.map(function, tasks)
