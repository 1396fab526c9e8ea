"""Parallel maps: order, errors, nesting, and one BLAS thread a worker."""

import os
import signal
import threading
import time
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

from dagscale.runtime.parallel import parallel_map, run_in_threads
from dagscale.runtime.workers import one_blas_thread, workers


def square(x):
    return x * x


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1, None])
def test_results_come_in_the_order_of_the_items(n_jobs):
    assert parallel_map(square, range(20), n_jobs) == [x * x for x in range(20)]


def test_two_workers_are_at_work_at_the_same_time():
    barrier = threading.Barrier(2, timeout=30)  # passes only if two threads meet at it
    assert len(parallel_map(lambda _: barrier.wait(), range(2), 2)) == 2


def test_a_map_inside_a_map_stays_in_its_thread():
    def inner(_):
        threads = set(parallel_map(lambda _: threading.get_ident(), range(4), 2))
        return threads == {threading.get_ident()} and workers(8) == 1

    assert parallel_map(inner, range(3), 2) == [True] * 3
    assert workers(2) == 2  # and nothing of it stays behind


def test_the_active_joblib_configuration_decides():
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert workers(None) == 2
        assert parallel_map(abs, range(-2, 3)) == [2, 1, 0, 1, 2]
    with joblib.parallel_config(backend="threading", n_jobs=1):
        assert workers(None) == 1


def test_work_on_shared_arrays_stays_in_this_process_whatever_the_configuration():
    out = np.zeros(6)

    def fill(block):
        out[block] += 1

    blocks = [slice(0, 2), slice(2, 4), slice(4, 6)]
    run_in_threads(fill, blocks, 1)
    run_in_threads(fill, blocks, 2)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        run_in_threads(fill, blocks)
    assert out.tolist() == [3] * 6


def test_errors_pass_through():
    with pytest.raises(ZeroDivisionError):
        parallel_map(lambda x: 1 / x, [1, 0, 2], 2)
    with pytest.raises(ZeroDivisionError):
        run_in_threads(lambda x: 1 / x, [1, 0, 2], 2)


def test_every_result_is_announced():
    seen = []
    parallel_map(square, range(4), 2, done=seen.append)
    assert seen == [1, 2, 3, 4]


def test_blas_gets_one_thread_inside_and_its_own_again_outside():
    def blas_threads(_=None):
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    np.ones((2, 2)) @ np.ones((2, 2))
    before = blas_threads()
    for counts in parallel_map(blas_threads, range(3), 2):
        assert set(counts) == {1}
    with one_blas_thread():
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def test_many_short_tasks_go_to_processes_with_the_same_result(monkeypatch):
    import dagscale
    from dagscale.runtime import parallel, workers

    X = np.random.default_rng(0).standard_normal((120, 6))
    X[:, 3] += np.sin(2 * X[:, 0])
    X[:, 4] += X[:, 3] ** 2
    assert not workers.worth_processes(workers.WORTH_PROCESSES - 1, 16)
    assert not workers.worth_processes(workers.WORTH_PROCESSES, workers.FEWEST_PROCESSES - 1)
    here = dagscale.discover(X, effort="quick", n_jobs=2)
    monkeypatch.setattr(workers, "WORTH_PROCESSES", 1)
    monkeypatch.setattr(workers, "FEWEST_PROCESSES", 2)
    shipped, real = [], parallel.shipped_map

    def counted(function, tasks, n_workers):
        shipped.append(len(tasks))
        return real(function, tasks, n_workers)

    monkeypatch.setattr(parallel, "shipped_map", counted)
    there = dagscale.discover(X, effort="quick", n_jobs=2)
    assert shipped
    assert here.adjacency.any()
    pd.testing.assert_frame_equal(there.edges, here.edges, check_exact=True)


def thread_of(_task):
    time.sleep(0.01)
    return threading.current_thread()


def test_threads_are_kept():
    first, again = (set(parallel_map(thread_of, range(8), 2, local=True)) for _ in range(2))
    assert first & again


def test_after_an_error_nothing_runs_on():
    ended = []

    def task(k):
        if k == 0:
            raise ArithmeticError
        time.sleep(0.2)
        ended.append(k)

    with pytest.raises(ArithmeticError):
        parallel_map(task, range(6), 2, local=True)
    known = list(ended)
    time.sleep(0.5)
    assert ended == known
    assert len(ended) < 5


def test_maps_of_different_lengths_share_their_threads(monkeypatch):
    monkeypatch.setattr(joblib, "cpu_count", lambda: 4)
    used = set()
    for tasks in (2, 3, 4):
        used |= set(parallel_map(thread_of, range(tasks), 4, local=True))
    assert len(used) <= 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_child_starts_threads_of_its_own():
    parallel_map(thread_of, range(4), 2, local=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads: that is the point
        child = os.fork()
    if child == 0:
        good = False
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(30)  # ends a child that waits for its parent's threads
        try:
            good = len(parallel_map(thread_of, range(4), 2, local=True)) == 4
        finally:
            os._exit(0 if good else 1)  # whatever happens, the child does not go on with the tests
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
