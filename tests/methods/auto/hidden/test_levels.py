"""Columns that measure the same hidden level with error: recognised, and clean tables left as they are."""

import time

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.hidden.levels import Levels, hidden_levels, tempered
from dagscale.methods.auto.settings import LikelihoodSettings
from dagscale.stages.answer import OpenReason

SETTINGS = LikelihoodSettings()


def measured(seed, children=6, error=0.5, n=500):
    """A level that acts on children, measured with error; and two columns that have nothing to do with it."""
    g = np.random.default_rng(seed)
    level = g.normal(size=n)
    own = [level + error * g.normal(size=n)]
    rest = g.normal(size=(n, 2))
    rest[:, 1] += rest[:, 0]
    return np.column_stack([*own, *(level + 0.4 * g.normal(size=n) for _ in range(children)), rest])


def all_links(d):
    return np.triu(np.ones((d, d), dtype=bool), 1)


def asked(X, links, until=np.inf, told=0.0, required=None):
    none = np.zeros_like(links)
    return hidden_levels(X, links, none if required is None else required, told, SETTINGS, until)


@pytest.mark.parametrize("seed", [1000, 1001, 1002])
def test_measurements_of_one_level_are_recognised(seed):
    X = measured(seed)
    levels = asked(X, all_links(9))
    assert levels is not None
    assert levels.places == ((0, 1, 2, 3, 4, 5, 6),)
    assert not levels.links[:7, :7].any()
    assert levels.links[7, 8]


@pytest.mark.parametrize("seed", [1000, 1001, 1002])
def test_a_level_measured_without_error_is_a_cause_like_others(seed):
    X = measured(seed, error=0.0)
    star = np.zeros((9, 9), dtype=bool)
    star[0, 1:7] = star[7, 8] = True
    assert asked(X, star) is None


@pytest.mark.parametrize("edges", [2, 4])
@pytest.mark.parametrize("noise", ["gaussian", "exponential"])
def test_dense_straight_lines_are_not_taken_for_levels(edges, noise):
    """Where the data are linear their own scale is used: normal scores of skewed columns would bend the lines."""
    for seed in range(1000, 1006):
        made = dagscale.simulate(
            nodes=10,
            edges_per_node=edges,
            samples=500,
            linear=1.0,
            noise=noise,
            standardize=True,
            random_state=seed,
        )
        assert asked(made.table.to_numpy(), made.adjacency) is None


def test_curves_that_straight_lines_do_not_see_are_not_taken_for_levels():
    X = measured(1000)
    links = all_links(9)
    nats = -250 * np.linalg.slogdet(np.corrcoef(X.T))[1]
    assert asked(X, links, told=nats) is not None
    assert asked(X, links, told=3 * nats) is None


def test_a_sparse_graph_of_bent_lines_is_not_taken_for_levels():
    """Straight lines with hidden levels fit it better than straight arrows, but need as many lines."""
    made = dagscale.simulate(
        "ER", 20, 1, mechanism="mlp", noise="gumbel", random_state=1002, standardize=True, samples=1000
    )
    result = dagscale.discover(made.table, effort="quick", n_jobs=1)
    assert (result.adjacency ^ made.adjacency).sum() <= 2
    assert not result.confounded.any()


def test_links_of_one_level_close_triangles_those_of_a_tree_do_not():
    level = Levels(np.ones((1, 4), dtype=bool), np.zeros((4, 4), dtype=bool))
    tree = np.zeros((4, 4), dtype=bool)
    tree[0, 1:3] = tree[2, 3] = True
    assert level.explained(tree).sum() == 3
    assert not level.shown_by(tree).any()
    tree[1, 2] = True
    assert np.argwhere(level.shown_by(tree)).tolist() == [[0, 1], [0, 2], [1, 2]]
    needed = level._replace(links=np.eye(4, k=1, dtype=bool))  # 1 -> 2 is needed: no triangle is left
    assert not needed.shown_by(tree).any()


def test_what_is_required_stays():
    required = np.zeros((9, 9), dtype=bool)
    required[0, 1] = True
    levels = asked(measured(1000), all_links(9), required=required)
    assert levels is not None
    assert levels.links[0, 1]


def test_columns_without_noise_of_their_own_do_no_harm():
    X = measured(1000)
    X = np.column_stack([X, X[:, 7] - X[:, 8], X[:, 8]])
    links = all_links(11)
    assert asked(X, links) is None or asked(X, links).columns.shape[1] == 11


def test_without_time_there_are_no_levels():
    assert asked(measured(1000), all_links(9), until=time.monotonic() - 1.0) is None


def test_probabilities_within_a_level_say_that_any_column_may_be_it():
    d = 6
    columns = np.array([[True, True, True, True, False, False], [False, True, True, True, True, False]])
    graph = np.zeros((d, d), dtype=bool)
    graph[0, 5] = True
    likely = np.where(graph, 0.9, 0.04)
    levels = Levels(columns, graph)
    found = tempered(likely, graph, levels, Constraints.none(d))
    assert found[0, 1] == found[1, 0] == 1 / 5
    assert found[0, 4] == 0.04  # not of one level
    assert found[0, 5] == found[5, 0] == (0.9 + 0.04 + 0.5) / 4
    allowed = ~np.eye(d, dtype=bool)
    allowed[1, 0] = allowed[5, 0] = False
    told = tempered(likely, graph, levels, Constraints(allowed, graph & False, graph & False))
    assert told[1, 0] == 0.0
    assert told[0, 5] == 0.9


def test_auto_takes_the_links_out_and_says_why():
    X = measured(1001, children=7)
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    result = dagscale.discover(table, effort="quick", n_jobs=1)
    pairs = np.triu(np.ones((8, 8), dtype=bool), 1)
    assert not result.adjacency[:8, :8].any()
    assert result.confounded[:8, :8][pairs].all()
    assert not result.confounded[8:].any()
    assert (result.adjacency | result.adjacency.T)[8, 9]
    assert (result.probabilities[:8, :8] < 0.5).all()
    assert any("measurements of one hidden level: 'c0', 'c1'" in note for note in result.notes)


def test_a_link_at_a_level_is_open_for_that_reason():
    g = np.random.default_rng(1003)
    X = measured(1003)
    X = np.column_stack([X[:, :6], X[:, 6] + g.exponential(size=len(X))])
    X = np.column_stack([X, X[:, 6] + 0.5 * g.exponential(size=len(X))])
    result = dagscale.discover(X, effort="quick", n_jobs=1)
    assert np.argwhere(result.adjacency | result.adjacency.T).tolist() == [[6, 7], [7, 6]]
    assert result.edges["open_because"].tolist() == [OpenReason.LEVEL.value]
    assert "measurements of a hidden level" in str(result.why(*result.edges.iloc[0][["source", "target"]]))
