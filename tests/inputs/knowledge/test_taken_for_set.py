"""Columns that were set, from a table to the answer: claimed as causes, explained, and switched off by knowledge."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import dagscale

TEMPERATURES, DOSES = (10, 20, 30, 50), (0.1, 0.2, 0.4, 0.8, 1.6)


@pytest.fixture(scope="module")
def table():
    g = np.random.default_rng(1000)
    made = pd.DataFrame(product(TEMPERATURES, DOSES, range(6)), columns=["temperature", "dose", "row"])
    made["yield"] = np.log(made["dose"]) + 0.03 * made["temperature"] + 0.4 * g.normal(size=len(made))
    return made.drop(columns="row").sample(frac=1, random_state=0, ignore_index=True)


def found(table, **options):
    return dagscale.discover(table, effort="quick", n_jobs=1, **options)


def open_links(result):
    edges = result.edges
    return {
        (a, b) for a, b, open_ in edges[["source", "target", "either_way"]].itertuples(index=False) if open_
    }


def test_factors_are_claimed_as_causes_and_it_is_said_why(table, tmp_path):
    result = found(table)
    assert set(map(tuple, result.edges[["source", "target"]].to_numpy())) == {
        ("temperature", "yield"),
        ("dose", "yield"),
    }
    assert not result.either_way.any()
    (note,) = (note for note in result.notes if "designed experiment" in note)
    assert note.startswith("'temperature', 'dose' are crossed in every combination equally often")
    loaded = dagscale.load(result.save(tmp_path / "run"))
    for one in (result, loaded):
        assert "'dose' was taken to be set, as in a designed experiment" in one.why("yield", "dose").reason


def test_a_tier_leaves_it_to_the_data_and_so_does_a_required_cause(table):
    free = found(table, knowledge=dagscale.Knowledge(tiers=[list(table)]))
    assert not any("designed experiment" in note for note in free.notes)
    assert open_links(free) == {("temperature", "yield"), ("dose", "yield")}
    turned = found(table, knowledge=dagscale.Knowledge(required=[("yield", "dose")]))
    assert ("yield", "dose") in set(map(tuple, turned.edges[["source", "target"]].to_numpy()))
    agreed = found(table, knowledge=dagscale.Knowledge(required=[("dose", "yield")]))
    assert any("designed experiment" in note for note in agreed.notes)


def test_rows_under_conditions_and_other_methods_are_left_alone(table):
    batch = table.assign(batch=["a", "b"] * 60)
    assert not any("designed experiment" in note for note in found(batch, environment="batch").notes)
    assert not any(
        "designed experiment" in note for note in dagscale.discover(table, method="cam", n_jobs=1).notes
    )


def test_resamples_keep_what_the_table_told(table):
    drawn = dagscale.bootstrap(table, replicates=4, effort="quick", n_jobs=1)
    names = list(drawn.names)
    factors, response = [names.index("temperature"), names.index("dose")], names.index("yield")
    assert not drawn.confidence[response, factors].any()
    assert drawn.confidence[factors, response].all()
