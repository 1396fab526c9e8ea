"""Hidden causes that residuals show are marked; clean tables are not."""

import numpy as np
import pytest

import dagscale


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
