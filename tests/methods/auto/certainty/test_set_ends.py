"""An experiment on one end of a link with levels tells its direction, whichever end it is on."""

import numpy as np
import pandas as pd
import pytest

import dagscale

n = 400
later = np.arange(n) >= n // 2


def cause_is_a_number(rng, end):
    x = rng.normal(size=n)
    x[later] += 2.5 * (end == "cause")
    yes = x + 0.5 * rng.logistic(size=n) > 0
    yes[later & (end == "effect")] = rng.random((later & (end == "effect")).sum()) < 0.5
    return x, yes


def cause_is_a_category(rng, end):
    c = rng.integers(0, 3, n)
    c[later & (end == "cause")] = 2
    x = 1.5 * c + rng.normal(size=n)
    x[later & (end == "effect")] = rng.normal(size=(later & (end == "effect")).sum())
    return np.array(["low", "mid", "top"])[c], x


@pytest.mark.parametrize("end", ["cause", "effect"])
@pytest.mark.parametrize("make", [cause_is_a_number, cause_is_a_category])
def test_a_set_end_tells_the_direction(make, end):
    rng = np.random.default_rng(1000)
    cause, effect = make(rng, end)
    frame = pd.DataFrame({"effect": effect, "cause": cause, "set": np.where(later, end, "")})
    result = dagscale.discover(frame, interventions="set", n_jobs=1)
    assert list(result.graph.edges) == [("cause", "effect")]
    assert not result.either_way.any()
    assert result.edges["direction"].iloc[0] > 0.9


def test_a_label_under_which_nothing_was_set_tells_nothing():
    rng = np.random.default_rng(1000)
    cause, effect = cause_is_a_category(rng, "neither")
    frame = pd.DataFrame({"effect": effect, "cause": cause, "set": np.where(later, "effect", "")})
    assert dagscale.discover(frame, interventions="set", n_jobs=1).either_way.any()
