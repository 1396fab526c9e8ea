"""How items are fitted: first a subsample of the rows, then all of them."""

import numpy as np

from dagscale.models.gp import Evidence, Plan
from dagscale.models.gp.fitting import start


def test_unrefined_fits_stop_at_the_first_rows():
    rng = np.random.default_rng(1000)
    X = rng.normal(size=(900, 4))
    X[:, 0] = np.sin(X[:, 1]) * X[:, 2] + 0.3 * rng.normal(size=900)
    items = [(0, (1, 2, 3))]
    rough = Evidence(X, n_jobs=1, plan=Plan(refined=False)).fits(items)[0]
    fine = Evidence(X, n_jobs=1).fits(items)[0]
    first = Evidence(X, n_jobs=1, max_rows=400).fits(items)[0]
    assert rough.evaluations < fine.evaluations
    assert abs(rough.value - first.value) < 0.1 * first.value < fine.value - rough.value
    assert (rough.weights[:2] > 0.05).all()
    assert rough.weights[2] < 0.05


def test_a_fit_starts_from_the_same_point_in_any_batch():
    """Padding to the most parents of a batch must not move where a problem with fewer starts."""
    batch = start(np.array([[True] * 8, [True] * 4 + [False] * 4]))
    assert np.array_equal(batch[0], start(np.ones((1, 8), dtype=bool))[0])
    alone = start(np.ones((1, 4), dtype=bool))[0]
    assert np.array_equal(batch[1, [0, 1, 2, 3, 8, 9, 10]], alone)
    assert batch[1, 0] > batch[0, 0]  # fewer parents, shorter length scales
