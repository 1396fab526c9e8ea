"""Parallel maps over nodes: joblib outside, one BLAS thread per worker inside."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import joblib
from joblib.parallel import get_active_backend
from threadpoolctl import threadpool_limits

T = TypeVar("T")


def workers(n_jobs: int | None) -> int:
    """Resolve `n_jobs`: None is the active `joblib.parallel_config`, else all cores."""
    if n_jobs is None:
        n_jobs = get_active_backend()[1]
    return int(joblib.effective_n_jobs(-1 if n_jobs is None else n_jobs))


def one_blas_thread() -> Any:
    """Context manager: every BLAS call inside uses one thread (two on busy cores collapse)."""
    return threadpool_limits(limits=1, user_api="blas")


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


def _results(function: Callable[..., T], tasks: Sequence[Any], n_jobs: int | None) -> Iterator[T]:
    if len(tasks) < 2 or workers(n_jobs) == 1:
        return (function(task) for task in tasks)
    pool = joblib.Parallel(n_jobs=workers(n_jobs), prefer="threads", return_as="generator")
    results: Iterator[T] = pool(joblib.delayed(function)(task) for task in tasks)
    return results
