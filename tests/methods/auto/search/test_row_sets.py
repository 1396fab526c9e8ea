"""Sets of rows that columns of wide tables share; and wide tables with conditions, on narrower ones."""

from dataclasses import replace

import numpy as np
import pytest

import dagscale
from dagscale.methods.auto.conditions import changes
from dagscale.methods.auto.search import candidates, likelihood_search, row_sets
from dagscale.methods.auto.search.row_sets import shared_sets
from dagscale.methods.auto.settings import SETTINGS


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables of more than five columns be wide ones, and three sets be the most."""
    small = replace(SETTINGS, narrow_table=5)
    for module in (candidates, changes, likelihood_search, row_sets):
        monkeypatch.setattr(module, "SETTINGS", small)
    monkeypatch.setattr(row_sets, "MOST", 3)


@pytest.fixture(scope="module")
def drawn() -> dagscale.Simulation:
    sets = {f"X{k}": 60 for k in range(6)}
    return dagscale.simulate(
        nodes=8, edges_per_node=1, samples=300, linear=1.0, interventions=sets, standardize=True, random_state=1002
    )  # fmt: skip


def experiments(d: int, rows: int = 10) -> np.ndarray:
    """Every column set in ten rows of its own, after ten in which nothing was."""
    return np.concatenate([np.zeros((rows, d), dtype=bool), np.repeat(np.eye(d, dtype=bool), rows, axis=0)])


@pytest.mark.usefixtures("wide")
def test_sets_are_few_and_leave_out_all_that_must_be() -> None:
    left_out = experiments(9)
    near = np.zeros((9, 9), dtype=bool)
    near[:3, :3] = near[3:6, 3:6] = near[6:, 6:] = True
    found = shared_sets(left_out, near)
    assert (found >= left_out).all()
    assert len(np.unique(found.T, axis=0)) == 3
    assert (found.sum(axis=0) == 30).all()  # each does without the rows of two others ...
    for j in range(9):
        partners = np.flatnonzero(near[j] & (np.arange(9) != j))
        assert not found[
            left_out[:, partners].any(axis=1), j
        ].any()  # ... but not of those likely to be joined


@pytest.mark.usefixtures("wide")
def test_column_order_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    left_out, near = experiments(8), np.triu(rng.random((8, 8)) < 0.3, 1)
    order = rng.permutation(8)
    there = shared_sets(left_out[:, order], near[np.ix_(order, order)])
    assert np.array_equal(there, shared_sets(left_out, near)[:, order])


def test_narrow_tables_keep_their_own_rows() -> None:
    left_out = experiments(20)
    assert shared_sets(left_out, np.zeros((20, 20), dtype=bool)) is left_out


@pytest.mark.usefixtures("wide")
def test_labels_settle_directions(drawn: dagscale.Simulation) -> None:
    result = dagscale.discover(drawn.table, interventions=drawn.interventions, effort="quick", n_jobs=1)
    assert np.array_equal(result.adjacency, drawn.adjacency)
    assert not any("labelled" in note for note in result.notes)


@pytest.mark.usefixtures("wide")
def test_wrong_labels_are_named(drawn: dagscale.Simulation) -> None:
    wrong = {"X0": "X3", "X3": "X0"}
    table = drawn.table.assign(done=[wrong.get(label, label) for label in drawn.targets])
    result = dagscale.discover(table, interventions="done", effort="quick", n_jobs=1)
    assert np.array_equal(result.adjacency, drawn.adjacency)
    assert len([note for note in result.notes if "labelled wrongly" in note]) == 2


@pytest.mark.usefixtures("wide")
def test_unknown_targets_are_found(drawn: dagscale.Simulation) -> None:
    table = drawn.table.assign(where=[label or "obs" for label in drawn.targets])
    result = dagscale.discover(table, environment="where", effort="quick", n_jobs=1)
    assert result.changed == {f"X{k}": [f"X{k}"] for k in range(6)}
