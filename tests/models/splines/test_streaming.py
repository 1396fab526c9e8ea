"""Long tables: the Gram matrix summed over blocks gives what the rows give."""

import numpy as np
import pytest

import dagscale
from dagscale.models.splines import AdditiveFit, SplineTable, streaming
from dagscale.models.splines import table as table_module
from dagscale.stages.pruning.additive import prune


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 7))
    X[:, 3] = rng.integers(0, 2, 900)
    X[:, 4] = rng.integers(0, 6, 900)
    X[:, 5] = np.exp(2 * X[:, 5])
    X[:, 6] = np.where(rng.random(900) < 0.7, 0.0, X[:, 6])  # mostly zeros
    X[:, 0] = 5 + np.sin(2 * X[:, 1]) + 0.3 * X[:, 2] ** 2 + 0.2 * X[:, 4] + rng.standard_normal(900)
    return X


def long_table(X, monkeypatch, n_jobs=1):
    monkeypatch.setattr(table_module, "LONG", 10)
    found = SplineTable.of(X, n_jobs=n_jobs)
    assert found.Q is None
    return found


PARENTS = [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("rank", [10, 5, 2])
def test_with_a_knot_at_every_value_nothing_changes(X, monkeypatch, rank):
    # by REML: cross-validation has several minima here, and rounding alone chooses between them
    exact = AdditiveFit.of(SplineTable.of(X, n_jobs=1), 0, PARENTS, "reml", rank=rank)
    streamed = AdditiveFit.of(long_table(X, monkeypatch), 0, PARENTS, "reml", rank=rank)
    np.testing.assert_allclose(np.log(streamed.p_values), np.log(exact.p_values), atol=1e-3)
    np.testing.assert_allclose(streamed.effects, exact.effects, atol=1e-5)
    np.testing.assert_allclose(streamed.residuals, exact.residuals, atol=1e-5)
    for parent in PARENTS:
        np.testing.assert_allclose(
            streamed.partial(parent, 30).effect, exact.partial(parent, 30).effect, atol=1e-5
        )


def test_the_gram_matrix_is_that_of_the_splines_at_the_rows(X, monkeypatch):
    table = long_table(X, monkeypatch)
    rows = np.hstack([table.splines(i) for i in range(7)])
    np.testing.assert_allclose(table.gram, rows.T @ rows, atol=1e-8)
    np.testing.assert_allclose(table.products, rows.T @ (X - X.mean(axis=0)), atol=1e-6)
    np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-10)
    for start, end in zip(table.starts[:-1], table.starts[1:], strict=True):
        np.testing.assert_allclose(table.gram[start:end, start:end], np.eye(end - start), atol=1e-6)


def test_blocks_and_workers_do_not_matter(X, monkeypatch):
    whole = long_table(X, monkeypatch)
    monkeypatch.setattr(streaming, "PANEL", 7)
    np.testing.assert_allclose(long_table(X, monkeypatch).gram, whole.gram, atol=1e-10)
    monkeypatch.setattr(streaming, "BLOCK", 1)  # 256 rows at a time
    blocks = long_table(X, monkeypatch)
    np.testing.assert_allclose(blocks.gram, whole.gram, atol=1e-10)
    np.testing.assert_array_equal(long_table(X, monkeypatch, n_jobs=2).gram, blocks.gram)


def test_fewer_knots_than_values_decide_the_same(X, monkeypatch):
    mask = np.zeros((7, 7), dtype=bool)
    mask[PARENTS, 0] = True
    exact, p_exact = prune(X, mask)
    monkeypatch.setattr(streaming, "KNOTS", 150)
    monkeypatch.setattr(streaming, "SAMPLE", 600)
    monkeypatch.setattr(table_module, "LONG", 10)
    found, p_values = prune(X, mask)
    np.testing.assert_array_equal(found, exact)
    np.testing.assert_allclose(np.log(p_values[mask]), np.log(p_exact[mask]), rtol=0.2, atol=0.1)


def test_a_constant_column_has_no_splines(X, monkeypatch):
    X = X.copy()
    X[:, 2] = 3.0
    table = long_table(X, monkeypatch)
    assert table.widths[2] == 0
    assert AdditiveFit.of(table, 0, PARENTS).parents == (1, 3, 4, 5, 6)
    np.testing.assert_allclose(table.products[:, 2], 0)


@pytest.mark.parametrize("options", [{"method": "cam", "pns": True, "K": 4}, {"method": "score"}])
def test_the_graph_is_the_same(options, monkeypatch):
    made = dagscale.simulate(nodes=12, samples=600, mechanism="gp-additive", random_state=1000)
    short = dagscale.discover(made.table, **options)
    monkeypatch.setattr(table_module, "LONG", 100)
    long = dagscale.discover(made.table, **options)
    assert short.adjacency.any()
    np.testing.assert_array_equal(long.adjacency, short.adjacency)
    assert long.order == short.order
    np.testing.assert_allclose(long.edges["p_value"], short.edges["p_value"], rtol=1e-4)
