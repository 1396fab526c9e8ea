"""No column of levels or counts is claimed as an effect because of shapes alone: pairs and chains, simulated."""

import numpy as np
import pandas as pd
import pytest

import dagscale

n = 300


def _cut(z, rng):
    """A column of two to four levels of a number (n,), as text, codes, ranks or an ordered category."""
    levels = int(rng.integers(2, 5))
    codes = np.searchsorted(np.quantile(z, np.sort(rng.uniform(0.15, 0.85, levels - 1))), z)
    how = rng.integers(4)
    if how == 0:
        return np.array(list("uvwx"))[codes]
    if how == 1:
        return pd.Categorical.from_codes(codes, list("uvwx")[: codes.max() + 1], ordered=True)
    return codes if how == 2 else rng.poisson(np.exp(0.7 * z))


def _number(z, rng):
    """A number that depends on another one by some curve, its noise of some shape."""
    noise = rng.choice([rng.normal, rng.laplace, lambda size: rng.exponential(size=size) - 1.0])
    curve = rng.choice([np.sin, np.tanh, np.square, lambda x: x])
    return curve(1.5 * z) + 0.5 * noise(size=len(z))


@pytest.mark.parametrize("seed", range(1000, 1012))
def test_a_pair_is_never_claimed(seed):
    """Whichever of the two came first, and whatever the shapes are."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=n) if rng.uniform() < 0.7 else rng.exponential(size=n)
    frame = pd.DataFrame({"x": _number(first, rng) if seed % 3 else first})
    frame["y"] = _cut(first + 0.5 * rng.normal(size=n), rng)
    if seed % 2:
        steps = np.unique(frame["y"].astype(str), return_inverse=True)[1]
        frame["x"] = steps * rng.uniform(0.5, 2.0) + rng.normal(size=n)
    result = dagscale.discover(frame, effort="quick", n_jobs=1)
    assert not (result.adjacency & ~result.either_way).any()


@pytest.mark.parametrize("seed", range(1000, 1008))
def test_a_tree_from_a_column_of_levels_leaves_its_links_open(seed):
    """level -> x, level -> y, level -> z: no v-structure, so that no link of the level has a direction."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 3, n)
    effects = rng.normal(size=(3, 3)) * 2.0
    frame = pd.DataFrame({name: effects[k][level] + rng.laplace(size=n) for k, name in enumerate("xyz")})
    frame["level"] = np.array(["low", "mid", "high"])[level]
    result = dagscale.discover(frame, effort="quick", n_jobs=1)
    claimed = result.adjacency & ~result.either_way
    assert not claimed[:, 3].any()
    assert not claimed[3].any()


@pytest.mark.parametrize("seed", range(1000, 1004))
def test_two_causes_that_dependence_tells_are_claimed(seed):
    """a -> yes <- b, a and b apart: given the answer they tell of each other, which no other direction explains."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 800))
    yes = a + b + 0.3 * rng.logistic(size=800) > 0
    result = dagscale.discover(pd.DataFrame({"a": a, "b": b, "yes": yes}), effort="quick", n_jobs=1)
    assert (result.adjacency & ~result.either_way).tolist() == [[False, False, True]] * 2 + [[False] * 3]
