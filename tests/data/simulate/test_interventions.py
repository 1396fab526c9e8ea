"""Interventions: their rows, their labels, and what they do to the column and its children."""

import networkx as nx
import numpy as np
import pytest

from dagscale.data.simulate import simulate
from dagscale.data.simulate.interventions import intervened_rows, labels

CHAIN = nx.DiGraph([("a", "b"), ("b", "c")])
LINEAR = {"mechanism": lambda P, rng, scale: 2 * P[:, 0], "samples": 4000}


def test_a_number_gives_every_column_its_rows():
    made = simulate(nodes=5, samples=30, interventions=7)
    assert made.table.shape == (30 + 5 * 7, 5)
    assert made.interventions.shape == made.table.shape
    assert not made.interventions[:30].any()
    assert (made.interventions.sum(axis=0) == 7).all()
    assert made.targets == [""] * 30 + [name for name in made.names for _ in range(7)]


@pytest.mark.parametrize("pair", [("c", "a"), "a,c", "c, a", frozenset("ac")])
def test_a_dict_names_columns_alone_or_together(pair):
    made = simulate(CHAIN, samples=10, interventions={"b": 3, pair: 2})
    assert made.targets == [""] * 10 + ["b"] * 3 + ["a,c"] * 2
    assert len(made.table) == 15


def test_a_name_with_a_comma_is_one_column():
    mask = intervened_rows({"a,b": 2}, ["a", "a,b", "b"], 1)
    assert (mask == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]).all()
    assert labels(np.array([[True, False, True]]), ["x", "y", "z"]) == ["x,z"]


def test_without_interventions_there_is_no_mask():
    made = simulate(nodes=3, samples=5)
    assert made.interventions is None
    assert made.targets is None


def test_a_perfect_intervention_cuts_the_parents_off_and_the_children_respond():
    made = simulate(CHAIN, interventions={"b": 4000}, **LINEAR)
    rows = made.interventions[:, made.names.index("b")]
    seen, made_so = made.table[~rows], made.table[rows]
    assert seen["a"].corr(seen["b"]) > 0.8
    assert abs(made_so["a"].corr(made_so["b"])) < 0.05
    assert made_so["b"].mean() == pytest.approx(seen["b"].mean() + 2 * seen["b"].std(), abs=0.15)
    assert made_so["b"].std() == pytest.approx(seen["b"].std(), rel=0.05)
    assert made_so["a"].mean() == pytest.approx(0, abs=0.06)
    for part in (seen, made_so):  # the child's own mechanism is the same in all rows
        assert (part["c"] - 2 * part["b"]).mean() == pytest.approx(0, abs=0.06)
        assert (part["c"] - 2 * part["b"]).var() == pytest.approx(1, abs=0.08)


def test_a_soft_intervention_keeps_the_parents_and_moves_the_column():
    made = simulate(CHAIN, interventions={"b": 4000}, intervention_kind="soft", **LINEAR)
    rows = made.interventions[:, made.names.index("b")]
    seen, soft = made.table[~rows], made.table[rows]
    assert soft["a"].corr(soft["b"]) > 0.8
    moved = (soft["b"] - 2 * soft["a"]).mean()
    assert moved == pytest.approx(2 * seen["b"].std(), abs=0.1)
    assert (soft["c"] - 2 * soft["b"]).mean() == pytest.approx(0, abs=0.06)


def test_a_soft_intervention_draws_a_new_function():
    made = simulate(
        CHAIN, samples=2000, mechanism="linear", interventions={"b": 2000}, intervention_kind="soft"
    )
    rows = made.interventions[:, made.names.index("b")]
    slopes = [np.polyfit(part["a"], part["b"], 1)[0] for part in (made.table[~rows], made.table[rows])]
    assert abs(slopes[0] - slopes[1]) > 0.15


@pytest.mark.parametrize("kind", ["perfect", "soft"])
def test_other_columns_and_rows_are_as_they_were(kind):
    options = {"samples": 50, "mechanism": "gp", "interventions": {"b": 10}, "intervention_kind": kind}
    made = simulate(CHAIN, **options)
    other = simulate(CHAIN, **(options | {"interventions": {"c": 10}}))
    assert (made.table["a"] == other.table["a"]).all()
    assert (made.table["b"][:50] == other.table["b"][:50]).all()
    assert (made.table["b"][50:] != other.table["b"][50:]).all()


@pytest.mark.parametrize("seed", range(3))
def test_names_mean_the_tables_columns_in_generated_graphs(seed):
    made = simulate(nodes=6, samples=3000, mechanism="linear", interventions={"X4": 500}, random_state=seed)
    rows = made.interventions[:, 4]
    shift = (made.table[rows].mean() - made.table[~rows].mean()) / made.table[~rows].std()
    assert shift["X4"] == pytest.approx(2, abs=0.2)
    descendants = nx.descendants(nx.DiGraph(made.adjacency), 4)
    untouched = [made.names[j] for j in range(6) if j != 4 and j not in descendants]
    assert shift[untouched].abs().max() < 0.2


def test_discrete_columns_are_set_to_their_own_levels():
    made = simulate(nodes=6, samples=500, discrete=1.0, interventions=100, random_state=3)
    for j, (name, kind) in enumerate(made.kinds.items()):
        seen, set_to = made.table[name][:500], made.table[name][made.interventions[:, j]]
        assert kind == "count" or set(set_to) <= set(seen)
        if kind != "categorical":
            assert set_to.mean() > seen.mean() + 0.1


@pytest.mark.parametrize("standardize", [True, "iscm"])
def test_everything_together_is_the_same_for_any_workers(standardize):
    options = {"nodes": 12, "edges_per_node": 1, "samples": 60, "standardize": standardize, "linear": 0.3}
    options |= {"noise": "location-scale", "post_nonlinear": "cube", "hidden": 2, "measurement_error": 0.1}
    options |= {"autoregressive": 0.4, "discrete": 0.4, "interventions": 5, "random_state": 9}
    one, two = simulate(n_jobs=1, **options), simulate(n_jobs=2, **options)
    assert one.table.equals(two.table)
    assert (one.confounded == two.confounded).all()
    assert one.kinds == two.kinds
    assert nx.is_directed_acyclic_graph(nx.DiGraph(one.adjacency))
    assert not one.table.equals(simulate(**(options | {"random_state": 10})).table)
    assert one.settings["hidden"] == 2
