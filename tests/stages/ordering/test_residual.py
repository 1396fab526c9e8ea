"""NoGAM's order, and the cross-fitted kernel ridge regression under it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge

from dagscale.stages.ordering.residual import cross_predict, residual_order


def chain(n, d, seed, noise):
    rng = np.random.default_rng(seed)
    X = noise(rng, (n, d))
    for j in range(1, d):
        X[:, j] += 2 * np.sin(X[:, j - 1])
    return X


def gaussian(rng, shape):
    return rng.standard_normal(shape)


def laplace(rng, shape):
    return rng.laplace(size=shape) / np.sqrt(2)


def uniform(rng, shape):
    return rng.uniform(-np.sqrt(3), np.sqrt(3), shape)


@pytest.mark.parametrize("noise", [gaussian, laplace, uniform])
def test_a_nonlinear_chain_is_ordered_whatever_the_noise(noise):
    wrong = 0
    for seed in range(3):
        X = chain(400, 4, seed, noise)[:, [2, 0, 3, 1]]
        place = np.argsort(residual_order(X))
        wrong += sum(place[i] > place[j] for i, j in ((1, 3), (3, 0), (0, 2)))
    assert wrong <= 1  # of 9


def test_with_all_rows_as_landmarks_it_is_kernel_ridge_regression():
    rng = np.random.default_rng(0)
    X, folds = rng.standard_normal((60, 3)), np.array_split(rng.permutation(60), 4)
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(60) + 5
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    expected = np.empty(60)
    for fold in folds:
        train = np.setdiff1d(np.arange(60), fold)
        model = KernelRidge(alpha=0.1, kernel="rbf", gamma=1 / (2 * np.median(D)))
        model.fit(X[train], y[train] - y[train].mean())
        expected[fold] = y[train].mean() + model.predict(X[fold])
    np.testing.assert_allclose(cross_predict(X, y, X, folds, 0.1), expected, rtol=1e-5)


def test_few_landmarks_predict_almost_as_well_as_all():
    rng = np.random.default_rng(0)
    X, folds = rng.standard_normal((400, 2)), np.array_split(np.arange(400), 5)
    signal = np.sin(X[:, 0]) * X[:, 1]
    y = signal + 0.3 * rng.standard_normal(400)
    errors = [np.mean((cross_predict(X, y, X[:m], folds, 0.1) - signal) ** 2) for m in (80, 400)]
    assert errors[0] < 1.3 * errors[1]
    assert errors[1] < 0.1 * signal.var()


def test_a_prediction_never_sees_its_own_row():
    rng = np.random.default_rng(0)
    X, folds = rng.standard_normal((50, 2)), np.array_split(np.arange(50), 5)
    y = rng.standard_normal(50)
    spoiled = y.copy()
    spoiled[folds[2]] += 100
    first, second = (cross_predict(X, target, X[:30], folds, 0.1) for target in (y, spoiled))
    np.testing.assert_allclose(first[folds[2]], second[folds[2]], rtol=1e-6)
    assert np.abs(first - second).max() > 1


def test_constant_inputs_predict_the_mean():
    y = np.arange(10.0)
    folds = [np.arange(5), np.arange(5, 10)]
    predicted = cross_predict(np.zeros((10, 1)), y, np.zeros((3, 1)), folds, 0.1)
    np.testing.assert_allclose(predicted, np.repeat([7, 2], 5), atol=1e-6)


@settings(deadline=None, max_examples=12, derandomize=True)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 5))
def test_any_partial_order_is_respected(seed, d):
    rng = np.random.default_rng(seed)
    before = np.triu(rng.random((d, d)) < 0.4, 1)
    for k in range(d):
        before |= before[:, [k]] & before[[k], :]
    shuffled = rng.permutation(d)
    before = before[np.ix_(shuffled, shuffled)]
    order = residual_order(chain(40, d, seed, gaussian), before)
    assert sorted(order) == list(range(d))
    place = np.argsort(order)
    assert all(place[i] < place[j] for i, j in np.argwhere(before))


def test_columns_permuted_give_the_order_permuted():
    X = chain(200, 5, 3, laplace)
    shuffled = np.array([3, 0, 4, 1, 2])
    np.testing.assert_array_equal(shuffled[residual_order(X[:, shuffled])], residual_order(X))


def test_threads_do_not_change_the_order_and_the_generator_does_the_drawing():
    X = chain(150, 4, 0, uniform)
    orders = [
        residual_order(X, n_jobs=jobs, landmarks=30, rng=np.random.default_rng(5)) for jobs in (1, 2, None)
    ]
    np.testing.assert_array_equal(orders[0], orders[1])
    np.testing.assert_array_equal(orders[0], orders[2])


def test_progress_is_reported():
    seen = []
    residual_order(chain(40, 3, 0, gaussian), progress=lambda *report: seen.append(report))
    assert [report[1] for report in seen] == [1, 2]
    assert all(report[2] == 3 for report in seen)


@pytest.mark.parametrize("shift", [1e4, 1e7])
def test_columns_far_from_zero_have_the_order_of_centred_ones(shift):
    X = chain(120, 4, 0, gaussian)
    far = X + shift * X.std(axis=0) * np.array([1, -1, 1, 0])
    np.testing.assert_array_equal(residual_order(far), residual_order(X))


def test_mostly_tied_columns_are_ordered_without_a_warning():
    X = np.zeros((60, 3))
    X[:4] = np.random.default_rng(0).standard_normal((4, 3))
    assert sorted(residual_order(X)) == [0, 1, 2]
