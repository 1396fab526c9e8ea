"""Accuracies and areas worked by hand, and against the definition written out."""

import numpy as np
import pytest

from dagscale.benchmark.pairs import Decision, accuracy, decision, decision_area
from dagscale.benchmark.rows import Answer

TRUTH = np.array([[False, True], [False, False]])


def decisions(*rows):
    return [Decision(*row) for row in rows]


@pytest.mark.parametrize(
    ("adjacency", "probabilities", "expected"),
    [
        (TRUTH, None, (1.0, 1.0)),
        (TRUTH.T, None, (0.0, 1.0)),
        (TRUTH, [[0, 0.9], [0.1, 0]], (1.0, 0.9)),
        (TRUTH.T, [[0, 0.2], [0.6, 0]], (0.0, 0.75)),  # given that the two are linked
        (np.zeros((2, 2), bool), [[0, 0.2], [0.1, 0]], (0.5, 0.0)),
        (TRUTH | TRUTH.T, None, (0.5, 0.0)),
    ],
)
def test_what_is_said_of_a_pair(adjacency, probabilities, expected):
    P = None if probabilities is None else np.array(probabilities)
    found = decision(TRUTH, Answer(adjacency, None, probabilities=P), 0.5)
    assert (found.right, found.certainty) == expected
    assert found.weight == 0.5


def test_by_hand():
    told = decisions((1, 0.9, 1), (0, 0.8, 1), (1, 0.7, 2))
    assert accuracy(told) == 3 / 4
    assert decision_area(told) == pytest.approx((1 + 1 / 2 + 2 * 3 / 4) / 4)


def test_equal_certainty_gives_the_accuracy_whatever_the_order():
    told = decisions((1, 0.5, 1), (0, 0.5, 0.2), (0, 0.5, 0.1))
    assert decision_area(told) == decision_area(told[::-1]) == pytest.approx(accuracy(told))


def test_against_the_definition():
    """Without ties and weights: the mean of the accuracies among the m most certain, m = 1 ... M."""
    rng = np.random.default_rng(0)
    right, certainty = rng.integers(0, 2, 30), rng.random(30)
    told = decisions(*zip(right, certainty, np.ones(30), strict=True))
    sorted_right = right[np.argsort(-certainty)]
    expected = np.mean([sorted_right[:m].mean() for m in range(1, 31)])
    assert decision_area(told) == pytest.approx(expected)


def test_a_heavy_pair_is_one_step_of_the_curve():
    once = decisions((1, 0.9, 1), (0, 0.8, 2), (1, 0.1, 1))
    twice = decisions((1, 0.9, 1), (0, 0.8, 1), (0, 0.8, 1), (1, 0.1, 1))
    assert accuracy(once) == accuracy(twice)
    assert decision_area(once) == pytest.approx((1 + 2 / 3 + 2 / 4) / 4)
    assert decision_area(twice) == pytest.approx(
        (1 + 1 / 2 + 1 / 3 + 2 / 4) / 4
    )  # finer steps of the same curve
