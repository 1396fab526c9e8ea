"""The thin-plate basis against its textbook definition, and on awkward columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.models.splines.basis import column_bases, column_basis

RNG = np.random.default_rng(0)


def textbook(x, k):
    """Wood (2003) written out with dense matrices: model matrix (n, k - 1) without constant, penalty."""
    values, where = np.unique(x, return_inverse=True)
    E = np.abs(values[:, None] - values) ** 3
    eigenvalues, U = np.linalg.eigh(E)
    first = np.argsort(-np.abs(eigenvalues))[:k]
    U, D = U[:, first], eigenvalues[first]
    T = np.column_stack([np.ones_like(values), values])
    Z = np.linalg.svd(T.T @ U)[2][2:].T
    B = np.column_stack([(U * D) @ Z, values])[where]
    S = np.zeros((k - 1, k - 1))
    S[:-1, :-1] = Z.T @ np.diag(D) @ Z
    return B - B.mean(axis=0), S


def smoother(B, S, smoothing):
    return B @ np.linalg.solve(B.T @ B + smoothing * S, B.T)


@pytest.mark.parametrize("n", [30, 400])
@pytest.mark.parametrize("k", [3, 6, 10])
def test_spans_the_textbook_space_with_the_textbook_penalty(n, k):
    x = np.random.default_rng(n + k).standard_normal(n)
    basis = column_basis(x, k)
    # The penalty's unit is free; take it from the roughest direction, then all smoothers must agree.
    B, S = textbook(x, k)
    L = np.linalg.cholesky(B.T @ B)
    rough = np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, S).T))[-1] / basis.penalty[-1]
    for smoothing in (1e-4, 1e-2, 1.0, 1e2):
        ours = smoother(basis.Q, np.diag(basis.penalty), smoothing)
        np.testing.assert_allclose(ours, smoother(B, S / rough, smoothing), atol=1e-6)


def test_orthonormal_centred_and_starting_with_the_line():
    x = np.exp(RNG.standard_normal(500))
    basis = column_basis(x)
    np.testing.assert_allclose(basis.Q.T @ basis.Q, np.eye(9), atol=1e-10)
    np.testing.assert_allclose(basis.Q.sum(axis=0), 0, atol=1e-9)
    line = (x - x.mean()) / np.linalg.norm(x - x.mean())
    np.testing.assert_allclose(np.abs(basis.Q[:, 0] @ line), 1, atol=1e-12)
    assert basis.penalty[0] == 0
    assert (np.diff(basis.penalty) > 0).all()
    assert basis.penalty[1:].mean() == pytest.approx(1)


@pytest.mark.parametrize("k", range(2, 11))
def test_narrowed_is_the_basis_of_that_rank(k):
    x = np.random.default_rng(k).uniform(size=300)
    wide, narrow = column_basis(x, 10), column_basis(x, k)
    rotation, penalty = wide.narrowed(k)
    np.testing.assert_allclose(penalty, narrow.penalty, rtol=1e-6, atol=1e-12)
    projector = wide.Q @ rotation @ rotation.T @ wide.Q.T
    np.testing.assert_allclose(projector, narrow.Q @ narrow.Q.T, atol=1e-8)


@pytest.mark.parametrize("few", [1, 2, 3, 4, 9, 10])
def test_few_distinct_values_give_a_smaller_basis(few):
    x = np.repeat(np.arange(few, dtype=float), 7)
    basis = column_basis(x)
    assert basis.Q.shape == (len(x), few - 1)
    # With as many functions as values, less the constant, any table of means is fitted.
    y = RNG.standard_normal(few)[x.astype(int)]
    np.testing.assert_allclose(basis.Q @ (basis.Q.T @ y), y - y.mean(), atol=1e-9)
    for k in range(2, 10):
        assert basis.narrowed(k)[0].shape == (few - 1, min(few, k) - 1)


def test_symmetric_grids_lose_no_odd_function():
    x = np.linspace(-1, 1, 201)
    Q = column_basis(x).Q
    for f in (x**2, x**3, np.sin(3 * x)):
        f = f - f.mean()
        assert np.linalg.norm(f - Q @ (Q.T @ f)) < 0.02 * np.linalg.norm(f)


@settings(deadline=None, max_examples=20, derandomize=True)
@given(
    seed=st.integers(0, 1000),
    scale=st.floats(1e-6, 1e6),
    shift=st.floats(-100, 100),
    flip=st.booleans(),
)
def test_units_and_row_order_do_not_matter(seed, scale, shift, flip):
    rng = np.random.default_rng(seed)
    x = rng.standard_t(3, size=120)
    rows = rng.permutation(120)
    basis = column_basis(x)
    changed = column_basis(((-x if flip else x) * scale + shift * scale)[rows])
    np.testing.assert_allclose(changed.penalty, basis.penalty, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(changed.Q @ changed.Q.T, (basis.Q @ basis.Q.T)[np.ix_(rows, rows)], atol=1e-5)


def test_heavy_tails_stay_finite():
    basis = column_basis(RNG.standard_cauchy(2000))
    np.testing.assert_allclose(basis.Q.T @ basis.Q, np.eye(9), atol=1e-8)
    assert np.isfinite(basis.penalty).all()


@pytest.mark.parametrize("n", [1, 2, 3, 40, 100])
def test_columns_built_together_are_those_built_alone(n):
    X = np.random.default_rng(0).standard_normal((6, n))
    X[2], X[4] = np.round(X[2]), 7.0  # ties, a constant
    for x, together in zip(X, column_bases(X), strict=True):
        alone = column_basis(x)
        for name in ("Q", "penalty", "wiggles", "eigenvalues", "moments"):
            np.testing.assert_array_equal(getattr(together, name), getattr(alone, name), err_msg=name)


@pytest.mark.parametrize("n", [40, 150, 1000])
@pytest.mark.parametrize("far", [1e5, 1e6, 1e8, 1e12, 1e40])
def test_one_value_far_from_all_others_leaves_a_usable_basis(n, far):
    for seed in range(5):
        x = np.random.default_rng(seed).standard_normal(n)
        x[3] = far
        basis = column_basis(x)
        np.testing.assert_allclose(basis.Q.T @ basis.Q, np.eye(basis.Q.shape[1]), atol=1e-10)
        np.testing.assert_allclose(basis.Q.sum(axis=0), 0, atol=1e-5)
        assert np.isfinite(basis.penalty).all()
        assert (basis.penalty >= 0).all()


def test_a_far_value_in_one_column_changes_no_other():
    X = np.random.default_rng(0).standard_normal((3, 100))
    alone = column_bases(X)
    X[1, 7] = 1e9
    together = column_bases(X)
    for j in (0, 2):
        np.testing.assert_array_equal(alone[j].penalty, together[j].penalty)
    assert together[1].Q.shape == (100, 1)


def test_clusters_far_apart_leave_a_usable_basis():
    x = np.repeat([0.0, 1.0, 5.0], 40) + 1e-9 * np.random.default_rng(0).standard_normal(120)
    basis = column_basis(x)
    assert (basis.penalty >= 0).all()
    np.testing.assert_allclose(basis.Q.T @ basis.Q, np.eye(basis.Q.shape[1]), atol=1e-10)
