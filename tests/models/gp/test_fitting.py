"""Where fits start."""

import numpy as np

from dagscale.models.gp.fitting import start


def test_a_fit_starts_from_the_same_point_in_any_batch():
    """Padding to the most parents of a batch must not move where a problem with fewer starts."""
    batch = start(np.array([[True] * 8, [True] * 4 + [False] * 4]))
    assert np.array_equal(batch[0], start(np.ones((1, 8), dtype=bool))[0])
    alone = start(np.ones((1, 4), dtype=bool))[0]
    assert np.array_equal(batch[1, [0, 1, 2, 3, 8, 9, 10]], alone)
    assert batch[1, 0] > batch[0, 0]  # fewer parents, shorter length scales
