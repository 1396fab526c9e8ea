import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.models.gp.optimise import Bounds, Values, minimise


class Quadratics:
    """Quadratic bowls, the second derivative misjudged by a factor, so that more than one step is needed."""

    def __init__(self, centres, misjudged):
        self.centres, self.misjudged = centres, misjudged
        self.stretch = np.array([10.0, 1.0, 30.0])

    def value(self, theta, which):
        self.distance = theta - self.centres[which]
        loss = 0.5 * (self.stretch * self.distance**2).sum(axis=1)
        return Values(loss, loss + 1)

    def derivatives(self, kept):
        curvature = np.tile(self.misjudged * np.diag(self.stretch), (len(kept), 1, 1))
        return self.stretch * self.distance[kept], curvature


def box(count, low=-5.0, high=5.0):
    return Bounds(np.full(3, low), np.full(3, high), np.ones((count, 3), dtype=bool))


@settings(deadline=None, max_examples=20, derandomize=True)
@given(st.lists(st.tuples(*[st.floats(-4, 4)] * 3), min_size=1, max_size=4), st.sampled_from([0.5, 1.0, 2.0]))
def test_finds_every_minimum_of_a_batch(centres, misjudged):
    centres = np.array(centres)
    found = minimise(Quadratics(centres, misjudged), np.zeros_like(centres), box(len(centres)), 1e-4)
    assert (found.values.loss < 1e-2).all()
    np.testing.assert_allclose(found.values.noise, found.values.loss + 1)


def test_problems_do_not_see_each_other():
    centres = np.array([[3.0, -2.0, 1.0], [0.1, 0.0, 0.2], [-4.0, 4.0, -4.0]])
    together = minimise(Quadratics(centres, 0.5), np.zeros((3, 3)), box(3), 1e-3)
    for b in range(3):
        alone = minimise(Quadratics(centres[b : b + 1], 0.5), np.zeros((1, 3)), box(1), 1e-3)
        np.testing.assert_array_equal(together.theta[b], alone.theta[0])


def test_stays_in_the_box_and_leaves_absent_parameters_alone():
    bounds = Bounds(np.full(3, -1.0), np.full(3, 1.0), np.array([[True, False, True]]))
    found = minimise(Quadratics(np.array([[3.0, 3.0, 0.5]]), 1.0), np.zeros((1, 3)), bounds, 1e-6)
    np.testing.assert_allclose(found.theta, [[1.0, 0.0, 0.5]], atol=1e-3)


class Cliff(Quadratics):
    """Breaks down beyond 1, as a matrix that is not definite."""

    def value(self, theta, which):
        values = super().value(theta, which)
        broken = (theta > 1).any(axis=1)
        return values._replace(loss=np.where(broken, np.inf, values.loss))


def test_backs_off_where_the_loss_is_infinite():
    found = minimise(Cliff(np.array([[0.9, 0.9, 0.9]]), 0.3), np.full((1, 3), -4.0), box(1), 1e-4)
    assert found.values.loss[0] == pytest.approx(0, abs=0.05)
