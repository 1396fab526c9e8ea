"""One door: a request without sense is refused in one line; any table gives a DAG or a clear error."""

import subprocess
import sys
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dagscale


@pytest.fixture(scope="module")
def table():
    return dagscale.simulate(nodes=4, samples=100, random_state=1001).table


@pytest.mark.parametrize(
    ("request_", "culprit"),
    [
        ({"method": "dsa"}, "'das'"),
        ({"method": "nothing-like-it"}, "known:"),
        ({"method": "das", "cutof": 0.1}, "'cutoff'"),
        ({"method": "das", "K": 20, "lambda_": 1}, "'lambda_'"),
        ({"method": "das", "alpha": 2}, "alpha"),
        ({"effort": "fulll"}, "'full'"),
        ({"time_budget": -1}, "time_budget"),
        ({"missing": "ignore"}, "missing"),
        ({"transform": "lgo"}, "'log'"),
        ({"columns": ["nope"]}, "nope"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_in_one_line(table, request_, culprit):
    with pytest.raises(ValueError) as error:
        dagscale.discover(table, **request_)
    assert isinstance(error.value, dagscale.DagscaleError)
    assert culprit in str(error.value)
    assert "\n" not in str(error.value)


def test_a_method_must_be_a_name(table):
    with pytest.raises(TypeError, match="name such as"):
        dagscale.discover(table, method=dagscale.DAS)


def test_progress_reports_every_stage_to_the_end(table):
    seen = {}
    dagscale.discover(
        table, method="das", progress=lambda label, done, total: seen.update({label: (done, total)})
    )
    assert seen
    assert all(done == total for done, total in seen.values())


def test_settings_are_recorded(table):
    result = dagscale.discover(table, method="das", K=3, alpha=0.01)
    assert result.settings["K"] == 3
    assert result.settings["alpha"] == 0.01
    assert result.settings["cutoff"] == 0.01


def test_import_is_fast_and_light():
    code = "import sys, dagscale; print([m for m in ('torch', 'matplotlib', 'sklearn') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


values = st.one_of(
    st.floats(-1e6, 1e6),
    st.sampled_from([0.0, 1.0, np.nan, np.inf, 1e300, -1e-300]),
    st.integers(-5, 5).map(float),
)
columns = st.one_of(
    st.lists(values, min_size=24, max_size=24),
    st.integers(0, 100).map(lambda seed: np.random.default_rng(seed).standard_normal(24).tolist()),
    st.lists(st.text(max_size=3), min_size=24, max_size=24),
    st.just(list(range(24))),
)


@settings(
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    data=st.lists(columns, min_size=0, max_size=5), method=st.sampled_from(["cam", "das", "auto", "score"])
)
def test_any_table_gives_a_dag_or_a_clear_error(data, method):
    frame = pd.DataFrame({f"v{k}": column for k, column in enumerate(data)})
    said = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dagscale.errors.DataWarning)
            assert nx.is_directed_acyclic_graph(dagscale.discover(frame, method=method).graph)
    except dagscale.DagscaleError as error:
        said = str(error)
    assert "\n" not in said


def test_what_a_method_takes_no_notice_of_is_said():
    table = dagscale.simulate(nodes=3, samples=60, random_state=1000).table
    said = " ".join(dagscale.discover(table, "cam", effort="quick", time_budget=5.0, n_jobs=1).notes)
    assert "the time budget was not used" in said
    assert "the effort was not used" in said
    usual = " ".join(dagscale.discover(table, effort="quick", time_budget=5.0, n_jobs=1).notes)
    assert "not used" not in usual


def test_rows_that_belong_together_and_count_each_for_itself_are_told_of():
    rng = np.random.default_rng(1000)
    table = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd")).assign(person=np.arange(100) // 5)
    said = "which rows belong together was not used"
    assert said not in " ".join(dagscale.discover(table, n_jobs=1, effort="quick").notes)
    das = dagscale.discover(table, method="das", n_jobs=1).notes
    assert f"{said} (only `auto` does): every row counts as an observation of its own" in das
    few = dagscale.discover(table.assign(person=np.arange(100) // 10), n_jobs=1, effort="quick").notes
    assert f"{said} (there are fewer than 12 groups of rows)" in " ".join(few)
    wide = pd.DataFrame(rng.normal(size=(100, 61))).add_prefix("c").assign(person=np.arange(100) // 5)
    assert f"{said} (the table has more than 60 columns)" in " ".join(
        dagscale.discover(wide, n_jobs=1, effort="quick").notes
    )
