"""Hidden causes that residuals show are marked; clean tables are not."""

import numpy as np
import pytest

import dagscale
from dagscale.methods.auto.hidden_causes import hidden_causes
from dagscale.methods.auto.residual_checks import Residuals
from dagscale.models.dependence import Dependence


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
    assert "hidden cause" in str(result.why(0, 1))
    assert "1 pair shares a hidden cause" in repr(result)


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
        Dependence(size, ahead), Dependence(size, np.ones((d, d))), Dependence(size, apart), np.zeros(d), 1000
    )
    assert hidden_causes(graph, checks, np.full((d, d), 50.0)).sum() == 2 * marks
