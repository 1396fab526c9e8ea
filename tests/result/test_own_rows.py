"""Rows in which a column was set tell nothing of its mechanism: not of an edge's sign, its curve, or the checks."""

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.result.report.curves import curves


@pytest.fixture(scope="module", params=["interventions", "environment"])
def result(request: pytest.FixtureRequest) -> dagscale.Result:
    """b falls with a; in the last 200 of 500 rows b was set, high where a is high, in a slow wave."""
    rng = np.random.default_rng(0)
    a, noise = rng.standard_normal((2, 500))
    b = -a + 0.5 * noise
    b[300:] = 4.0 * a[300:] + 5.0 * np.sin(np.arange(200) / 20)
    target = np.where(np.arange(500) < 300, "obs", "b")
    method = {"interventions": "cam", "environment": "auto"}[request.param]
    return dagscale.discover(
        pd.DataFrame({"a": a, "b": b, "target": target}), method=method,
        knowledge=dagscale.Knowledge(required=[("a", "b")]), n_jobs=1, **{request.param: "target"},
    )  # fmt: skip


def test_the_sign_of_an_edge(result: dagscale.Result) -> None:
    if result.method == "auto":
        assert result.changed == {"b": ["b"]}
    assert result.edges["sign"].tolist() == [-1]
    assert result.edges["strength"][0] == pytest.approx(0.8, abs=0.06)  # 1 / (1 + 0.5²)


def test_the_curve_of_an_edge(result: dagscale.Result) -> None:
    found = curves(result, lambda *_: None)
    fit, residual = found["curve"][0, 1]["fit"], found["residual"][1]
    assert fit[0] > 1 > -1 > fit[-1]
    assert len(residual) == len(found["data"][1])
    seen = np.array([value is not None for value in residual])
    assert 0.5 < seen.mean() < 0.7
    left = np.array([value for value in residual if value is not None])
    assert left.std() == pytest.approx(0.5, abs=0.1)


def test_checks_look_at_rows_in_which_nothing_was_done(result: dagscale.Result) -> None:
    told = {check.name: check for check in result.diagnostics.overall}
    assert told["row order"].verdict == "ok"
    assert told["noise"].verdict == "ok"
    assert told["sample size"].sentence.endswith("these checks look at 300 rows in which nothing was done")
