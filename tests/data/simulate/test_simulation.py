"""`dagscale.simulate`: seeds, scaling, column order, and refusals in one line."""

import subprocess
import sys
import time

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.data.simulate import Simulation, simulate
from dagscale.data.simulate.graphs import FAMILIES
from dagscale.data.simulate.mechanisms import MECHANISMS
from dagscale.data.simulate.noise import NOISES
from dagscale.runtime.errors import InputError, InputTypeError

quick = settings(deadline=None, max_examples=15, derandomize=True)


def same(a: Simulation, b: Simulation) -> bool:
    return a.table.equals(b.table) and (a.adjacency == b.adjacency).all() and a.names == b.names


@quick
@given(
    st.sampled_from(sorted(FAMILIES)),
    st.sampled_from(sorted(MECHANISMS)),
    st.sampled_from(sorted(NOISES)),
    st.sampled_from([False, True, "iscm"]),
    st.sampled_from([1.0, (0.4, 0.8), "grandag"]),
    st.integers(0, 10_000),
)
def test_same_seed_same_table_for_any_workers(graph, mechanism, noise, standardize, variance, seed):
    options = {"nodes": 12, "edges_per_node": 2, "samples": 40, "mechanism": mechanism, "noise": noise}
    options |= {"standardize": standardize, "noise_variance": variance}
    one = simulate(graph, random_state=seed, n_jobs=1, **options)
    two = simulate(graph, random_state=seed, n_jobs=2, **options)
    other = simulate(graph, random_state=seed + 1, n_jobs=1, **options)
    assert same(one, two)
    assert not one.table.equals(other.table)
    assert np.isfinite(one.table.to_numpy()).all()


def test_kinds_of_random_state():
    tables = [
        simulate(nodes=3, samples=5, random_state=state)
        for state in (7, np.random.SeedSequence(7), np.int64(7))
    ]
    assert same(tables[0], tables[1])
    assert same(tables[0], tables[2])
    rng = np.random.default_rng(0)
    assert not same(*(simulate(nodes=3, samples=5, random_state=rng) for _ in range(2)))
    assert not same(*(simulate(nodes=3, samples=5, random_state=None) for _ in range(2)))


def test_a_seed_sequence_is_left_as_it_was():
    state = np.random.SeedSequence(5)
    assert same(*(simulate(nodes=4, samples=10, random_state=state) for _ in range(2)))


def test_defaults_are_the_papers_setting():
    made = simulate()
    assert made.table.shape == (1000, 20)
    assert made.adjacency.sum() == 20
    assert list(made.table.columns) == made.names
    roots = made.table.to_numpy()[:, ~made.adjacency.any(axis=0)]
    assert roots.var(axis=0) == pytest.approx(1, abs=0.2)


@quick
@given(st.sampled_from(sorted(MECHANISMS)), st.integers(0, 100))
def test_standardized_columns_and_order(mechanism, seed):
    options = {"nodes": 10, "edges_per_node": 3, "samples": 60, "mechanism": mechanism, "random_state": seed}
    raw = simulate(**options)
    for how in (True, "iscm"):
        made = simulate(standardize=how, **options)
        assert np.allclose(made.table.mean(), 0, atol=1e-9)
        assert np.allclose(made.table.std(ddof=0), 1)
        assert (made.adjacency == raw.adjacency).all()
    scaled = (raw.table - raw.table.mean()) / raw.table.std(ddof=0)
    assert np.allclose(simulate(standardize=True, **options).table, scaled)


def test_iscm_changes_what_children_see():
    chain = {"graph": "chain", "nodes": 12, "mechanism": "linear", "samples": 2000, "random_state": 1}
    after, during = simulate(standardize=True, **chain), simulate(standardize="iscm", **chain)
    # scaled afterwards, correlations along a chain grow with depth; scaled while sampling they do not
    along = [
        np.mean(
            [made.table.corr().abs().loc[a, b] for a, b in zip(made.order, made.order[1:], strict=False)][6:]
        )
        for made in (after, during)
    ]
    assert along[1] < 0.9 < along[0]


def test_columns_come_in_random_order():
    places = [made.names.index(made.order[0]) for made in (_chain(seed) for seed in range(200))]
    counts = np.bincount(places, minlength=5)
    assert counts.min() > 20


def _chain(seed):
    return simulate("chain", nodes=5, samples=2, mechanism="linear", random_state=seed)


def test_table_and_adjacency_stay_together_under_the_shuffle():
    made = simulate("chain", nodes=6, samples=5000, mechanism="linear", noise_variance=0.05, random_state=3)
    partial = -np.linalg.inv(
        made.table.corr().to_numpy()
    )  # zero between nodes that are no neighbours in a chain
    linked = np.abs(partial / np.sqrt(np.outer(np.diag(partial), np.diag(partial)))) > 0.1
    np.fill_diagonal(linked, False)
    assert (linked == (made.adjacency | made.adjacency.T)).all()


def test_order_and_edges():
    made = simulate("SF", nodes=15, edges_per_node=2, samples=5)
    place = {name: i for i, name in enumerate(made.order)}
    assert len(made.edges) == made.adjacency.sum()
    assert all(place[source] < place[target] for source, target in made.edges.itertuples(index=False))


def test_no_edges_and_one_node():
    assert not simulate(nodes=4, edges_per_node=0, samples=5).adjacency.any()
    assert simulate(nodes=1, samples=5).table.shape == (5, 1)
    assert simulate(nodes=1, edges_per_node=0, samples=5).edges.shape == (0, 2)


def test_a_graph_of_ones_own_keeps_names_and_columns_unless_shuffled():
    graph = nx.DiGraph([("rain", "wet"), ("wet", "slippery")])
    made = simulate(graph, samples=10)
    assert made.names == ["rain", "wet", "slippery"]
    assert (made.adjacency == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]).all()
    shuffled = [simulate(graph, samples=10, random_state=seed, shuffle=True) for seed in range(5)]
    assert len({tuple(each.names) for each in shuffled}) > 1
    for each in shuffled:
        assert set(each.edges.itertuples(index=False, name=None)) == set(graph.edges)
    frame = pd.DataFrame(made.adjacency.astype(int), index=made.names, columns=made.names)
    assert same(simulate(frame, samples=10), made)


def test_own_mechanism_and_noise():
    made = simulate(
        np.array([[0, 1], [0, 0]]),
        samples=50,
        mechanism=lambda P, rng, scale: P[:, 0] ** 2,
        noise=lambda P, rng: np.ones(len(P)),
    )
    assert (made.table["X1"] == 2).all()


def test_deep_polynomials_stay_tame():
    made = simulate("ER", nodes=60, edges_per_node=4, samples=500, mechanism="polynomial")
    assert made.table.abs().max().max() < 200


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"graph": "ERR"}, "did you mean 'ER'"),
        ({"graph": "scale-fre"}, "choose from ER, SF"),
        ({"mechanism": "polinomial"}, "did you mean 'polynomial'"),
        ({"noise": "gausian"}, "did you mean 'gaussian'"),
        ({"noise_variance": "gran-dag"}, "did you mean 'grandag'"),
        ({"noise_variance": (2, 1)}, "swap"),
        ({"noise_variance": (1, 2, 3)}, "two ends"),
        ({"noise_variance": 0}, "above 0"),
        ({"noise_variance": float("nan")}, "finite"),
        ({"standardize": "icsm"}, "did you mean 'iscm'"),
        ({"edge_count": "exakt"}, "did you mean 'exact'"),
        ({"orientation": "randomly"}, "did you mean 'random'"),
        ({"nodes": 0}, "at least 1"),
        ({"samples": 1}, "at least 2"),
        ({"edges_per_node": -1}, "at least 0"),
        ({"length_scale": 0}, "above 0"),
        ({"random_state": -3}, "at least 0"),
        ({"graph": [[0, 1], [1, 0]]}, "cycle (0 -> 1 -> 0)"),
        ({"graph": "chain", "nodes": 2000, "samples": 3, "mechanism": "linear"}, "iscm"),
    ],
)
def test_wrong_values_are_refused_in_one_line(options, text):
    with pytest.raises(InputError) as caught:
        simulate(**options)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"nodes": 2.5}, {"samples": True}, {"mechanism": 3}, {"graph": 7.5}, {"noise_variance": None}],
)
def test_wrong_kinds_are_refused(options):
    with pytest.raises((InputTypeError, InputError)):
        simulate(**options)


def test_importing_it_stays_light():
    heavy = "[m for m in ('scipy.stats', 'sklearn', 'networkx', 'torch') if m in sys.modules]"
    code = f"import sys, dagscale; dagscale.simulate; sys.exit(str({heavy}) if {heavy} else 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_cost_of_a_gp_node_allows_a_thousand_nodes_in_half_a_minute():
    start = time.process_time()
    simulate("ER", nodes=50, edges_per_node=2, samples=1000, n_jobs=1)
    # 1000 nodes cost 20 times this, on two cores half of that
    assert (time.process_time() - start) * 20 / 2 < 30
