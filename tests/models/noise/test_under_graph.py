"""Noise whose spread follows the level: found where it is, and only there; and what `auto` does about it."""

import numpy as np
import pytest

import dagscale
from dagscale.data.datasets.gene_expression import regulatory
from dagscale.methods.auto.settings import SETTINGS
from dagscale.models.noise.under_graph import noise_under
from dagscale.models.splines import SplineTable

pytestmark = pytest.mark.usefixtures("many_columns")

NOT_ADDITIVE, NOT_ASKED = "noise is not additive", "was not used"


def uneven_noise(table, graph):
    return noise_under(table, graph).uneven


def pair(spread, n=1000, seed=1000):
    """x and a child whose noise is `spread` of the level, or of one size if that is 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    level = np.exp(0.5 * x)
    noise = rng.normal(size=n) * (spread * level if spread else 0.5)
    return np.column_stack([x, level + noise]), np.array([[False, True], [False, False]])


def test_noise_in_proportion_to_the_level_is_uneven():
    X, graph = pair(0.5)
    assert uneven_noise(SplineTable.of(X), graph) > 0.3
    X, graph = pair(0.0)
    assert uneven_noise(SplineTable.of(X), graph) < SETTINGS.mended
    assert uneven_noise(SplineTable.of(X), np.zeros((2, 2), dtype=bool)) == 0.0


def test_units_do_not_matter_and_many_rows_and_children_are_sampled():
    X, graph = pair(0.5, n=5000)
    uneven = uneven_noise(SplineTable.of(X), graph)
    assert uneven_noise(SplineTable.of(X * [7.0, 0.01] + 3.0), graph) == pytest.approx(uneven, abs=1e-6)
    X, graph = pair(0.5, n=200)
    wide = np.hstack([X[:, :1], np.tile(X[:, 1:], 400)])
    star = np.zeros((401, 401), dtype=bool)
    star[0, 1:] = True
    assert uneven_noise(SplineTable.of(wide), star) == pytest.approx(uneven_noise(SplineTable.of(X), graph))


@pytest.mark.parametrize("mechanism", ["gp", "mlp", "polynomial", "sigmoid-additive"])
@pytest.mark.parametrize("noise", ["gaussian", "laplace", "gumbel", "uniform"])
def test_additive_noise_of_any_kind_is_even_also_where_parents_are_missed(mechanism, noise):
    made = dagscale.simulate(
        nodes=12, edges_per_node=3, samples=500, mechanism=mechanism, noise=noise,
        standardize=True, random_state=1000,
    )  # fmt: skip
    X = made.table.to_numpy()
    rng = np.random.default_rng(1000)
    for graph in (made.adjacency, made.adjacency & (rng.random(made.adjacency.shape) < 0.5)):
        assert uneven_noise(SplineTable.of(X), graph) < SETTINGS.uneven


def test_simulated_gene_expression_gets_strong_edges_only():
    errors = []
    for seed in (1000, 1001):
        made = regulatory(12, 400, "synthetic", random_state=seed)
        result = dagscale.discover(made.table)
        notes = " ".join(result.notes)
        assert NOT_ADDITIVE in notes
        assert NOT_ASKED in notes
        assert (result.edges["strength"] > 0.03).all()  # on the scale of the data; 5 % were asked by ranks
        errors.append(dagscale.metrics.shd(made.adjacency, result.adjacency) / made.adjacency.sum())
    assert np.mean(errors) < 0.8  # the empty graph has 1


def test_why_tells_that_an_edge_was_too_faint():
    made = regulatory(12, 400, "synthetic", random_state=1000)
    result = dagscale.discover(made.table)
    *_, pruned, strong = result.trail
    parents, children = np.nonzero(pruned.kept & ~strong.kept)
    answer = str(result.why(result.names[parents[0]], result.names[children[0]]))
    assert "strength" in answer
    assert "share of the variance" in answer


def test_saturated_columns_are_mended_by_ranks():
    made = dagscale.simulate(nodes=10, mechanism="mlp", samples=1000, standardize=True, random_state=1000)
    result = dagscale.discover(np.tanh(2 * made.table), effort="quick")
    notes = " ".join(result.notes)
    assert NOT_ADDITIVE in notes
    assert "normal scores of their ranks" in notes
    assert NOT_ASKED not in notes
    assert dagscale.metrics.shd(made.adjacency, result.adjacency) <= 2  # 10 on the scale of the table


@pytest.mark.parametrize("effort", ["quick", "full"])
def test_a_doubted_table_gives_the_same_graph_in_any_units_and_column_order(effort):
    made = regulatory(10, 300, "synthetic", random_state=1003)
    result = dagscale.discover(made.table, effort=effort)
    assert NOT_ADDITIVE in " ".join(result.notes)
    mixed = np.random.default_rng(0).permutation(10)
    other = made.table.iloc[:, mixed] * np.geomspace(1e-3, 1e3, 10) + 5.0
    again = dagscale.discover(other, effort=effort, n_jobs=2)
    assert np.array_equal(result.adjacency[np.ix_(mixed, mixed)], again.adjacency)


def test_knowledge_is_kept_where_noise_is_doubted():
    made = regulatory(10, 300, "synthetic", random_state=1003)
    a, b = made.table.columns[:2]
    known = dagscale.Knowledge(required=[(a, b)])
    result = dagscale.discover(made.table, knowledge=known)
    assert NOT_ASKED in " ".join(result.notes)
    assert result.adjacency[0, 1]


@pytest.mark.parametrize("noise", ["uniform", "laplace"])
def test_noise_that_is_not_normal_tells_the_direction_of_lines(noise):
    made = dagscale.simulate(
        nodes=6, mechanism="linear", noise=noise, samples=600, standardize=True, random_state=1000
    )
    result = dagscale.discover(made.table)
    assert "its shape helped" in " ".join(result.notes)
    assert dagscale.metrics.shd(made.adjacency, result.adjacency) <= 1


def test_normal_noise_has_no_shape_that_counts():
    made = dagscale.simulate(nodes=6, samples=300, standardize=True, random_state=1000)
    assert "its shape helped" not in " ".join(dagscale.discover(made.table).notes)
    assert noise_under(SplineTable.of(made.table.to_numpy()), made.adjacency).negentropy < SETTINGS.shaped
