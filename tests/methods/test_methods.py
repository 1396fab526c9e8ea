"""Every method through the same properties: a DAG, permutation, units, seeds, n_jobs, knowledge."""

from importlib.util import find_spec

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscale
from dagscale.methods.registry import METHODS
from stress.tables import functions, sums, ties

NEEDS_TORCH = pytest.mark.skipif(
    find_spec("torch") is None, reason="GraN-DAG needs torch: pip install 'dagscale[torch]'"
)
EVERY = [pytest.param(m, marks=NEEDS_TORCH) if m == "grandag" else m for m in METHODS]
QUICK = {"grandag": {"steps": 400}}  # these properties hold of half-trained networks as well
CAUSAL = ["auto", "das", "score", "nogam", "cam", pytest.param("grandag", marks=NEEDS_TORCH)]
BASELINES = ["empty", "random", "varsort", "varsort-desc", "r2sort", "r2sort-desc"]
DETERMINISTIC = [m for m in METHODS if m not in ("random", "empty", "grandag")]  # others draw numbers
SEES_UNITS = {"das", "score", "nogam", "varsort", "varsort-desc"}
SORTS_BY_UNITS = {
    "varsort",
    "varsort-desc",
}  # all variances are one once standardised: nothing is left to sort by


@pytest.fixture(scope="module")
def table():
    return dagscale.simulate(nodes=6, edges_per_node=1, samples=250, random_state=1001).table


def is_dag(result):
    return nx.is_directed_acyclic_graph(result.graph)


def edges(result):
    return set(zip(result.edges["source"], result.edges["target"], strict=True))


def test_the_registry_is_complete():
    assert {"auto", "das", "score", "nogam", "cam", "grandag", *BASELINES} <= set(METHODS)


@pytest.mark.parametrize("method", EVERY)
def test_order_and_graph_agree(table, method):
    result = dagscale.discover(table, method=method, **QUICK.get(method, {}))
    place = {name: k for k, name in enumerate(result.order)}
    assert sorted(place) == sorted(table.columns)
    assert all(place[a] < place[b] for a, b in edges(result))
    assert is_dag(result)
    assert result.adjacency.sum() == len(result.edges)


@pytest.mark.parametrize("method", DETERMINISTIC)
def test_column_order_does_not_matter(table, method):
    columns = np.random.default_rng(0).permutation(table.columns)
    assert edges(dagscale.discover(table, method=method)) == edges(
        dagscale.discover(table[columns], method=method)
    )


@pytest.mark.parametrize("damage", [ties, sums, functions], ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("method", ["das", "score", "nogam", "cam"])
def test_column_order_does_not_matter_where_columns_tie_or_determine_each_other(method, damage):
    for seed in range(1000, 1004):
        rng = np.random.default_rng(seed)
        spoilt = damage(rng)
        numbers = dict.fromkeys(spoilt.columns, "continuous")
        turned = spoilt[rng.permutation(spoilt.columns)]
        one, other = (dagscale.discover(t, method, kinds=numbers, n_jobs=1) for t in (spoilt, turned))
        assert edges(one) == edges(other), seed


@pytest.mark.parametrize("far", [1e6, 1e8])
@pytest.mark.parametrize("method", EVERY)
def test_one_extreme_value_crashes_no_method(method, far):
    more = {"auto": {"effort": "quick"}, "grandag": {"steps": 50}}.get(method, {})
    for seed in (1000, 1001, 1002):
        spoilt = dagscale.simulate(nodes=4, samples=150, random_state=seed, n_jobs=1).table
        spoilt.iloc[3, 1] = far
        assert is_dag(dagscale.discover(spoilt, method=method, n_jobs=1, **more))


@pytest.mark.parametrize("method", sorted(set(DETERMINISTIC) - SORTS_BY_UNITS))
def test_units_do_not_matter_once_standardised(table, method):
    scales = 10.0 ** np.arange(-3, 3)
    one = dagscale.discover(table, method=method, standardize=True)
    other = dagscale.discover(table * scales + 7.0, method=method, standardize=True)
    assert edges(one) == edges(other)


@pytest.mark.parametrize("method", sorted(set(DETERMINISTIC) - SEES_UNITS))
def test_these_methods_never_see_units(table, method):
    scales = np.array([1e-2, 10.0, 1.0, 1e3, 0.5, 30.0])
    assert edges(dagscale.discover(table, method=method)) == edges(
        dagscale.discover(table * scales, method=method)
    )


@pytest.mark.parametrize("method", EVERY)
def test_same_seed_same_result_whatever_the_workers(table, method):
    quick = QUICK.get(method, {})
    one, other = (dagscale.discover(table, method=method, n_jobs=k, random_state=3, **quick) for k in (1, 2))
    assert one.order == other.order
    assert np.array_equal(one.adjacency, other.adjacency)


def random_knowledge(rng, names):
    """Knowledge that an order drawn at random satisfies, so that it contradicts nothing."""
    order = list(rng.permutation(names))
    d = len(order)
    pairs = [(order[i], order[j]) for i in range(d) for j in range(i + 1, d)]
    required = [pairs[k] for k in rng.choice(len(pairs), 2, replace=False)]
    forbidden = [p for p in pairs if p not in required and rng.random() < 0.2]
    forbidden += [(b, a) for a, b in pairs if rng.random() < 0.2]
    tiers = [order[: d // 2], order[d // 2 :]] if rng.random() < 0.5 else []
    return dagscale.Knowledge(required=required, forbidden=forbidden, tiers=tiers)


@pytest.mark.parametrize("method", EVERY)
@settings(deadline=None, max_examples=4, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_knowledge_is_honoured(table, method, seed):
    small = table.iloc[:120]
    known = random_knowledge(np.random.default_rng(seed), list(table.columns))
    result = dagscale.discover(small, method=method, knowledge=known, **QUICK.get(method, {}))
    place = {name: k for k, name in enumerate(result.order)}
    assert is_dag(result)
    assert set(known.required) <= edges(result)
    assert not set(known.forbidden) & edges(result)
    assert all(place[a] < place[b] for a, b in known.required)
    if known.tiers:
        early, late = known.tiers
        assert max(place[v] for v in early) < min(place[v] for v in late)


@pytest.mark.parametrize("method", CAUSAL)
def test_finds_a_plain_nonlinear_chain(method):
    rng = np.random.default_rng(1005)
    a = rng.standard_normal(500)
    b = np.sin(2 * a) + 0.3 * rng.standard_normal(500)
    c = b**2 + 0.3 * rng.standard_normal(500)
    result = dagscale.discover({"c": c, "a": a, "b": b}, method=method)
    assert edges(result) == {("a", "b"), ("b", "c")}


def test_literal_das_finds_nothing_in_two_columns():
    rng = np.random.default_rng(1006)
    a = rng.standard_normal(300)
    table = {"a": a, "b": np.sin(2 * a) + 0.3 * rng.standard_normal(300)}
    assert edges(dagscale.discover(table, method="das", min_parents=0)) == set()
    assert edges(dagscale.discover(table, method="das")) == {("a", "b")}
