import threading
import time

import numpy as np
import pytest

from dagscale.runtime import lapack


@pytest.fixture
def definite():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 60))
    return A @ A.T + np.eye(40)


def test_factor_inverse_and_solves_agree_with_numpy(definite):
    B = np.random.default_rng(1).normal(size=(40, 3))
    L = np.asfortranarray(definite)
    assert lapack.cholesky_in_place(L)
    lower = np.tril(L)
    np.testing.assert_allclose(lower, np.linalg.cholesky(definite), rtol=1e-10)
    np.testing.assert_allclose(lapack.solve_factored(L, B), np.linalg.solve(definite, B), rtol=1e-8)
    np.testing.assert_allclose(lapack.solve_lower(L, B), np.linalg.solve(lower, B), rtol=1e-8)
    np.testing.assert_allclose(lapack.triangular_inverse(L), np.linalg.inv(lower), atol=1e-12)
    np.testing.assert_allclose(
        lapack.symmetric_product(np.asfortranarray(np.tril(definite)), B), definite @ B
    )
    lapack.inverse_in_place(L)
    np.testing.assert_allclose(np.tril(L), np.tril(np.linalg.inv(definite)), rtol=1e-6, atol=1e-12)


def test_a_matrix_by_rows_is_factored_as_well(definite):
    L = np.array(definite, order="C")
    assert lapack.cholesky_in_place(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(definite), rtol=1e-10)


@pytest.mark.parametrize("layout", ["F", "C"])
def test_single_precision_is_factored_as_well(definite, layout):
    L = np.array(definite, dtype=np.float32, order=layout)
    assert lapack.single_cholesky_in_place(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(definite), atol=1e-4)


def test_indefinite_is_said():
    indefinite = np.asfortranarray(np.diag([1.0, -1.0]))
    assert not lapack.single_cholesky_in_place(indefinite.astype(np.float32))
    assert not lapack.cholesky_in_place(indefinite)


def test_pivoted_cholesky_stops_at_the_rank(definite):
    rng = np.random.default_rng(2)
    thin = rng.normal(size=(30, 5))
    L, pivots, rank = lapack.pivoted_cholesky(np.asfortranarray(thin @ thin.T), 1e-9)
    assert rank == 5
    L = np.tril(L)[:, :rank]
    np.testing.assert_allclose(L @ L.T, (thin @ thin.T)[np.ix_(pivots, pivots)], atol=1e-10)
    L, pivots, rank = lapack.pivoted_cholesky(np.asfortranarray(definite), 1e-9)
    assert rank == 40
    assert sorted(pivots) == list(range(40))


def test_other_threads_run_meanwhile():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(1500, 1500))
    K = np.asfortranarray(A @ A.T + 1500 * np.eye(1500))
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    lapack.cholesky_in_place(K)
    end = time.perf_counter()
    stop.set()
    thread.join()
    # With the lock held, no tick could fall inside the call.
    assert sum(begin < t < end for t in ticks) >= 3
