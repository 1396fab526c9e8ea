"""The method `auto` as a whole: what it finds, what it leaves alone, and what it says."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

import dagscale
from dagscale.graphs.dag import topological_order
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto import method as auto
from dagscale.methods.context import Context


def independent(kind, n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if kind == "heavy":
        return rng.standard_t(3, size=(n, d))
    if kind == "skewed":
        return np.exp(0.7 * X)
    return np.round(X) if kind == "discrete" else X


@pytest.mark.parametrize("kind", ["normal", "heavy", "skewed", "discrete"])
@pytest.mark.parametrize(("effort", "d", "most"), [("quick", 60, 1), ("full", 8, 1)])
def test_independent_columns_get_next_to_no_edges(kind, effort, d, most):
    seeds, n = (range(1000, 1002), 200) if effort == "full" else ([1000], 300)
    d = min(d, 25) if kind == "discrete" else d  # levels take longer than numbers
    tables = [independent(kind, n, d, seed) for seed in seeds]
    assert sum(dagscale.discover(table, effort=effort).adjacency.sum() for table in tables) <= most


def test_a_time_budget_returns_the_best_graph_so_far():
    simulated = dagscale.simulate(nodes=15, edges_per_node=2, samples=400, random_state=1000)
    began = time.monotonic()
    result = dagscale.discover(simulated.table, time_budget=1.0)
    assert time.monotonic() - began < 15  # the additive start always runs, and a batch of fits ends
    assert any("time budget" in note for note in result.notes)
    assert dagscale.metrics.shd(simulated.adjacency, result.adjacency) < simulated.adjacency.sum()


@pytest.mark.parametrize(("left", "go_on"), [(9.0, False), (11.0, True)])
def test_processes_begin_only_where_as_much_time_is_left_as_the_search_took(monkeypatch, left, go_on):
    made = dagscale.simulate(nodes=5, edges_per_node=2, samples=200, random_state=1000, standardize=True)
    deadline, asked = time.monotonic() + 1000.0, []
    read = iter(
        [deadline - left - 10.0, deadline - left]
    )  # before the search, which takes ten seconds, and after
    monkeypatch.setattr(auto, "time", SimpleNamespace(monotonic=lambda: next(read)))
    monkeypatch.setattr(auto, "_refined", lambda found, _: (found, asked.append(found)))
    context = Context(Constraints.none(5), n_jobs=1, deadline=deadline)
    found, _ = auto.settled(np.asarray(made.table, dtype=float), context)
    assert bool(asked) is go_on
    assert found.late is not go_on  # and the note on the time budget says so


def test_linear_normal_data_are_said_to_tell_no_direction():
    simulated = dagscale.simulate(nodes=6, mechanism="linear", samples=300, random_state=1000)
    notes = dagscale.discover(simulated.table).notes
    assert any("have an open direction" in note for note in notes)


def test_curved_effects_do_tell_it():
    rng = np.random.default_rng(1000)
    a = rng.normal(size=300)
    b = np.sin(2 * a) + 0.3 * rng.normal(size=300)
    result = dagscale.discover(np.column_stack([a, b]))
    assert result.adjacency.tolist() == [[False, True], [False, False]]
    assert not any("have an open direction" in note for note in result.notes)


def test_small_dense_graphs_are_recovered_where_additive_methods_stop():
    error = dict.fromkeys(("auto", "cam"), 0)
    for seed in (1000, 1001, 1002):  # the last is the hardest of four looked at
        made = dagscale.simulate(nodes=7, edges_per_node=3, samples=300, random_state=seed, standardize=True)
        for method in error:
            found = dagscale.discover(made.table, method, n_jobs=1)
            error[method] += dagscale.metrics.shd(made.adjacency, found.adjacency)
    assert error["auto"] <= error["cam"] / 4


def test_columns_on_an_exponential_scale_give_the_same_graph_as_their_logarithms():
    simulated = dagscale.simulate(nodes=30, samples=500, random_state=1000, standardize=True)
    plain = dagscale.discover(simulated.table, effort="quick")
    scaled = dagscale.discover(np.exp(1.2 * simulated.table), effort="quick")
    assert dagscale.metrics.shd(plain.adjacency, scaled.adjacency) <= 4
    assert any("logarithms" in note for note in scaled.notes)


def test_every_edge_has_its_evidence_and_its_shares_of_the_variance():
    rng = np.random.default_rng(1000)
    a, b = rng.normal(size=(2, 800))
    product = a * b + 0.5 * rng.normal(size=800)  # neither parent alone explains anything
    result = dagscale.discover(np.column_stack([a, b, product]))
    edges = result.edges.set_index(["source", "target"])
    assert {(0, 2), (1, 2)} <= set(edges.index)
    parents = edges.loc[[(0, 2), (1, 2)]]
    assert (parents["share"] > 0.6).all()
    assert (parents["share_alone"] < 0.1).all()
    assert (parents["evidence"] > 100).all()
    assert (parents["direction_nats"] > 10).all()


@pytest.fixture(scope="module")
def dense_of_many_columns():
    return dagscale.simulate(
        "ER",
        nodes=22,
        edges_per_node=2.5,
        samples=250,
        noise_variance=0.1,
        standardize=True,
        random_state=1000,
    )


def test_a_dense_graph_of_many_columns_learns_its_usual_scales(dense_of_many_columns):
    found = dagscale.discover(dense_of_many_columns.table, n_jobs=2)
    assert "equally smooth" in " ".join(found.notes)
    assert dagscale.metrics.evaluate(dense_of_many_columns.adjacency, found.adjacency)["f1"] > 0.8


def test_a_spent_budget_ends_the_search_of_a_dense_graph(dense_of_many_columns):
    found = dagscale.discover(dense_of_many_columns.table, n_jobs=2, time_budget=0.5)
    assert "best graph so far" in " ".join(found.notes)
    topological_order(found.adjacency)
