"""How much a log likelihood ratio varies from row to row, and what that leaves of its nats."""

import numpy as np
import pytest

from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.certainty.reading import Reading
from dagscale.methods.auto.certainty.row_support import tempered, variance_of_directions
from dagscale.methods.auto.search.likelihood_search import search
from dagscale.methods.context import Context
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.density import log_density
from dagscale.models.likelihood.rows_gain import joint_gain, row_nats, rows_scales, spline_gain

N = 800


def pair(seed=0, spread=0.0):
    g = np.random.default_rng(seed)
    x = g.normal(size=N)
    return np.column_stack([x, np.sin(2 * x) + 0.4 * np.exp(spread * x) * g.normal(size=N)])


def test_nats_of_a_right_model_count_in_full_and_others_for_less():
    nats, variance = np.array([10.0, 10.0, 10.0, -3.0]), np.array([20.0, 80.0, np.nan, 5.0])
    assert tempered(nats, variance) == pytest.approx([10.0, 2.5, 10.0, 0.0])


def test_the_density_of_a_normal_sample_is_about_the_normal_one():
    z = 3.0 + 2.0 * np.random.default_rng(0).normal(size=(1, 2000))
    normal = -0.5 * ((z - 3.0) / 2.0) ** 2 - np.log(2.0 * np.sqrt(2.0 * np.pi))
    assert np.abs(log_density(z) - normal).mean() < 0.05


def test_the_density_integrates_to_one():
    z = np.random.default_rng(1).exponential(size=(1, 4000))
    order = np.sort(z[0])
    density = np.exp(log_density(order[None])[0])
    assert np.trapezoid(density, order) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(("uneven", "spread"), [(False, 0.0), (True, 0.8)])
def test_rows_add_up_to_about_the_nats_of_an_item(uneven, spread):
    gain = spline_gain(scales_of(pair(spread=spread))[0], uneven)
    more = np.subtract(*row_nats(gain, [(1, (0,)), (1, ())]).sum(axis=1))
    assert more == pytest.approx(gain([(1, (0,))])[0], rel=0.1)  # which pays for its parameters
    assert more > 100.0


def levels_of(kind, g, signal):
    if kind == "count":
        return g.poisson(np.exp(1.0 + 0.5 * signal)).astype(float)
    noisy = 2.0 * signal + g.logistic(size=len(signal))
    return np.digitize(noisy, [0.0] if kind == "binary" else [-2.0, 0.0, 2.0]).astype(float)


@pytest.mark.parametrize("kind", ["binary", "ordinal", "categorical", "count", "few values"])
def test_so_do_those_of_levels_and_counts_with_and_without_interactions(kind):
    g = np.random.default_rng(1000)
    a, b = g.normal(size=(2, N))
    X = np.column_stack([a, b, levels_of(kind, g, a * np.sign(b))])
    kinds = () if kind == "few values" else ("continuous", "continuous", kind)
    additive = spline_gain(scales_of(X, kinds)[0])
    item = (2, (0, 1))
    for gain in (additive, joint_gain(additive, 1.0)):
        more = np.subtract(*row_nats(gain, [item, (2, ())]).sum(axis=1))
        nats = gain([item])[0]
        assert nats - 1.0 < more < 1.5 * nats + 15.0  # which pays for its parameters
    if kinds:
        assert gain.told[item].joint
        assert nats > 30.0


def test_a_direction_that_hangs_on_levels_is_weighed_by_rows_too():
    g = np.random.default_rng(1000)
    x = g.normal(size=N)
    few = levels_of("ordinal", g, x)
    X = np.column_stack([x, few, np.sin(2 * x) + 0.3 * few + 0.3 * g.normal(size=N)])
    kinds = ("continuous", "ordinal", "continuous")
    found = search(X, Context(Constraints.none(3), kinds=kinds))
    assert found.graph.sum() == 3
    assert np.isfinite(Reading(found).varies(found.graph)[found.graph]).all()


def test_rows_that_tell_nothing_of_a_child_count_nothing():
    left_out = np.zeros((N, 2), dtype=bool)
    left_out[:300, 1] = True
    gain = spline_gain(rows_scales(pair(), left_out)[0])
    nats = row_nats(gain, [(1, (0,))])[0]
    assert not nats[:300].any()
    assert np.all(nats[300:] != 0.0)


def test_the_ratio_of_a_right_model_varies_as_it_should_and_nothing_is_said_after_the_deadline():
    found = search(pair())
    assert found.graph[0, 1]
    reading = Reading(found)
    nats, turned = reading.numbers.direction[0, 1], reading.alternatives.turned
    clean = variance_of_directions(found.graph, found.objective.gain, turned)[0, 1]
    assert nats > 10.0
    assert clean < 6.0 * nats
    assert clean > 0.5 * nats
    late = variance_of_directions(found.graph, found.objective.gain, turned, deadline=0.0)
    assert np.isnan(late).all()
