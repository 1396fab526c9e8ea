"""The shape of what a process leaves: a direction where a line has noise that is not normal."""

import numpy as np
import pytest

from dagscale.models.gp import Evidence
from dagscale.models.likelihood.density import shape_evidence


def straight(n=600, noise="uniform", seed=1000):
    """A line with noise that is not normal: only the shape knows the direction."""
    draw = getattr(np.random.default_rng(seed), noise)
    x = draw(-1, 1, size=n) if noise == "uniform" else draw(size=n)
    e = draw(-1, 1, size=n) if noise == "uniform" else draw(size=n)
    return np.column_stack([x, x + e])


@pytest.mark.parametrize("noise", ["uniform", "laplace", "gumbel"])
def test_the_shape_tells_the_direction_of_a_line(noise):
    X = straight(noise=noise)
    plain, shaped = Evidence(X), Evidence(X, shaped=True)
    assert abs(plain.value(1, [0]) - plain.value(0, [1])) < 5
    assert shaped.value(1, [0]) - shaped.value(0, [1]) > 10


def test_it_is_what_residuals_have_beyond_the_node():
    X = straight()
    plain, shaped = Evidence(X, clip=np.inf), Evidence(X, clip=np.inf, shaped=True)
    x, y = X.T
    residuals = y - np.polyval(np.polyfit(x, y, 1), x)
    told = np.subtract(*shape_evidence(np.stack([residuals, y])))
    assert shaped.value(1, [0]) - plain.value(1, [0]) == pytest.approx(told, abs=3.0)
    assert shaped.value(1, []) == 0.0


def test_workers_and_the_items_beside_change_nothing():
    X = np.hstack([straight(200), straight(200, seed=1001)])
    items = [(1, (0,)), (1, (0, 2)), (3, (2,)), (0, (1, 2, 3))]
    alone = [Evidence(X, 1, shaped=True).value(*item) for item in items]
    assert Evidence(X, 2, shaped=True)(items) == pytest.approx(alone, abs=1e-9)


def test_torch_batches_agree():
    pytest.importorskip("torch")
    X = np.hstack([straight(600), straight(600, seed=1001)])
    items = [(1, (0,)), (1, (0, 2)), (0, (1, 2, 3))]
    here = Evidence(X, shaped=True)(items)
    assert Evidence(X, device="torch", shaped=True)(items) == pytest.approx(
        here, abs=4.5
    )  # where an optimum is flat, residuals are not
