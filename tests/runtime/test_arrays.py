"""Linear algebra on numpy and torch: the same answers on both."""

import importlib.util

import numpy as np
import pytest

from dagscale.runtime.arrays import (
    BLOCK,
    cholesky,
    cholesky_inverse,
    cholesky_solve,
    factorise,
    kth_smallest,
    largest,
    on_device,
    to_numpy,
)
from dagscale.runtime.errors import InputError

DEVICES = ["cpu", *(["torch"] if importlib.util.find_spec("torch") else [])]


def positive_definite(*shape, seed=0):
    B = np.random.default_rng(seed).standard_normal((*shape, shape[-1]))
    return B @ np.swapaxes(B, -1, -2) + np.eye(shape[-1])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("n", [1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_a_factor_solves(n, device):
    A, B = positive_definite(n), np.random.default_rng(1).standard_normal((n, 4))
    factor = factorise(on_device(A.copy(), device))
    np.testing.assert_allclose(A @ to_numpy(factor.solve(on_device(B.copy(), device))), B, atol=1e-8)


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_not_positive_definite_is_refused(device):
    A = -np.eye(3)
    for function in (factorise, cholesky):
        with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
            function(on_device(A.copy(), device))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("stack", [(), (3,)])
def test_cholesky_and_its_uses_on_one_matrix_and_on_stacks(stack, device):
    A = positive_definite(*stack, 6)
    B = np.random.default_rng(1).standard_normal((*stack, 6, 2))
    L = cholesky(on_device(A, device))
    np.testing.assert_allclose(np.tril(to_numpy(L)) @ np.swapaxes(np.tril(to_numpy(L)), -1, -2), A)
    np.testing.assert_allclose(A @ to_numpy(cholesky_solve(L, on_device(B, device))), B, atol=1e-10)
    np.testing.assert_allclose(to_numpy(cholesky_inverse(L)), np.linalg.inv(A), atol=1e-10)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("k", [0, 1, 5, 9])
def test_kth_smallest_and_the_one_before(k, device):
    values = np.random.default_rng(0).permutation(10) / 2
    expected = (k / 2, max(k - 1, 0) / 2)
    assert kth_smallest(on_device(values.copy(), device), k) == expected


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("most", [1, 3, 7, 9])
def test_largest_of_each_column(most, device):
    values = np.random.default_rng(0).permutation(28).reshape(7, 4) / 2
    found, rows = largest(on_device(values, device), most)
    assert found.shape == rows.shape == (4, min(most, 7))
    for column, numbers, places in zip(values.T, found, rows, strict=True):
        np.testing.assert_array_equal(column[places], numbers)
        assert sorted(numbers) == sorted(column)[-most:]


@pytest.mark.skipif("torch" not in DEVICES, reason="torch is not installed")
def test_a_missing_gpu_is_said_in_one_line():
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(InputError, match="no GPU"):
        on_device(np.zeros(2), "cuda")
