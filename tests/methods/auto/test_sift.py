"""Sifting against a brute force that scores whole orders."""

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.methods.auto.settings import SETTINGS
from dagscale.methods.auto.sift import order_score, sift

seeds = st.integers(0, 10_000)


def table_gain(seed):
    """Draw a gain for every (node, set) from a hash: arbitrary, so nothing but the search can be right."""

    def gain(items):
        return np.array(
            [0.0 if not S else np.random.default_rng([seed, j, *S]).uniform(0, 10 * len(S)) for j, S in items]
        )

    return gain


def every(d):
    return ~np.eye(d, dtype=bool)


@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=seeds, d=st.integers(2, 5), window=st.sampled_from([None, 1, 2]))
def test_no_single_node_has_a_better_place_in_its_window(seed, d, window):
    gain = table_gain(seed)
    rng = np.random.default_rng(seed)
    candidates = every(d) & (rng.random((d, d)) < 0.8)
    order = sift(np.arange(d), gain, candidates, rounds=50, window=window).tolist()
    best = order_score(order, gain, candidates)
    for v in order:
        rest = [u for u in order if u != v]
        here = order.index(v)
        for k in range(d) if window is None else range(max(0, here - window), min(d, here + window + 1)):
            moved = [*rest[:k], v, *rest[k:]]
            assert order_score(moved, gain, candidates) < best + SETTINGS.worth_a_move + 1e-9


@settings(deadline=None, max_examples=25, derandomize=True)
@given(seed=seeds, d=st.integers(2, 6))
def test_never_worse_than_the_start_and_obeys_before(seed, d):
    rng = np.random.default_rng(seed)
    gain = table_gain(seed)
    before = np.triu(rng.random((d, d)) < 0.3, 1)
    start = np.arange(d)
    order = sift(start, gain, every(d), before)
    place = np.argsort(order)
    assert all(place[i] < place[j] for i, j in zip(*np.nonzero(before), strict=True))
    assert order_score(order, gain, every(d)) >= order_score(start, gain, every(d)) - 1e-9


def test_finds_the_best_of_all_orders_where_one_node_is_misplaced():
    weights = np.triu(np.full((4, 4), 5.0), 1)  # i explains j, for i < j, by 5 nats

    def gain(items):
        return np.array([weights[list(S), j].sum() for j, S in items])

    best = max(permutations(range(4)), key=lambda o: order_score(o, gain, every(4)))
    for start in ([3, 0, 1, 2], [1, 2, 3, 0], [0, 2, 3, 1]):
        assert sift(np.array(start), gain, every(4)).tolist() == list(best)


def test_out_of_time_returns_the_start():
    order = np.array([2, 0, 1])
    assert sift(order, table_gain(0), every(3), out_of_time=lambda: True).tolist() == [2, 0, 1]
