"""Departures from additive noise models: closed forms of each, one at a time."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.data.simulate import simulate
from dagscale.data.simulate.hidden import with_hidden
from dagscale.data.simulate.post_nonlinear import TRANSFORMS
from dagscale.data.simulate.serial import serially_dependent
from dagscale.runtime.errors import InputError, InputTypeError

EDGE = [[0, 1], [0, 0]]
INVERSES = {"cube": lambda x: np.cbrt(np.sqrt(15) * x), "exp": lambda x: np.log(np.sqrt(np.e**2 - np.e) * x)}


def drawn_out(c):
    """The inverse of `drawn_in`."""
    v = np.maximum(np.abs(c) - 4, 0)
    return np.where(v > 0, np.sign(c) * (4 + v / (1 - v)), c)


def sine(P, rng, scale):
    return 2 * np.sin(P[:, 0])


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_transforms_increase_and_have_variance_one(name):
    z = np.random.default_rng(0).normal(size=1_000_000)
    x = TRANSFORMS[name](z)
    assert np.allclose(drawn_out(INVERSES[name](x)), z)
    assert (np.diff(TRANSFORMS[name](np.linspace(-30, 30, 1000))) > 0).all()
    assert np.abs(TRANSFORMS[name](np.array([-100.0, 100]))).max() < 70
    assert x.var() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_a_post_nonlinear_child_is_the_transform_of_the_additive_one(name):
    plain, made = (
        simulate(EDGE, samples=300, mechanism=sine, post_nonlinear=chosen).table for chosen in (None, name)
    )
    inner = (plain["X1"] - plain["X1"].mean()) / plain["X1"].std(ddof=0)
    assert np.allclose(drawn_out(INVERSES[name](made["X1"])), inner)
    assert (made["X0"] == plain["X0"]).all()  # a source has nothing to transform


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_post_nonlinear_values_do_not_grow_along_the_graph(name):
    linear, smooth = (
        simulate("chain", nodes=60, samples=500, mechanism=mechanism, post_nonlinear=name).table
        for mechanism in ("linear", "gp")
    )
    assert max(linear.std().max(), smooth.std().max()) < 10  # after sixty generations
    middle = smooth.quantile(0.9) - smooth.quantile(0.1)
    assert (middle / smooth.std()).min() > 0.3  # no column lives on a few rows


def test_all_linear_is_the_linear_mechanism():
    options = {"nodes": 12, "edges_per_node": 2, "samples": 100, "noise": "exponential"}
    linear = simulate(mechanism="linear", **options).table
    assert simulate(linear=1.0, **options).table.equals(linear)
    assert simulate(linear=1, **options).table.equals(linear)
    assert not simulate(linear=0.5, **options).table.equals(linear)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_a_share_of_the_children_is_exactly_linear(share):
    def noiseless_children(P, rng):
        return rng.standard_normal(len(P)) if P.shape[1] == 0 else np.zeros(len(P))

    bipartite = np.zeros((20, 20), dtype=bool)
    bipartite[:4, 4:] = True
    X = simulate(bipartite, samples=100, noise=noiseless_children, linear=share).table.to_numpy()
    residuals = X[:, 4:] - X[:, :4] @ np.linalg.lstsq(X[:, :4], X[:, 4:], rcond=None)[0]
    assert (np.abs(residuals).max(axis=0) < 1e-8).sum() == share * 16


@settings(deadline=None, max_examples=20, derandomize=True)
@given(st.integers(4, 15), st.integers(0, 3), st.integers(0, 1000))
def test_hidden_causes_have_two_children_that_no_edge_joins(d, hidden, seed):
    made = simulate(nodes=d, edges_per_node=0.5, samples=5, hidden=hidden, random_state=seed)
    plain = simulate(nodes=d, edges_per_node=0.5, samples=5, random_state=seed)
    assert made.table.shape == (5, d)
    assert (made.adjacency == plain.adjacency).all()
    assert nx.is_directed_acyclic_graph(nx.DiGraph(made.adjacency))
    if hidden == 0:
        assert made.confounded is None
        return
    assert (made.confounded == made.confounded.T).all()
    assert made.confounded.sum() == 2 * hidden
    assert not (made.confounded & (made.adjacency | made.adjacency.T | np.eye(d, dtype=bool))).any()


def test_columns_with_a_hidden_cause_depend_on_each_other_and_others_do_not():
    made = simulate(np.zeros((8, 8)), samples=5000, hidden=3, mechanism="linear", random_state=2)
    r = np.abs(np.corrcoef(made.table.to_numpy().T))
    assert r[made.confounded].min() > 0.1
    direct = nx.to_numpy_array(nx.Graph(made.confounded)) > 0
    apart = [
        (i, j) for i in range(8) for j in range(i) if not direct[i, j] and not (direct[i] & direct[j]).any()
    ]
    assert max(r[i, j] for i, j in apart) < 0.06


def test_hidden_sources_come_after_the_observed_nodes():
    adjacency = np.triu(np.ones((4, 4), dtype=bool), 2)
    extended, confounded = with_hidden(adjacency, 3, np.random.default_rng(0))
    assert (extended[:4, :4] == adjacency).all()
    assert (extended[4:].sum(axis=1) == 2).all()
    assert not extended[:, 4:].any()
    assert (
        confounded == (extended[4:, :4].T.astype(int) @ extended[4:, :4] > 0) & ~np.eye(4, dtype=bool)
    ).all()


@pytest.mark.parametrize("share", [0.1, 0.8])
def test_measurement_error_has_its_share_of_the_variance_and_does_not_reach_the_children(share):
    options = {"graph": "chain", "nodes": 5, "samples": 20_000, "mechanism": "linear"}
    exact, made = simulate(**options).table, simulate(measurement_error=share, **options).table
    error = made - exact
    assert np.allclose(error.var() / exact.var(), share, rtol=0.05)
    assert np.abs(np.corrcoef(error.to_numpy().T) - np.eye(5)).max() < 0.03
    assert np.abs([error[a].corr(exact[b]) for a in error for b in exact]).max() < 0.03


@pytest.mark.parametrize("a", [-0.5, 0.0, 0.7])
def test_serially_dependent_noise_is_the_recursion(a):
    u = np.random.default_rng(0).exponential(size=200) - 1
    e = serially_dependent(u, a)
    assert e[0] == u[0]
    assert np.allclose(e[1:], a * e[:-1] + np.sqrt(1 - a**2) * u[1:])


@pytest.mark.parametrize("noise", ["gaussian", "gamma", "uniform"])
def test_rows_are_correlated_as_asked_and_keep_their_variance(noise):
    x = simulate(nodes=1, samples=50_000, noise=noise, autoregressive=0.6).table["X0"]
    for lag in (1, 2, 3):
        assert x.autocorr(lag) == pytest.approx(0.6**lag, abs=0.03)
    assert x.var() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"noise": "multiplikative"}, "did you mean 'multiplicative'"),
        ({"post_nonlinear": "cubed"}, "did you mean 'cube'"),
        ({"linear": 1.5}, "between 0 and 1"),
        ({"discrete": -0.1}, "at least 0"),
        ({"discrete": 2}, "between 0 and 1"),
        ({"hidden": -1}, "at least 0"),
        ({"nodes": 3, "hidden": 3}, "fewer hidden causes"),
        ({"measurement_error": float("nan")}, "finite"),
        ({"autoregressive": 1}, "between -1 and 1"),
        ({"autoregressive": -1}, "above -1"),
        ({"interventions": {"X99": 3}}, "no column 'X99'"),
        ({"interventions": {"X1,Y2": 3}}, "did you mean 'X"),
        ({"interventions": {(): 3}}, "at least one"),
        ({"interventions": {"X1": 0}}, "at least 1"),
        ({"interventions": 0}, "at least 1"),
        ({"intervention_kind": "sofd"}, "did you mean 'soft'"),
    ],
)
def test_wrong_values_are_refused_in_one_line(options, text):
    with pytest.raises(InputError) as caught:
        simulate(**options)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"hidden": 1.5},
        {"linear": "all"},
        {"discrete": None},
        {"interventions": "X1"},
        {"interventions": True},
        {"interventions": {"X1": 2.5}},
    ],
)
def test_wrong_kinds_are_refused(options):
    with pytest.raises(InputTypeError):
        simulate(**options)
