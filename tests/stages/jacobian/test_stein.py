"""The Stein estimator against a textbook version, closed forms, and its own invariances."""

import importlib.util
import tracemalloc

import joblib
import numpy as np
import pytest

from dagscale.runtime.arrays import to_numpy
from dagscale.stages.jacobian.stein import STALE, fit

DEVICES = ["cpu", *(["torch"] if importlib.util.find_spec("torch") else [])]


def textbook(X, eta=0.001):
    """Score (n, d) and Jacobian (n, d, d) by the definition: one explicit sum for every derivative."""
    n, d = X.shape
    difference = X[:, None, :] - X[None, :, :]  # (n, n, d)
    D = (difference**2).sum(axis=2)
    s2 = np.median(D[np.triu_indices(n, 1)])
    K = np.exp(-D / (2 * s2)) / np.sqrt(s2)
    inverse = np.linalg.inv(K + eta * np.eye(n))
    G, J = np.empty((n, d)), np.empty((n, d, d))
    for i in range(d):
        G[:, i] = inverse @ (-(difference[:, :, i] / s2) * K).sum(axis=1)
    for i in range(d):
        for j in range(d):
            second = difference[:, :, i] * difference[:, :, j] / s2**2 - (i == j) / s2
            J[:, i, j] = inverse @ (second * K).sum(axis=1) - G[:, i] * G[:, j]
    return G, J


def some_data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] += np.sin(2 * X[:, j - 1])
    return X * rng.uniform(0.3, 3, d) + rng.normal(0, 10, d)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("n", "d", "eta"), [(2, 3, 0.001), (17, 1, 0.1), (60, 4, 0.001), (150, 3, 0.01)])
def test_equals_the_textbook(n, d, eta, device):
    X = some_data(n, d)
    G, J = textbook(X, eta)
    stein = fit(X, eta, device)
    close = {"rtol": 1e-7, "atol": 1e-8 * np.abs(J).max()}
    np.testing.assert_allclose(to_numpy(stein.score), G, **close)
    np.testing.assert_allclose(to_numpy(stein.diagonal), np.einsum("njj->nj", J), **close)
    for j in range(d):
        np.testing.assert_allclose(to_numpy(stein.row(j)), J[:, j], **close)


@pytest.mark.parametrize("device", DEVICES)
def test_drop_equals_a_fit_on_the_remaining_columns(device):
    X = some_data(80, 5)
    stein, columns = fit(X, device=device), list(range(5))
    for position in (2, 3, 0, 1):
        stein = stein.drop(position)
        del columns[position]
        fresh = fit(X[:, columns], device=device)
        for ours, theirs in ((stein.score, fresh.score), (stein.row(0), fresh.row(0))):
            np.testing.assert_allclose(to_numpy(ours), to_numpy(theirs), rtol=1e-6, atol=1e-8)


def test_drop_keeps_its_precision_when_a_column_in_huge_units_goes():
    X = some_data(100, 3)
    X[:, 1] *= 1e8
    stein = fit(X)
    assert np.isfinite(stein.diagonal).all()
    assert X[:, 1].var() > STALE * X[:, 0].var()
    np.testing.assert_allclose(stein.drop(1).diagonal, fit(X[:, [0, 2]]).diagonal, rtol=1e-7, atol=1e-9)


def test_after_a_drop_what_was_computed_stays_and_the_rest_is_refused():
    stein = fit(some_data(40, 3))
    diagonal = stein.diagonal.copy()
    stein.drop(0).row(1)
    np.testing.assert_array_equal(stein.diagonal, diagonal)
    with pytest.raises(RuntimeError, match="dropped"):
        stein.row(1)
    with pytest.raises(RuntimeError, match="dropped"):
        stein.drop(1)


def test_a_gaussian_has_a_linear_score_and_a_constant_jacobian():
    covariance = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 1.0]])
    precision = np.linalg.inv(covariance)
    X = np.random.default_rng(0).multivariate_normal(np.zeros(3), covariance, 1500)
    stein = fit(X, eta=0.01)
    inner = (X**2).sum(axis=1) < 4  # the estimate is poor where data are few
    for j in range(3):
        assert np.corrcoef(stein.score[:, j], -X @ precision[j])[0, 1] > 0.95
        np.testing.assert_allclose(np.median(stein.row(j)[inner], axis=0), -precision[j], atol=0.2)
    np.testing.assert_allclose(np.median(stein.diagonal[inner], axis=0), -np.diag(precision), atol=0.2)


def test_a_nonlinear_pair_follows_its_closed_form_ever_more_closely():
    """x -> y = 2 sin x + noise: s_y = -noise, ∂s_y/∂x = 2 cos x, ∂s_y/∂y = -1 (Eq. (5) and (8))."""
    rng = np.random.default_rng(0)
    errors = []
    for n in (250, 2000):
        x, noise = rng.standard_normal((2, n))
        stein = fit(np.column_stack([x, 2 * np.sin(x) + noise]))
        inner = (abs(x) < 1.5) & (abs(noise) < 1.5)  # the estimate is poor where data are few
        truth = np.column_stack([2 * np.cos(x), -np.ones(n), -noise])
        estimate = np.column_stack([stein.row(1), stein.score[:, 1]])
        errors.append(np.median(np.abs(estimate - truth)[inner], axis=0))
        assert stein.diagonal[:, 1].var() < 0.25 * stein.diagonal[:, 0].var()  # the leaf's is constant
        assert np.corrcoef(stein.score[:, 0], -x + 2 * np.cos(x) * noise)[0, 1] > 0.9  # Eq. (4)
    assert (errors[1] < 0.75 * errors[0]).all()
    assert (errors[1] < [0.35, 0.3, 0.15]).all()


def test_the_papers_three_variable_example():
    """X3 -> X2 -> X1: X1 depends on X2 alone, and without X1, X2 on X3."""
    rng = np.random.default_rng(0)
    x3 = rng.standard_normal(1000)
    x2 = 2 * np.sin(x3) + rng.standard_normal(1000)
    x1 = 2 * np.sin(x2) + rng.standard_normal(1000)
    stein = fit(np.column_stack([x1, x2, x3]))
    assert stein.diagonal.var(axis=0).argmin() == 0
    size = np.abs(stein.row(0)).mean(axis=0)
    assert size[1] > 2.5 * size[2]
    assert size[1] == pytest.approx(np.abs(2 * np.cos(x2)).mean(), rel=0.3)
    rest = stein.drop(0)
    assert rest.diagonal.var(axis=0).argmin() == 0
    assert np.abs(rest.row(0)).mean(axis=0)[1] == pytest.approx(np.abs(2 * np.cos(x3)).mean(), rel=0.3)


def test_jacobian_is_symmetric_and_its_diagonal_is_the_diagonal():
    stein = fit(some_data(90, 4))
    J = np.stack([stein.row(j) for j in range(4)], axis=1)  # (n, d, d)
    scale = np.abs(J).max()
    np.testing.assert_allclose(J, J.transpose(0, 2, 1), atol=1e-10 * scale)
    np.testing.assert_allclose(np.einsum("njj->nj", J), stein.diagonal, atol=1e-10 * scale)


def test_location_does_not_count():
    X = some_data(70, 3)
    moved = X + np.array([1e4, -50, 3])
    np.testing.assert_allclose(fit(moved).diagonal, fit(X).diagonal, rtol=1e-5, atol=1e-6)


def test_the_result_is_the_same_to_the_bit_for_any_number_of_threads():
    X = some_data(700, 400)  # enough for several blocks of columns, each worth a thread
    one, two = fit(X, n_jobs=1), fit(X, n_jobs=2)
    np.testing.assert_array_equal(one.diagonal, two.diagonal)
    np.testing.assert_array_equal(one.row(3), two.row(3))
    np.testing.assert_array_equal(one.drop(5).score, two.drop(5).score)


def test_a_configuration_of_processes_changes_nothing():
    X = some_data(600, 5)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        elsewhere = fit(X).diagonal
    np.testing.assert_array_equal(elsewhere, fit(X).diagonal)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda X: np.sign(X), id="two values"),
        pytest.param(lambda X: X * [0, 1, 1], id="a constant column"),
        pytest.param(lambda X: X * 0, id="all constant"),
        pytest.param(lambda X: X * 1e-12, id="minute units"),
        pytest.param(lambda X: X * 1e12, id="huge units"),
        pytest.param(lambda X: np.repeat(X[:20], 5, axis=0), id="repeated rows"),
        pytest.param(lambda X: X[:1], id="one row"),
    ],
)
def test_awkward_data_give_finite_estimates(spoil):
    stein = fit(spoil(some_data(100, 3)))
    for estimate in (stein.score, stein.diagonal, stein.row(1), stein.drop(0).row(1)):
        assert np.isfinite(estimate).all()


def test_memory_holds_no_three_way_array():
    n, d = 300, 150
    X = some_data(n, d)
    tracemalloc.start()
    stein = fit(X, n_jobs=1)
    stein.row(0)
    stein.drop(0).row(0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * (4 * n * n + 20 * n * d)  # bytes; one (n, n, d) array is 8 n² d: 13 times that


@pytest.mark.parametrize("rows", [1, 10])
@pytest.mark.parametrize("far", [1e4, 1e6, 1e30])
def test_values_far_from_all_others_cost_no_precision(far, rows):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((120, 4))
        X[:rows, 1] += far * rng.standard_normal(rows)
        stein = fit(X, eta=1e-9)
        assert np.isfinite(stein.diagonal).all()
        without = fit(np.delete(X, 1, axis=1), eta=1e-9).diagonal
        np.testing.assert_allclose(stein.drop(1).diagonal, without, atol=1e-3 * np.abs(without).max())
