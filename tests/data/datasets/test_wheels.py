"""Data inside other packages: read from small imitations of them, and from the real ones where installed."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from dagscale.data.datasets import load
from dagscale.data.datasets.packages import has_resource
from dagscale.data.datasets.tuebingen import WEIGHTS
from dagscale.graphs.dag import topological_order
from dagscale.runtime.errors import InputError, MissingDependencyError

sys.path.insert(0, str(Path(__file__).parent))
from fake_package import install

NETWORK = {
    "nodes": ["b", "a", "c"],
    "arcs": [["a", "b"], ["b", "c"], ["a", "c"]],
    "cpds": {
        "a": {"coefficients": {"(Intercept)": [5.0]}, "variance": [4.0], "parents": []},
        "b": {"coefficients": {"(Intercept)": [1.0], "a": [2.0]}, "variance": [0.25], "parents": ["a"]},
        "c": {
            "coefficients": {"(Intercept)": [0.0], "a": [1.0], "b": [-1.0]},
            "variance": [1.0],
            "parents": ["a", "b"],
        },
    },
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_gaussian_networks_have_the_moments_of_their_coefficients(site, monkeypatch):
    monkeypatch.delitem(sys.modules, "pgmpy", raising=False)  # another test may have imported it
    install(site, "pgmpy", {"pgmpy/utils/example_models/ecoli70.json": json.dumps(NETWORK)})
    data = load("ecoli70", samples=200_000, random_state=3)
    assert data.names == ["b", "a", "c"]
    assert set(data.edges.itertuples(index=False, name=None)) == {("a", "b"), ("b", "c"), ("a", "c")}
    means = data.table.mean()
    assert [means["a"], means["b"], means["c"]] == pytest.approx([5, 11, -6], abs=0.05)
    # b = 1 + 2a + e, c = a - b + e' = -1 - a - e + e'
    covariance = data.table.cov()
    assert covariance.loc["a", "a"] == pytest.approx(4, rel=0.02)
    assert covariance.loc["b", "b"] == pytest.approx(16.25, rel=0.02)
    assert covariance.loc["b", "c"] == pytest.approx(-8.25, rel=0.02)
    assert covariance.loc["c", "c"] == pytest.approx(5.25, rel=0.02)
    assert data.table.equals(load("ecoli70", samples=200_000, random_state=3).table)
    assert "pgmpy" not in sys.modules


def test_pairs_come_with_their_columns_in_both_orders(site):
    install(
        site,
        "cdt",
        {
            "cdt/data/resources/Tuebingen_pairs.csv": "SampleID,A,B\npair1,1 2 3,10 20 30\npair2,4 5,40 50\n",
            "cdt/data/resources/Tuebingen_targets.csv": "SampleID,Target\npair1,1.0\npair2,1.0\n",
        },
    )
    first, second = load("tuebingen"), load("tuebingen", index=2)
    assert first.table.to_numpy().tolist() == [[1, 10], [2, 20], [3, 30]]
    assert (first.adjacency == [[False, True], [False, False]]).all()
    assert second.table.to_numpy().tolist() == [[40, 4], [50, 5]]
    assert (second.adjacency == [[False, False], [True, False]]).all()
    assert second.names == ["x", "y"]
    with pytest.raises(InputError, match="1 to 99"):
        load("tuebingen", index=100)


def test_pairs_in_the_folder_of_the_user_with_fewer_rows(tmp_path, monkeypatch, nothing_installed):
    rows = " ".join(map(str, range(50)))
    (tmp_path / "Tuebingen_pairs.csv").write_text(f"SampleID,A,B\npair1,{rows},{rows}\n")
    (tmp_path / "Tuebingen_targets.csv").write_text("SampleID,Target\npair1,1.0\n")
    monkeypatch.setenv("DAGSCALE_DATA", str(tmp_path))
    few, again, many = (load("tuebingen", samples=samples).table for samples in (20, 20, 80))
    assert few.equals(again)
    assert (len(few), len(many)) == (20, 50)
    assert few["x"].is_monotonic_increasing
    assert (few["x"] == few["y"]).all()


def test_pairs_of_one_source_weigh_one_together():
    """The groups are those of the collection's descriptions; its weights are rounded."""
    weights = np.repeat([weight for _, weight in WEIGHTS], [count for count, _ in WEIGHTS])
    assert len(weights) == 99
    groups = {
        "weather stations": [1, 2, 3, 4, 20, 21],
        "abalones": range(5, 12),
        "cars": range(13, 17),
        "concrete": range(25, 33),
        "ozone": [49, 50, 51],
        "countries": [*range(52, 61), 68, 69, 70],
        "balls on tracks": [92, 93, 97, 98, 99],
    }
    for name, pairs in groups.items():
        assert sum(weights[k - 1] for k in pairs) == pytest.approx(1, abs=0.01), name


@pytest.mark.parametrize(
    ("name", "package"),
    [("ecoli70", "pgmpy"), ("tuebingen", "cdt")],
)
def test_missing_packages_are_named_with_the_remedy(name, package, nothing_installed):
    with pytest.raises(MissingDependencyError, match=f"pip install --no-deps {package}"):
        load(name)


@pytest.mark.parametrize(
    ("name", "d", "edges"),
    [("ecoli70", 46, 70), ("arth150", 107, 150), ("magic-niab", 44, 66), ("magic-irri", 64, 102)],
)
def test_the_real_gaussian_networks(name, d, edges):
    if not has_resource("pgmpy", f"{name}.json"):
        pytest.skip("pgmpy is not installed: pip install --no-deps pgmpy")
    data = load(name, samples=50)
    assert data.table.shape == (50, d)
    assert data.adjacency.sum() == edges
    topological_order(data.adjacency)
    assert np.isfinite(data.table.to_numpy()).all()


def test_the_real_pairs():
    if not has_resource("cdt", "Tuebingen_pairs.csv"):
        pytest.skip("cdt is not installed: pip install --no-deps cdt==0.6.0")
    sizes = [len(load("tuebingen", index=index).table) for index in (1, 2, 99)]
    assert sizes == [349, 349, 109]
