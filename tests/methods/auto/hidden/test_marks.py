"""Hidden causes that residuals show are marked; clean tables are not."""

import numpy as np
import pytest

import dagscale
from dagscale.methods.auto.certainty.residual_checks import Residuals, residual_checks
from dagscale.methods.auto.hidden.marks import hidden_causes
from dagscale.models.dependence import Dependence
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.rows_gain import spline_gain


@pytest.mark.parametrize("seed", [1000, 1001])
def test_a_curved_hidden_cause_is_marked(seed):
    g = np.random.default_rng(seed)
    h, a, *e = g.normal(size=(5, 1000))
    table = {
        "x": np.sin(2 * h) * 1.5 + a + 0.4 * e[0],
        "y": h**2 + 0.4 * e[1],
        "z": np.tanh(2 * a) + 0.3 * e[2],
    }
    result = dagscale.discover(np.column_stack([*table.values(), a]), effort="quick", n_jobs=1)
    assert np.argwhere(np.triu(result.confounded)).tolist() == [[0, 1]]
    assert "hidden cause: no edge joins them" in str(result.why(0, 1))
    assert "1 pair seems to share a hidden cause" in repr(result)


def test_clean_tables_have_no_marks():
    for seed in range(1000, 1005):
        made = dagscale.simulate(nodes=6, samples=400, standardize=True, random_state=seed)
        assert not dagscale.discover(made.table, effort="quick", n_jobs=1).confounded.any()


@pytest.mark.parametrize(("failing", "marks"), [(0, 1), (3, 0)])
def test_no_pair_is_marked_where_the_model_does_not_hold(failing, marks):
    """Multiplicative noise made unlinked columns look dependent: a failing model says nothing of hidden causes."""
    d = 8
    graph = np.zeros((d, d), dtype=bool)
    graph[np.arange(5), np.arange(1, 6)] = True
    ahead, apart = np.ones((d, d)), np.ones((d, d))
    ahead[np.arange(failing), np.arange(1, failing + 1)] = 1e-9
    apart[6, 7] = apart[7, 6] = 1e-9
    size = np.zeros((d, d))
    checks = Residuals(
        Dependence(size, ahead), Dependence(size, np.ones((d, d))), Dependence(size, apart), size > 0,
        np.zeros(d), 1000,
    )  # fmt: skip
    assert hidden_causes(graph, checks, np.full((d, d), 50.0)).sum() == 2 * marks


@pytest.mark.parametrize("refitted", [True, False])
def test_a_link_is_marked_only_if_no_other_model_explains_its_noise(refitted):
    graph = np.zeros((4, 4), dtype=bool)
    graph[0, 1] = True
    size, low = np.zeros((4, 4)), np.where(graph, 1e-9, 1.0)
    found = Residuals(
        Dependence(size, low), Dependence(size, low), Dependence(size, np.ones((4, 4))), graph & refitted,
        np.zeros(4), 1000,
    )  # fmt: skip
    assert hidden_causes(graph, found, np.zeros((4, 4)))[0, 1] == refitted


def test_a_spread_that_another_model_has_is_no_hidden_cause():
    g = np.random.default_rng(0)
    x = g.normal(size=1000)
    X = np.column_stack([x, np.sin(x) + np.exp(0.8 * x) * g.normal(size=1000)])
    graph = np.array([[False, True], [False, False]])
    scales = scales_of(X, ())
    even, uneven = (spline_gain(scales[0], own) for own in (False, True))
    alone = residual_checks(X, graph, even)
    assert alone.forward.p_values[0, 1] < 1e-6
    assert alone.refitted[0, 1]
    assert not residual_checks(X, graph, even, others=[uneven]).refitted[0, 1]


def test_families_and_sorted_rows_are_not_taken_for_dependence():
    """Brothers show the heights of one father and one mother again: that makes no pair of parents dependent."""
    g = np.random.default_rng(1)
    family = np.repeat(np.arange(150), 6)
    father, mother = (np.round(g.normal(68, 3, 150), 1)[family] for _ in range(2))
    child = 0.5 * father + 0.5 * mother + g.normal(0, 2, 900)
    X = np.column_stack([father, mother, child])
    result = dagscale.discover(X, effort="quick", n_jobs=1)
    assert any("counts as one observation" in note for note in result.notes)
    assert not result.confounded.any()
    x = np.sort(g.normal(size=500))
    y = np.sin(2 * x) + 0.3 * g.normal(size=500)
    ordered = dagscale.discover(np.column_stack([x, y]), effort="quick", n_jobs=1)
    assert not any(note.startswith("rows are not independent") for note in ordered.notes)


def test_rows_that_depend_on_those_before_are_told_of():
    made = dagscale.simulate(nodes=4, samples=400, autoregressive=0.9, standardize=True, random_state=1000)
    result = dagscale.discover(made.table, effort="quick", n_jobs=1)
    assert any(note.startswith("rows are not independent") for note in result.notes)
    assert "rows are not independent" in repr(result)
