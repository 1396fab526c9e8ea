"""Ranks and normal scores, against scipy's."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import rankdata

from dagscale.inputs.ranks import middle_ranks, normal_scores


@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_ranks_are_scipys_ties_included(decimals):
    x = np.random.default_rng(1000).normal(size=200).round(decimals)
    np.testing.assert_allclose(middle_ranks(x), (rankdata(x) - 0.5) / 200, atol=1e-12)
    np.testing.assert_allclose(normal_scores(x), ndtri((rankdata(x) - 0.5) / 200), atol=1e-9)
