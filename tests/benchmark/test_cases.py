from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from dagscale.benchmark.cases import RAW, STANDARDISED, Case, problem, simulated
from dagscale.benchmark.suites import find_suite

SETTINGS = {"graph": "ER", "edges_per_node": 1, "samples": 50, "noise_variance": (0.4, 0.8)}


def test_units_are_all_that_differs_between_raw_and_standardised():
    raw, scaled = (problem(case, 3) for case in simulated({"ER1": SETTINGS}, (6,), (RAW, STANDARDISED)))
    assert (raw.truth == scaled.truth).all()
    expected = (raw.table - raw.table.mean()) / raw.table.std(ddof=0)
    np.testing.assert_allclose(scaled.table, expected, atol=1e-12)
    assert raw.table.std().max() > 1.2


def test_seeds_draw_other_data():
    (case,) = simulated({"ER1": SETTINGS}, (6,), (RAW,))
    assert not np.allclose(problem(case, 0).table, problem(case, 1).table)


def test_the_paper_cases_have_the_paper_sizes():
    case = find_suite("paper-er4").cases[0]
    data = problem(case, 0)
    assert data.table.shape == (1000, 10)
    assert data.truth.sum() == 40


def test_sachs():
    raw, scaled = (problem(case, 0) for case in reversed(find_suite("paper-sachs").cases))
    assert raw.table.shape == (853, 11)
    assert raw.truth.sum() == 17
    np.testing.assert_allclose(scaled.table.std(ddof=0), 1)
    assert problem(Case("Sachs", 11, RAW, "sachs"), 5).table.equals(raw.table)


def test_seed_s_of_syntren_is_set_s_plus_one(monkeypatch):
    from dagscale import datasets

    asked = []
    monkeypatch.setattr(
        datasets, "load", lambda name, **given: asked.append((name, given)) or pytest.fail("asked")
    )
    with pytest.raises(pytest.fail.Exception, match="asked"):
        problem(Case("SynTReN", 20, RAW, "syntren"), 4)
    assert asked == [("syntren", {"index": 5})]


def test_parameters_are_plain_data():
    (case,) = simulated({"ER1": SETTINGS}, (6,), (RAW,))
    assert case.parameters()["noise_variance"] == [0.4, 0.8]
    assert "family" not in case.parameters()


def test_a_data_set_without_a_graph_comes_with_tiers_and_its_own_units():
    data = problem(Case("Galton's families", 4, RAW, "galton"), 0)
    assert data.truth is None
    assert dict(zip(data.table.columns, data.tiers, strict=True)) == {
        "father": 0, "mother": 0, "Gender": 0, "Height": 1,
    }  # fmt: skip
    assert data.table["Height"].iloc[0] == 73.2


def test_columns_of_text_are_left_out_of_tables_with_tiers(monkeypatch):
    from dagscale import Knowledge, datasets
    from dagscale.data.datasets.dataset import Dataset

    table = pd.DataFrame({"grade": [1.0, 2.0], "school": ["a", "b"], "age": [15, 16]})
    known = Knowledge(tiers=[["age", "school"], ["grade"]])
    made = Dataset(table, None, list(table.columns), "", "", known)
    monkeypatch.setattr(datasets, "load", lambda name: made)
    data = problem(Case("text", 2, RAW, "made-up"), 0)
    assert list(data.table.columns) == ["grade", "age"]
    assert data.tiers == (1, 0)


def test_filled_cells_break_every_tie_but_those_of_few_values(monkeypatch):
    from dagscale import datasets
    from dagscale.data.datasets.dataset import Dataset

    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"rounded": np.round(3 * rng.standard_normal(300)), "binary": rng.integers(0, 2, 300)}
    )
    made = Dataset(table, np.zeros((2, 2), bool), list(table.columns), "", "")
    monkeypatch.setattr(datasets, "load", lambda name: made)
    plain, filled = (Case("ties", 2, RAW, "made-up", cells_filled=f) for f in (False, True))
    assert plain.parameters() != filled.parameters()
    assert problem(plain, 0).table.equals(table)
    found = problem(filled, 0).table
    assert found["rounded"].is_unique
    assert (np.abs(found["rounded"] - table["rounded"]) <= 1).all()
    assert (found["binary"] == table["binary"]).all()


def test_seeds_are_the_tables_of_a_collection_and_the_draws_of_a_generator():
    case = Case("regulatory", 5, RAW, "regulatory", (("network", "synthetic"), ("nodes", 5)))
    assert not case.fixed
    assert not np.allclose(problem(case, 0).table, problem(case, 1).table)
    trials = find_suite("measured").trials(methods=["empty"])
    counts = Counter(trial.case.family for trial in trials)
    assert counts["Tübingen pairs, ties as they are"] == 99
    assert (counts["SynTReN"], counts["regulatory"], counts["red wine"], counts["Sachs, eaton"]) == (
        10,
        10,
        1,
        1,
    )


def test_the_suite_says_how_far_published_graphs_of_sachs_are_apart():
    from dagscale.graphs.metrics import shd

    suite = find_suite("measured")
    graphs = [problem(case, 0).truth for case in suite.cases if case.source == "sachs"]
    assert [int(graph.sum()) for graph in graphs] == [17, 18, 15, 17]
    apart = [shd(one, other) for one, other in combinations(graphs, 2)]
    assert f"by an SHD of {min(apart)} to {max(apart)}" in suite.about
    paper = find_suite("paper-sachs").cases[0]
    assert suite.cases[0].parameters() == paper.parameters()  # the same runs
