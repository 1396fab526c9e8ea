"""The scikit-learn face: conformity, and the same answer as `discover`."""

import warnings
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import dagscale

QUICK_AUTO = partial(dagscale.Auto, effort="quick")  # the same face, in less time
ESTIMATORS = [dagscale.DAS, dagscale.SCORE, dagscale.CAM, dagscale.NoGAM, QUICK_AUTO]
if find_spec("torch") is not None:  # without it GraNDAG refuses in one line, which test_grandag.py checks
    ESTIMATORS.append(partial(dagscale.GraNDAG, steps=200))


@pytest.mark.filterwarnings("ignore::dagscale.errors.DataWarning")
@parametrize_with_checks([cls() for cls in ESTIMATORS])
def test_scikit_learn_conformity(estimator, check, monkeypatch):
    monkeypatch.setenv(
        "SCIPY_ARRAY_API", "1"
    )  # without it scikit-learn skips its checks of other kinds of arrays
    check(estimator)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_same_answer_as_discover(cls):
    table = dagscale.simulate(nodes=5, samples=200, random_state=1002).table
    fitted = cls().fit(table)
    of_the_run = ("knowledge", "n_jobs")
    settings = {name: value for name, value in fitted.get_params().items() if name not in of_the_run}
    result = dagscale.discover(table, method=fitted._method, **settings)
    assert np.array_equal(fitted.adjacency_, result.adjacency)
    assert fitted.order_ == result.order
    assert list(fitted.graph_.edges) == list(result.graph.edges)
    assert fitted.edges_.equals(result.edges)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_fit_changes_no_setting_and_a_second_fit_forgets_the_first(cls):
    first, second = (dagscale.simulate(nodes=d, samples=120, random_state=1003).table for d in (5, 4))
    estimator = cls()
    before = estimator.get_params()
    estimator.fit(first).fit(second)
    assert estimator.get_params() == before
    assert np.array_equal(estimator.adjacency_, clone(estimator).fit(second).adjacency_)


def test_few_rows_only_warn():
    X = np.random.default_rng(0).standard_normal((12, 3))
    with pytest.warns(dagscale.errors.DataWarning, match="12 rows"):
        dagscale.CAM().fit(X)


def test_knowledge_by_column_number():
    X = np.random.default_rng(0).standard_normal((60, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = dagscale.CAM(knowledge=dagscale.Knowledge(required=[(2, 0)])).fit(X)
    assert fitted.adjacency_[2, 0]


def test_frames_with_categories_are_read_as_discover_reads_them():
    made = dagscale.simulate(nodes=5, samples=200, discrete=0.6, random_state=1003)
    found = dagscale.CAM(n_jobs=1).fit(made.table)
    assert set(found.result_.kinds.values()) > {"categorical"}
    assert list(found.feature_names_in_) == found.result_.names
    other = dagscale.discover(made.table, method="cam", n_jobs=1)
    np.testing.assert_array_equal(found.adjacency_, other.adjacency)
    line = r"needs continuous columns, not '.*' \(.*\): use dagscale.Auto\(\), or leave out with X.drop\(columns="
    with pytest.raises(ValueError, match=line):
        dagscale.DAS().fit(made.table)
    gap = made.table.copy()
    gap.loc[3, next(name for name, kind in made.kinds.items() if kind == "categorical")] = None
    with pytest.raises(ValueError, match=r"use X.dropna\(\) to leave those rows out or sklearn.impute"):
        dagscale.CAM().fit(gap)


def test_numbers_are_continuous_unless_said():
    X = np.random.default_rng(0).normal(size=(100, 3))
    X[:, 2] = X[:, 2] > 0
    assert dagscale.CAM(n_jobs=1).fit(X).result_.kinds[2] == "continuous"
    assert dagscale.CAM(n_jobs=1, kinds={2: "binary"}).fit(X).result_.kinds[2] == "binary"


def experiments():
    made = dagscale.simulate(
        nodes=4, samples=200, linear=1.0, interventions=40, standardize=True, random_state=1000
    )
    return made, made.table.assign(done=made.targets)


@pytest.mark.parametrize("cls", [dagscale.CAM, QUICK_AUTO])
def test_fit_is_told_what_was_done_to_the_rows(cls):
    made, table = experiments()
    found = dagscale.discover(table, method=cls()._method, interventions="done", **settings_of(cls))
    for fitted in (
        cls().fit(table, interventions="done"),
        cls().fit(made.table, interventions=made.interventions),
        cls().fit(made.table.to_numpy(), interventions=made.interventions),
    ):
        assert np.array_equal(fitted.adjacency_, found.adjacency)
        assert fitted.n_features_in_ == 4
        assert fitted.result_.conditions is not None


def settings_of(cls):
    return {"effort": "quick"} if cls is QUICK_AUTO else {}


def test_fit_says_which_mechanisms_changed():
    made, table = experiments()
    table["done"] = table["done"].replace("", "obs")
    fitted = QUICK_AUTO().fit(table, environment="done")
    assert fitted.result_.changed == {name: [name] for name in made.names}


def test_fit_refuses_labels_it_cannot_use():
    made, table = experiments()
    with pytest.raises(dagscale.errors.InputError, match="give a DataFrame, or a mask"):
        dagscale.DAS().fit(made.table.to_numpy(), interventions="done")
    with pytest.raises(dagscale.errors.InputError, match="'X9', which is no column"):
        dagscale.DAS().fit(table.replace({"done": {"X3": "X9"}}), interventions="done")


def test_a_pipeline_hands_on_what_was_done_to_the_rows():
    made, _ = experiments()
    with config_context(enable_metadata_routing=True):
        steps = make_pipeline(StandardScaler(), dagscale.CAM().set_fit_request(interventions=True))
        fitted = steps.fit(made.table.to_numpy(), interventions=made.interventions)[-1]
    alone = dagscale.CAM().fit(made.table, interventions=made.interventions)
    assert np.array_equal(fitted.adjacency_, alone.adjacency_)
    assert fitted.result_.conditions is not None
