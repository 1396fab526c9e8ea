"""Every argument has its rule, and every face refuses what breaks it, in one line."""

import numpy as np
import pandas as pd
import pytest

import dagscale
from dagscale.inputs.table import read_table
from dagscale.methods.registry import METHODS
from dagscale.methods.rules import RULES, check_argument
from dagscale.runtime.errors import DagscaleError, InputError
from dagscale.runtime.face import ESTIMATOR, words_of

TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
WRONG = [
    ("das", {"K": -1}),
    ("das", {"K": 0}),
    ("das", {"K": 2.5}),
    ("das", {"K": "ten"}),
    ("das", {"eta": np.nan}),
    ("das", {"eta": -1}),
    ("das", {"cutoff": 5}),
    ("das", {"cutoff": np.nan}),
    ("das", {"min_parents": -1}),
    ("das", {"criterion": "varaince"}),
    ("das", {"max_rows": 0}),
    ("das", {"alpha": 0}),
    ("das", {"alpha": "0.1"}),
    ("nogam", {"ridge": -1}),
    ("nogam", {"n_crossval": 1}),
    ("cam", {"max_parents": 0}),
    ("cam", {"pns": "no"}),
    ("cam", {"pns_method": "tree"}),
    ("das", {"n_jobs": 0}),
    ("das", {"n_jobs": "2"}),
    ("das", {"n_jobs": 1.5}),
    ("auto", {"time_budget": "3"}),
    ("auto", {"time_budget": -1}),
    ("auto", {"time_budget": np.nan}),
    ("auto", {"effort": "ful"}),
    ("das", {"device": 3}),
    ("das", {"knowledge": {}}),
    ("das", {"checkpoint": 5}),
    ("das", {"standardize": "no"}),
    ("das", {"random_state": -1}),
    ("das", {"random_state": "x"}),
    ("das", {"progress": "yes"}),
]


@pytest.mark.parametrize("method", METHODS)
def test_every_setting_has_a_rule_that_its_default_keeps(method):
    for name, value in METHODS[method].settings().items():
        check_argument(name, value)


@pytest.mark.parametrize(("method", "wrong"), WRONG, ids=lambda part: str(part))
def test_what_breaks_a_rule_is_refused_in_one_line(method, wrong):
    (name,) = wrong
    for face in (dagscale.discover, dagscale.bootstrap):
        with pytest.raises(DagscaleError) as error:
            face(TABLE, method=method, **wrong)
        assert name in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", [{"K": -1}, {"eta": np.nan}, {"n_jobs": 0}, {"standardize": "no"}])
def test_an_estimator_refuses_it_too(wrong):
    with pytest.raises(DagscaleError, match=next(iter(wrong))):
        dagscale.DAS(**wrong).fit(TABLE)


def test_right_values_of_any_kind_pass():
    for name, value in (("K", np.int64(3)), ("alpha", 1), ("standardize", np.True_), ("n_jobs", -1)):
        check_argument(name, value)
    for name in ("time_budget", "n_jobs", "standardize", "pns", "knowledge", "checkpoint"):
        check_argument(name, None)
    check_argument("time_budget", float("inf"))


def test_a_device_without_torch_is_one_line(monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "torch":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DagscaleError, match="needs torch: pip install"):
        RULES["device"]("cuda", "device")


@pytest.mark.parametrize("pair", ["K=ten", "K=2.5", "K=-1", "eta=nan", "cutoff=5", "criterion=none"])
def test_the_command_line_refuses_it_before_it_reads_the_table(pair, tmp_path, refused):
    line = refused("discover", str(tmp_path / "no.csv"), "--method", "das", "--set", pair)
    assert pair.split("=")[0] in line


@pytest.mark.parametrize("spoil", [lambda x: x * 0, lambda x: x * 1e200])
def test_an_estimator_checks_its_table(spoil):
    spoiled = TABLE.assign(b=spoil(TABLE["b"]))
    with pytest.raises(InputError) as refusal, words_of(ESTIMATOR):
        read_table(spoiled)
    with pytest.raises(InputError) as error:
        dagscale.DAS().fit(spoiled)
    assert str(error.value) == str(refusal.value)
