"""Changes of mechanisms by the likelihood: closed forms, all subsets, and what direction they speak for."""

from itertools import product

import numpy as np
import pytest

from dagscale.models.likelihood import changes
from dagscale.models.likelihood.changes import ChangesGain
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.spline_gain import SplineGain

SIZE = 80


def _chain(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """x -> y, linear and normal; x is set in group 1, y in group 2, and nothing is in group 3."""
    rng = np.random.default_rng(seed)
    group = np.repeat([0, 1, 2, 3], [3 * SIZE, SIZE, SIZE, SIZE])
    x = rng.normal(size=len(group))
    x[group == 1] += 2.5
    y = 0.8 * x + 0.6 * rng.normal(size=len(group))
    y[group == 2] = 3.0 + rng.normal(size=SIZE)
    return np.column_stack([x, y]), group


def _gain(X: np.ndarray, group: np.ndarray, start: np.ndarray | None = None) -> ChangesGain:
    price = np.full((group.max() + 1, X.shape[1]), 3.0)
    price[0] = np.inf
    start = np.zeros(price.shape, dtype=bool) if start is None else start
    return ChangesGain(SplineGain(scales_of(X)[0], shaped=False), group, price, start)


@pytest.mark.parametrize("seed", range(5))
def test_changes_are_found_given_the_graph(seed: int) -> None:
    gain = _gain(*_chain(seed))
    changed = gain.changes(np.array([[False, True], [False, False]]))
    assert changed.T.tolist() == [[False, True, False, False], [False, False, True, False]]


def test_the_start_does_not_matter() -> None:
    X, group = _chain()
    graph = np.array([[False, True], [False, False]])
    everything = np.ones((4, 2), dtype=bool)
    everything[0] = False
    assert np.array_equal(_gain(X, group).changes(graph), _gain(X, group, everything).changes(graph))


@pytest.mark.parametrize("item", [(0, ()), (1, (0,)), (0, (1,))])
def test_no_other_set_of_changes_is_worth_more(item: tuple[int, tuple[int, ...]]) -> None:
    X, group = _chain(1)
    gain = _gain(X, group)
    gain([item])
    values = []
    for rest in product([False, True], repeat=3):
        C = np.array([False, *rest])
        own = sum(gain._alone(item, int(g)) - 3.0 for g in np.flatnonzero(C))
        values.append(float(gain._fit([item], ~C[None])[0][0]) + own)
    assert gain.told[item].nats == pytest.approx(max(values))


def test_without_parents_a_group_of_its_own_is_a_normal_density_of_its_own() -> None:
    X, group = _chain()
    gain = _gain(X, group)
    y = gain.scale.children[:, 0]
    gain([(0, ())])
    assert gain.changed[0, ()].tolist() == [False, True, False, False]
    parts = [y[group == 1], y[group != 1]]
    expected = -0.5 * sum(len(part) * np.log(part.var()) for part in parts) - np.log(SIZE) - 3.0
    assert gain.told[0, ()].nats == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_invariance_speaks_for_the_direction(seed: int) -> None:
    """Both directions fit observations alike; only the true one needs no second change where x is set."""
    gain = _gain(*_chain(seed))
    assert gain([(1, (0,))])[0] > gain([(0, (1,))])[0] + 10.0


def test_a_mechanism_that_changes_and_keeps_its_parents() -> None:
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1], [300, 100])
    x = rng.normal(size=400)
    y = np.where(group == 1, -1.0, 1.0) * x + 0.3 * rng.normal(size=400)
    gain = _gain(np.column_stack([x, y]), group)
    gain([(1, (0,))])
    assert gain.changed[1, (0,)].tolist() == [False, True]


def test_sums_of_groups_that_are_made_when_asked_for_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, group = _chain(2)
    items = [(0, ()), (1, ()), (1, (0,)), (0, (1,))]
    kept = _gain(X, group)
    monkeypatch.setattr(changes, "BYTES", 0)
    asked = _gain(X, group)
    assert kept.sums is not None
    assert asked.sums is None
    assert asked(items) == pytest.approx(kept(items))


def test_other_changes_to_begin_with_are_a_fresh_start() -> None:
    X, group = _chain(3)
    gain, graph = _gain(X, group), np.array([[False, True], [False, False]])
    found = gain.changes(graph)
    again = gain.from_changes(found)
    assert not again.told
    assert np.array_equal(again.changes(graph), found)
