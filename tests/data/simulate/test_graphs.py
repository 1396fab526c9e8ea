"""Random graphs: acyclic, with the promised number, direction and shape of edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.data.simulate.graphs import FAMILIES, randomly_oriented

quick = settings(deadline=None, max_examples=40, derandomize=True)
sizes = st.integers(1, 30)
densities = st.sampled_from([0.0, 0.5, 1, 2.5, 4, 50])
seeds = st.integers(0, 2**32)


def draw(family, d, k, seed, count="exact"):
    return FAMILIES[family](d, k, count, np.random.default_rng(seed))


@quick
@given(st.sampled_from(sorted(FAMILIES)), sizes, densities, seeds, st.sampled_from(["exact", "binomial"]))
def test_every_family_is_numbered_along_a_causal_order(family, d, k, seed, count):
    adjacency = draw(family, d, k, seed, count)
    assert adjacency.shape == (d, d)
    assert adjacency.dtype == bool
    assert not np.tril(adjacency).any()


@quick
@given(sizes, densities, seeds)
def test_er_has_exactly_k_edges_a_node_or_all_of_them(d, k, seed):
    assert draw("ER", d, k, seed).sum() == min(round(k * d), d * (d - 1) // 2)


def test_er4_of_ten_nodes_has_forty_edges_as_published():
    assert draw("ER", 10, 4, 0).sum() == 40


def test_er_binomial_has_the_asked_edges_on_average():
    counts = [draw("ER", 30, 2, seed, "binomial").sum() for seed in range(200)]
    assert np.std(counts) > 3
    assert np.mean(counts) == pytest.approx(60, abs=4 * np.std(counts) / np.sqrt(200))


def test_er_chooses_every_pair_equally_often():
    frequency = np.mean([draw("ER", 8, 1, seed) for seed in range(2000)], axis=0)
    pairs = frequency[np.triu_indices(8, 1)]
    assert np.abs(pairs - 8 / 28).max() < 4 * np.sqrt(8 / 28 * 20 / 28 / 2000)


@quick
@given(st.integers(1, 40), st.integers(0, 5), seeds)
def test_scale_free_grows_by_k_parents_a_node(d, k, seed):
    for family in ("SF", "hubs"):
        in_degree = draw(family, d, k, seed).sum(axis=0)
        assert (in_degree == np.minimum(np.arange(d), k)).all()


def test_a_fractional_k_is_right_on_average():
    edges = [draw("SF", 50, 1.5, seed).sum() for seed in range(100)]
    # node 1 has one possible parent; each of the other 48 has 1.5 on average
    assert np.mean(edges) == pytest.approx(1 + 48 * 1.5, abs=1.5)


def test_scale_free_prefers_nodes_of_high_degree_and_hubs_more_so():
    def largest(family):
        return np.mean([draw(family, 200, 1, seed).sum(axis=1).max() for seed in range(10)])

    assert largest("ER") * 2 < largest("SF") < 60
    graphs = [draw("hubs", 200, 2, seed) for seed in range(10)]
    by_hubs = [adjacency[:10].sum() / adjacency.sum() for adjacency in graphs]
    assert 0.5 < np.mean(by_hubs) < 0.85


@quick
@given(st.integers(2, 30), densities, seeds)
def test_bipartite_edges_run_from_one_half_to_the_other(d, k, seed):
    adjacency = draw("bipartite", d, k, seed)
    assert adjacency.sum() == min(round(k * d), (d // 2) * (d - d // 2))
    assert not adjacency[d // 2 :].any()
    assert not adjacency[:, : d // 2].any()


def test_chain():
    assert [tuple(edge) for edge in np.argwhere(draw("chain", 4, 9, 0))] == [(0, 1), (1, 2), (2, 3)]


@quick
@given(st.integers(1, 30), st.integers(0, 4), seeds)
def test_random_orientation_keeps_the_skeleton_up_to_names(d, k, seed):
    old = draw("SF", d, k, seed)
    new = randomly_oriented(old, np.random.default_rng(seed))
    assert not np.tril(new).any()
    degrees = [sorted((A | A.T).sum(axis=0)) for A in (old, new)]
    assert degrees[0] == degrees[1]


def test_random_orientation_points_hubs_both_ways():
    star = np.zeros((101, 101), dtype=bool)
    star[0, 1:] = True
    turned = [randomly_oriented(star, np.random.default_rng(seed)).sum(axis=0).max() for seed in range(50)]
    # the centre's place in the order, so the number of nodes before it, is uniform on 0..100
    assert np.mean(turned) == pytest.approx(50, abs=4 * 29 / np.sqrt(50))
