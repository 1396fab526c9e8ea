"""Interventions and environments through `discover`: directions, changes, labels that are wrong."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.inputs.conditions import Conditions
from dagscale.methods.auto.conditions.changes import Experiments
from dagscale.methods.auto.conditions.groups import Groups
from dagscale.methods.auto.settings import SETTINGS

SETS = {"a": 60, "b": 60, "c": 60, "d": 60}
GRAPH = np.array([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)


@pytest.fixture(scope="module")
def drawn() -> dagscale.Simulation:
    graph = pd.DataFrame(GRAPH.astype(int), index=list("abcd"), columns=list("abcd"))
    return dagscale.simulate(
        graph, samples=300, linear=1.0, interventions=SETS, standardize=True, random_state=1000
    )


def test_linear_gaussian_directions_are_settled(drawn: dagscale.Simulation) -> None:
    table = drawn.table.assign(set=drawn.targets)
    result = dagscale.discover(table, interventions="set", effort="quick", n_jobs=1)
    assert np.array_equal(result.adjacency, drawn.adjacency)
    assert not result.either_way.any()
    assert result.changed == {}
    source, target = (drawn.names[int(k)] for k in np.argwhere(drawn.adjacency)[0])
    assert f"where {source!r} was set" in str(result.why(source, target))


def test_column_order_does_not_matter(drawn: dagscale.Simulation) -> None:
    table = drawn.table.assign(set=drawn.targets)
    result = dagscale.discover(
        table[["set", *drawn.names[::-1]]], interventions="set", effort="quick", n_jobs=1
    )
    place = [result.names.index(name) for name in drawn.names]
    assert np.array_equal(result.adjacency[np.ix_(place, place)], drawn.adjacency)


def test_unknown_targets_are_found(drawn: dagscale.Simulation) -> None:
    table = drawn.table.assign(where=[label or "obs" for label in drawn.targets])
    result = dagscale.discover(table, environment="where", effort="quick", n_jobs=1)
    assert result.changed == {name: [name] for name in sorted(SETS)}
    assert np.array_equal(result.adjacency, drawn.adjacency)
    said = "mechanisms that changed: 'a' under 'a'; 'b' under 'b'; 'c' under 'c'; 'd' under 'd'"
    assert said in result.notes
    source, target = (drawn.names[int(k)] for k in np.argwhere(drawn.adjacency)[0])
    assert f"where the mechanism of {source!r} changed, under {source!r}" in str(result.why(source, target))


def test_wrong_labels_are_named(drawn: dagscale.Simulation) -> None:
    wrong = {"a": "d", "d": "a"}
    table = drawn.table.assign(set=[wrong.get(label, label) for label in drawn.targets])
    result = dagscale.discover(table, interventions="set", effort="quick", n_jobs=1)
    assert np.array_equal(result.adjacency, drawn.adjacency)
    said = [note for note in result.notes if "labelled wrongly" in note]
    assert len(said) == 2
    assert any("labelled 'd'" in note and "'a' did not" in note for note in said)


def test_a_target_that_did_not_move_is_reported(drawn: dagscale.Simulation) -> None:
    targets = np.array(drawn.targets, dtype=object)
    targets[:60] = "c"  # rows in which nothing was done
    targets[targets == "c"] = np.where(np.arange((targets == "c").sum()) < 60, "c", "")
    keep = np.ones(len(targets), dtype=bool)
    keep[np.flatnonzero(np.array(drawn.targets) == "c")] = False
    table = drawn.table[keep].assign(set=targets[keep])
    result = dagscale.discover(table, interventions="set", effort="quick", n_jobs=1)
    assert any("labelled 'c' (60 rows) did not change 'c'" in note for note in result.notes)


def test_saved_and_loaded(drawn: dagscale.Simulation, tmp_path) -> None:  # type: ignore[no-untyped-def]
    table = drawn.table.assign(where=[label or "obs" for label in drawn.targets])
    result = dagscale.discover(table, environment="where", effort="quick", n_jobs=1)
    result.save(tmp_path / "saved")
    assert dagscale.Result.load(tmp_path / "saved").changed == result.changed


def test_groups_and_their_prices() -> None:
    targets = np.zeros((100, 2), dtype=bool)
    targets[60:80, 1] = True
    environment = np.repeat([0, 1], [80, 20])
    groups = Groups.of(Conditions(targets, environment, ("obs", "x")))
    assert groups.size.tolist() == [60, 20, 20]
    assert groups.reference.tolist() == [True, False, False]
    price = groups.prices(SETTINGS.likelihood)
    assert np.isinf(price[0]).all()
    assert price[1, 1] == 0.0
    assert price[1, 0] > 0
    assert np.array_equal(groups.cells(groups.targets), targets)


def test_groups_count_the_rows_that_show_a_draw_for_the_first_time() -> None:
    environment, again = np.repeat([0, 1], [80, 40]), np.zeros((120, 2), dtype=bool)
    again[:, 1] = np.arange(120) % 2 > 0
    every = Groups.of(Conditions(np.zeros((120, 2), dtype=bool), environment, ("obs", "x")))
    once = replace(every, again=again)
    price, usual = once.prices(SETTINGS.likelihood), every.prices(SETTINGS.likelihood)
    assert price[1, 0] == usual[1, 0]
    assert usual[1, 1] - price[1, 1] == pytest.approx(20 * SETTINGS.likelihood.slight)
    assert np.array_equal(once.cells(np.zeros((2, 2), dtype=bool)), again)
    X = np.random.default_rng(1000).normal(size=(120, 2))
    X[environment > 0] *= 4.0
    X[again[:, 1] & (environment > 0), 1] = 0.0  # what does not count is not looked at
    assert once.moves(X, usual)[1].all()
    again[:, 1] = np.arange(120) % 4 > 0  # ten draws tell nothing
    assert np.isinf(replace(every, again=again).prices(SETTINGS.likelihood)[1]).tolist() == [False, True]


def people(seed: int) -> dict[str, np.ndarray]:
    """Fifteen persons in twenty rows each: x, y and z are drawn once a person, w and v in every row."""
    g = np.random.default_rng(seed)
    person, row = np.repeat(np.arange(15), 20), g.permutation(300)
    x, y, z = g.normal(size=(3, 15))[:, person]
    w, v = g.normal(size=(2, 300))
    table = {"person": person, "x": x, "y": y, "z": z, "w": w, "v": v}
    table["set"] = np.where(g.random(300) < 0.2, "v", "obs")
    table["v"] = np.where(table["set"] == "v", 3.0 * v, v + w)
    table["visit"] = np.where(g.random(300) < 0.4, "second", "first")
    table["clinic"] = np.where(person < 8, "north", "south")
    return {name: column[row] for name, column in table.items()}


@pytest.mark.parametrize(
    "told", [{"interventions": "set"}, {"environment": "visit"}, {"environment": "clinic"}]
)
def test_what_is_drawn_once_a_person_counts_once_under_conditions(told: dict[str, str]) -> None:
    """Fifteen draws are no evidence of links, and none that persons of one clinic are drawn otherwise."""
    (used,) = told.values()
    links = changed = 0
    for seed in range(1000, 1004):
        drop = [name for name in ("set", "visit", "clinic") if name != used]
        result = dagscale.discover(people(seed), drop=drop, effort="quick", n_jobs=1, **told)
        assert sum("counts as one observation" in note for note in result.notes) == 1
        links += int(result.adjacency[:3, :3].sum())
        changed += sum(name in "xyz" for names in result.changed.values() for name in names)
    assert links <= 1
    assert not changed


def test_experiments_settle_no_arrow_that_they_contradict() -> None:
    groups = Groups(np.zeros(4, dtype=np.intp), np.zeros((1, 3), dtype=bool), np.zeros(1, dtype=np.intp))
    order = np.array(
        [[0, 1, 1], [1, 0, 0], [0, 1, 0]], dtype=bool
    )  # 0 and 1 move each other; 2 comes before 1
    none = np.zeros((1, 3), dtype=bool)
    told = Experiments(groups, none, order, none, np.zeros((4, 3)))
    graph = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    assert np.argwhere(told.settled(graph)).tolist() == [[0, 2]]


def test_conditions_that_shift_every_column_do_not_make_edges() -> None:
    rng = np.random.default_rng(1000)
    label = np.repeat(["obs", "a", "b", "c", "d"], [400, 100, 100, 100, 100])
    X = rng.normal(size=(800, 6))
    X[:, 1] += 0.9 * X[:, 0]
    for one in "abcd":
        X[label == one] = X[label == one] * np.exp(0.3 * rng.normal(size=6)) + 2.0 * rng.normal(size=6)
    table = pd.DataFrame(X, columns=list("uvwxyz")).assign(where=label)
    result = dagscale.discover(table, environment="where", effort="quick", n_jobs=1)
    links = {frozenset((edge.source, edge.target)) for edge in result.edges.itertuples()}
    assert links == {frozenset("uv")}
    assert any("shift the whole table" in note for note in result.notes)
    assert all(len(own) >= 4 for own in result.changed.values())
    assert result.either_way[0, 1]  # such shifts tell no direction of a linear Gaussian link


def test_surgical_experiments_are_not_taken_for_shifts(drawn: dagscale.Simulation) -> None:
    table = drawn.table.assign(set=drawn.targets)
    result = dagscale.discover(table, interventions="set", effort="quick", n_jobs=1)
    assert not any("shift the whole table" in note for note in result.notes)
