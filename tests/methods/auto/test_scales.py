"""The scale on which a table with heavy tails is taken."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscale
from dagscale.graphs.metrics import evaluate
from dagscale.methods.auto.scales import evenness, heavy_tailed, normal_scores, scales, spacing_entropy, told
from dagscale.models.splines import SplineTable

pytestmark = pytest.mark.usefixtures("many_columns")

KEPT, SOME, RANKED = "so it was kept", "they were used as", "all columns were used as normal scores"


def said(result):
    return " ".join(result.notes)


@pytest.mark.parametrize(
    ("draw", "nats"),
    [
        ("normal", 0.5 * np.log(2 * np.pi * np.e)),
        ("uniform", 0.0),
        ("exponential", 1.0),
        ("laplace", 1.0 + np.log(2.0)),
    ],
)
def test_entropies_of_known_distributions(draw, nats):
    x = getattr(np.random.default_rng(0), draw)(size=20_000)
    assert spacing_entropy(x) == pytest.approx(nats, abs=0.03)


@given(scale=st.floats(1e-3, 1e3), shift=st.floats(-10, 10), seed=st.integers(0, 20))
@settings(deadline=None, max_examples=20, derandomize=True)
def test_entropy_moves_with_the_unit_and_not_with_the_origin(scale, shift, seed):
    x = np.random.default_rng(seed).normal(size=200)
    moved = spacing_entropy(scale * x + shift)
    assert moved == pytest.approx(spacing_entropy(x) + np.log(scale), abs=1e-6)


def test_ties_have_a_finite_entropy():
    assert np.isfinite(spacing_entropy(np.repeat([0.0, 1.0], 100)))


@pytest.mark.parametrize("n", [250, 1000, 3000])
def test_scores_are_more_even_than_a_sample_by_most_of_what_is_measured(n):
    rng = np.random.default_rng(0)
    sample = np.mean([spacing_entropy(x / x.std()) for x in rng.normal(size=(100, n))])
    scores = normal_scores(rng.normal(size=(n, 1)))[:, 0]
    assert 0.6 < evenness(n) / (spacing_entropy(scores / scores.std()) - sample) < 1.0


def test_scores_are_charged_for_their_evenness():
    X = np.random.default_rng(0).laplace(size=(1000, 2))
    X[:, 1] += X[:, 0]
    table, graph = SplineTable.of(normal_scores(X)), np.array([[False, True], [False, False]])
    charged = told(table, graph) - told(table, graph, np.array([True, True]))
    assert charged == pytest.approx(1000 * evenness(1000))


@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
def test_noise_with_heavy_tails_keeps_its_shape(noise):
    """Lines hide their direction from ranks: the scale of the data tells more once edges are turned."""
    made = dagscale.simulate(
        "ER", 20, 1, mechanism="sigmoid-additive", noise=noise, random_state=1000, standardize=True
    )
    result = dagscale.discover(made.table, effort="quick")
    assert RANKED not in said(result)
    assert evaluate(made.adjacency, result.adjacency)["shd"] <= 3  # 14 and 7 for the greedy search


def test_parents_tell_their_information_less_the_charges():
    rng = np.random.default_rng(1000)
    x = rng.normal(size=2000)
    X = np.column_stack([x, np.sin(2 * x) + 0.5 * rng.standard_t(3, size=2000)])
    graph = np.array([[False, True], [False, False]])
    nats = told(SplineTable.of(X), graph)
    exact = spacing_entropy(X[:, 1]) - spacing_entropy(X[:, 1] - np.sin(2 * x))
    assert 2000 * exact - 60 < nats < 2000 * exact
    assert told(SplineTable.of(X), np.zeros((2, 2), bool)) == 0.0
    shuffled = X[:, :1], rng.permutation(X[:, 1:])
    assert told(SplineTable.of(np.hstack(shuffled)), graph) < 0


def test_many_rows_are_judged_by_some_of_them():
    simulated = dagscale.simulate("ER", 5, 1, 6000, random_state=1000, standardize=True)
    X = np.asarray(simulated.table)
    every = told(SplineTable.of(X), simulated.adjacency)
    some = told(SplineTable.of(X[:3000]), simulated.adjacency)
    assert every == pytest.approx(2 * some, rel=0.2)  # nats of all rows


def test_an_exponential_scale_is_undone():
    simulated = dagscale.simulate("ER", 10, 1, random_state=1000, standardize=True)
    bent = np.exp(1.5 * np.asarray(simulated.table))
    assert heavy_tailed(bent).any()
    result = dagscale.discover(bent, effort="quick")
    assert RANKED in said(result)
    plain = dagscale.discover(normal_scores(bent), effort="quick")
    assert np.array_equal(result.adjacency, plain.adjacency)
    assert evaluate(simulated.adjacency, result.adjacency)["shd"] <= 3


def test_tails_that_the_mechanism_makes_stay():
    simulated = dagscale.simulate(
        "ER", 20, 1, mechanism="polynomial", noise="laplace", random_state=1000, standardize=True
    )
    result = dagscale.discover(simulated.table, effort="quick")
    assert KEPT in said(result)
    assert evaluate(simulated.adjacency, result.adjacency)["shd"] <= 2


def test_light_tails_are_left_alone():
    simulated = dagscale.simulate("ER", 10, 1, random_state=1000, standardize=True)
    notes = said(dagscale.discover(simulated.table, effort="quick"))
    assert KEPT not in notes
    assert RANKED not in notes


def test_only_the_heavy_tailed_columns_may_be_ranked():
    rng = np.random.default_rng(1000)
    cause = rng.normal(size=1000)
    bent = 2 * np.tanh(1.5 * cause) + 0.8 * rng.normal(size=1000)  # ranks would turn this edge round
    X = np.column_stack([cause, bent, np.exp(1.5 * rng.normal(size=1000))])
    (as_it_is, _, _), (some, scored, note), (every, _, _) = scales(X)
    assert scored.tolist() == [False, False, True]
    assert np.array_equal(as_it_is, X)
    assert np.array_equal(some[:, :2], X[:, :2])
    assert np.array_equal(some[:, 2], every[:, 2])
    assert not heavy_tailed(some).any()
    assert "1 of 3 columns" in note[0]
    result = dagscale.discover(X)
    assert SOME in said(result)
    assert result.adjacency[0, 1]
