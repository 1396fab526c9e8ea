import numpy as np
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
