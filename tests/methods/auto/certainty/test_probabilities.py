"""Probabilities: closed forms of the map, what knowledge does to them, and calibration on small tables."""

from dataclasses import replace

import numpy as np
import pytest

import dagscale
from dagscale.inputs.knowledge import Constraints, Knowledge
from dagscale.methods.auto.certainty.certainty_map import Map
from dagscale.methods.auto.certainty.probabilities import (
    CLAIMED,
    SLACK,
    PairEvidence,
    compressed,
    open_links,
    probabilities,
)

PLAIN = Map(link=(0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0), direction=(1.0, 0.0, 0.0, 0.0), addition=0.1)


def evidence(direction=20.0, nats=30.0, **changes):
    """Two columns with an edge 0 -> 1, a third one alone."""
    graph = np.zeros((3, 3), dtype=bool)
    graph[0, 1] = True
    joined = np.where(graph, 0.0, -8.0)
    joined[1, 0] = -direction
    apart = np.where(graph | graph.T, -nats, 0.0)
    nothing = np.zeros((3, 3))
    seen = PairEvidence(graph, joined, apart, np.full((3, 3), np.nan), nothing, nothing, np.ones((3, 3)))
    return replace(seen, **changes)


def test_the_map_is_two_logistic_models():
    likely = probabilities(evidence(), Constraints.none(3), PLAIN)
    linked = 1.0 / (1.0 + np.exp(-np.log1p(30.0 / 2.0)))
    ahead = 1.0 / (1.0 + np.exp(-np.log1p((20.0 - SLACK) / 2.0)))
    assert likely[0, 1] == pytest.approx(linked * ahead)
    assert likely[1, 0] == pytest.approx(linked * (1.0 - ahead))
    assert likely[0, 2] == likely[2, 0] == pytest.approx(0.5 / (1.0 + np.exp(np.log1p(8.0 / 2.0))))


def test_without_nats_for_a_direction_it_is_a_half():
    for direction in (0.0, SLACK):
        likely = probabilities(evidence(direction=direction), Constraints.none(3))
        assert likely[0, 1] == pytest.approx(likely[1, 0])
        assert open_links(likely, evidence().graph)[0, 1]


def test_more_nats_never_mean_less():
    values = [
        probabilities(evidence(direction=nats, nats=nats), Constraints.none(3))[0, 1] for nats in range(60)
    ]
    assert (np.diff(values) >= -1e-12).all()


def test_what_makes_a_direction_doubtful_lowers_it():
    sure = probabilities(evidence(), Constraints.none(3))
    size = np.where(evidence().graph, 0.3, 0.0)
    for doubt in (
        evidence(forward=size),
        evidence(trust=np.where(evidence().graph, 0.0, 1.0)),
        evidence(across=np.where(evidence().graph, -5.0, np.nan)),
        evidence(serial=0.8),
    ):
        likely = probabilities(doubt, Constraints.none(3))
        assert likely[0, 1] / (likely[0, 1] + likely[1, 0]) < sure[0, 1] / (sure[0, 1] + sure[1, 0])


def test_links_that_close_triangles_are_less_sure():
    """A hidden cause of three columns joins each with each."""
    graph = np.triu(np.ones((3, 3), dtype=bool), 1)
    joined = np.where(graph, 0.0, -20.0)
    apart = np.where(graph | graph.T, -30.0, 0.0)
    nothing = np.zeros((3, 3))
    chain = graph.copy()
    chain[0, 2] = False

    def linked(own):
        seen = PairEvidence(own, joined, apart, np.full((3, 3), np.nan), nothing, nothing, np.ones((3, 3)))
        return probabilities(seen, Constraints.none(3))[[0, 1], [1, 0]].sum()

    assert linked(graph) < linked(chain)


def test_colliders_among_many_links_are_less_sure():
    """Straight lines with normal noise: only missing links tell directions, and where few are missing they mislead."""
    n, wrong, claimed = 1000, 0, 0
    for seed in range(1000, 1003):
        made = dagscale.simulate(
            nodes=10, edges_per_node=4, samples=n, standardize=True, linear=1.0, random_state=seed
        )
        result = dagscale.discover(made.table, effort="quick", n_jobs=1)
        arrows = result.adjacency & ~result.either_way
        wrong, claimed = wrong + int((arrows & made.adjacency.T).sum()), claimed + int(arrows.sum())
    assert wrong <= 5  # of 120 edges; where linked columns are not less sure, 28 of 65 claims are
    assert claimed <= 20


def triangle(unsettled=(), **changes):
    """Three columns, each linked with each; edges whose direction has no nats."""
    graph = np.triu(np.ones((3, 3), dtype=bool), 1)
    joined = np.where(graph, 0.0, -20.0)
    for i, j in unsettled:
        joined[j, i] = 0.0
    apart, nothing = np.where(graph | graph.T, -30.0, 0.0), np.zeros((3, 3))
    seen = PairEvidence(graph, joined, apart, np.full((3, 3), np.nan), nothing, nothing, np.ones((3, 3)))
    return replace(seen, **changes)


def share(seen, i, j):
    """Probability of the direction i -> j, given the link."""
    likely = probabilities(seen, Constraints.none(len(seen.graph)))
    return likely[i, j] / (likely[i, j] + likely[j, i])


def test_directions_among_linked_columns_are_less_sure_where_most_others_are_open():
    """Where shapes tell hardly any direction of a table, it is not what the model takes it for."""
    settled, doubtful = triangle(), triangle(unsettled=[(0, 2), (1, 2)])
    assert settled.unsettled == 0.0
    assert doubtful.unsettled == pytest.approx(2 / 3)
    assert share(doubtful, 0, 1) < share(settled, 0, 1)
    alone = evidence()  # nothing is linked with both
    assert share(alone, 0, 1) == pytest.approx(share(evidence(shapeless=True), 0, 1))


def test_directions_that_only_missing_links_tell_are_less_sure_among_many_links():
    assert share(triangle(shapeless=True), 0, 1) < share(triangle(), 0, 1)


def test_knowledge_makes_a_direction_certain():
    known = Knowledge(tiers=[["a"], ["b"]]).resolve(["a", "b", "c"])
    likely = probabilities(evidence(direction=0.0), known)
    assert likely[1, 0] == 0.0
    assert likely[0, 1] == pytest.approx(
        probabilities(evidence(direction=0.0), Constraints.none(3))[[0, 1], [1, 0]].sum()
    )
    assert not open_links(likely, evidence().graph).any()
    needed = probabilities(evidence(), Knowledge(required=[("c", "a")]).resolve(["a", "b", "c"]))
    assert needed[2, 0] == 1.0
    assert needed[0, 2] == 0.0


def test_compressed_nats_are_odd_and_grow():
    nats = np.linspace(-80, 80, 33)
    assert np.allclose(compressed(-nats), -compressed(nats))
    assert (np.diff(compressed(nats)) >= 0).all()


def found(seed, **options):
    made = dagscale.simulate(nodes=5, samples=400, standardize=True, random_state=seed, **options)
    return made, dagscale.discover(made.table, effort="quick", n_jobs=1)


def test_a_result_keeps_the_rules_of_its_face():
    made, result = found(1000)
    likely = result.probabilities
    total = likely + likely.T
    assert (total <= 1.0 + 1e-12).all()
    assert (total[result.adjacency] >= 0.5 - 1e-12).all()
    linked = result.adjacency | result.adjacency.T
    expected = linked & (np.maximum(likely, likely.T) < CLAIMED * total)
    assert (result.either_way == expected).all()
    edges = result.edges
    place = {name: i for i, name in enumerate(result.names)}
    for _, row in edges.iterrows():
        i, j = place[row["source"]], place[row["target"]]
        assert row["probability"] == likely[i, j]
        assert row["direction"] == pytest.approx(likely[i, j] / total[i, j])
    assert made.adjacency[likely > 0.9].all()


def test_column_order_changes_nothing():
    made, result = found(1001)
    turned = dagscale.discover(made.table[made.names[::-1]], effort="quick", n_jobs=1)
    assert np.allclose(turned.probabilities[::-1, ::-1], result.probabilities, atol=1e-3)


def test_linear_gaussian_pairs_stay_open_and_colliders_do_not():
    g = np.random.default_rng(1000)
    x, y = g.normal(size=(2, 1000))
    X = np.column_stack([x, x + g.normal(size=1000)])
    assert dagscale.discover(X, n_jobs=1).either_way[0, 1]
    result = dagscale.discover(np.column_stack([x, y, x + y + g.normal(size=1000)]), n_jobs=1)
    assert result.adjacency[:, 2].sum() == 2
    assert not result.either_way.any()


def test_a_direction_that_hangs_on_the_scale_is_not_claimed():
    """u -> v with a spread that grows with u: on normal scores of ranks the other direction looked better."""
    for seed in range(1000, 1006):
        g = np.random.default_rng(seed)
        u = g.exponential(size=400)
        result = dagscale.discover(np.column_stack([u, u + g.normal(size=400) * np.exp(u / 2)]), n_jobs=1)
        assert not result.adjacency[1, 0] or result.either_way[1, 0]
