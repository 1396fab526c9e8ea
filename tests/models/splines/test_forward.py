"""Forward regression against explicit penalised fits."""

from dataclasses import replace

import numpy as np
import pytest

from dagscale.models.splines import SplineTable
from dagscale.models.splines import table as table_module
from dagscale.models.splines.forward import GRID, KEPT, Blocks, Forward, _diagonalise, widen_all


@pytest.fixture(scope="module")
def blocks_and_X():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 5))
    X[:, 2] = 0.8 * X[:, 1] + 0.6 * X[:, 2]
    X[:, 4] = rng.integers(0, 3, 150)
    X[:, 0] += np.sin(2 * X[:, 1]) + 0.5 * X[:, 3] ** 2 + 0.4 * X[:, 4]
    table = SplineTable.of(X, n_jobs=1)
    return Blocks.of(table), table.X


def start(blocks, candidates=(1, 2, 3, 4)):
    return Forward(blocks, 0, np.array(candidates))


def slow_fit(y, Q, penalty, W):
    """Best half fall of log GCV over the grid, by explicit smoothers; with it the directions kept."""
    n, t = len(y), 1 + W.shape[1]
    off = np.eye(n) - W @ W.T
    r, Z = off @ y, off @ Q
    best = (-np.inf, None)
    for smoothing in GRID:
        hat = Z @ np.linalg.solve(Z.T @ Z + np.diag(smoothing * penalty), Z.T)
        after, edf = r - hat @ r, np.trace(hat)
        gain = 0.5 * np.log(r @ r / (after @ after)) + np.log(1 - edf / (n - t))
        if gain > best[0]:
            values, vectors = np.linalg.eigh(hat)
            best = (gain, vectors[:, values >= KEPT])
    return best


def test_gains_are_those_of_explicit_fits_as_parents_come(blocks_and_X):
    blocks, X = blocks_and_X
    node, W = start(blocks), np.zeros((len(X), 0))
    for parent in (1, 4, 3):
        expected = []
        for i in node.candidates:
            real = blocks.penalty[i] < 1e6  # leave the padding out
            expected.append(slow_fit(X[:, 0], blocks.Q[i][real].T, blocks.penalty[i][real], W))
        np.testing.assert_allclose(node.gains(), [gain for gain, _ in expected], atol=1e-4)
        place = int(np.flatnonzero(node.candidates == parent)[0])
        node.add(parent)
        W = np.column_stack([W, expected[place][1]])
        residual = X[:, 0] - W @ (W.T @ X[:, 0])
        assert node.rss == pytest.approx(residual @ residual, rel=1e-4)
        assert node.free == len(X) - 1 - W.shape[1]
        node.keep(np.flatnonzero(node.candidates != parent))


def test_padding_changes_nothing(blocks_and_X):
    blocks, X = blocks_and_X
    wider = replace(
        blocks,
        Q=np.concatenate([blocks.Q, np.zeros((5, 4, len(X)))], axis=1),
        penalty=np.concatenate([blocks.penalty, np.full((5, 4), 1e6)], axis=1),
    )
    one, other = start(blocks), start(wider)
    for parent in (3, 1):
        np.testing.assert_allclose(one.gains(), other.gains(), atol=1e-3)
        one.add(parent)
        other.add(parent)


def test_what_the_parents_hold_gains_nothing(blocks_and_X):
    blocks, _X = blocks_and_X
    node = start(blocks)
    node.add(1)
    node.add(1)
    assert node.gains()[0] < 1e-3


def test_first_gains_are_scale_free(blocks_and_X):
    blocks, X = blocks_and_X
    scaled = Blocks.of(SplineTable.of(X * np.array([1e5, 1, 1, 1, 1]), n_jobs=1))
    np.testing.assert_allclose(start(blocks).gains(), start(scaled).gains(), atol=1e-12)


def test_known_products_and_a_long_tables_gram_give_the_same(blocks_and_X, monkeypatch):
    blocks, X = blocks_and_X
    monkeypatch.setattr(table_module, "LONG", 100)
    long = Blocks.of(SplineTable.of(X, n_jobs=1))
    assert long.Q is None
    candidates = np.array([1, 2, 3, 4])
    one = Forward(blocks, 0, candidates, blocks.products(np.array([3, 0]))[candidates, :, 1])
    other = start(long)
    for parent in (3, 4, 1):
        np.testing.assert_allclose(one.gains(), other.gains(), atol=1e-7)
        one.add(parent)
        other.add(parent)
    np.testing.assert_allclose(one.rss, other.rss)


def test_candidates_that_come_late_have_the_same_gains(blocks_and_X):
    blocks, _ = blocks_and_X
    late = start(blocks, (1, 3))
    late.add(3)
    late.add(1)
    widen_all([late], [np.array([2, 4])])
    early = start(blocks, (1, 3, 2, 4))
    early.add(3)
    early.add(1)
    np.testing.assert_allclose(late.gains(), early.gains(), atol=1e-9)


def test_beta_is_what_the_parents_explain(blocks_and_X):
    blocks, X = blocks_and_X
    node = start(blocks)
    for parent in (1, 2, 3):
        node.add(parent)
    left = X[:, 0] - np.einsum("pwn,pw->n", blocks.Q[node.parents], node.beta)
    assert left @ left == pytest.approx(node.rss)


def test_what_rounding_leaves_of_a_determined_candidate_has_no_negative_length():
    rng = np.random.default_rng(1000)
    V = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    lengths = np.array([1.0, 0.5, -1e-6])  # the last direction is in the span of the chosen parents
    A = np.stack([(V * lengths) @ V.T, np.eye(3)])
    c, penalty = rng.standard_normal((2, 3)), np.tile([0.0, 1.0, 2.0], (2, 1))
    _, s, basis = _diagonalise(A, c, penalty)
    assert (s >= 0).all()
    mended = np.stack([(V * lengths.clip(0)) @ V.T, np.eye(3)]) + 1e-8 * np.eye(3)
    np.testing.assert_allclose(basis.mT @ mended @ basis, np.tile(np.eye(3), (2, 1, 1)), atol=1e-6)
