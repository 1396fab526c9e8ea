"""Sachs as shipped, SynTReN from the user's folder."""

from pathlib import Path

import numpy as np
import pytest

from dagscale.data.datasets import load
from dagscale.graphs.dag import topological_order
from dagscale.runtime.errors import InputError, InputTypeError

SHARED = Path(__file__).parents[4] / "shared" / "data"
GRAPHS = SHARED / "sachs_interventional" / "graphs"
SACHS_GRAPHS_EDGES = {"reconstructed": 17, "consensus": 18, "eaton": 15, "mooij": 17}
needs_syntren = pytest.mark.skipif(
    not (SHARED / "syntren" / "data1.csv").is_file(), reason="SynTReN's files are not beside the repository"
)


def test_sachs_is_the_observational_table_with_the_consensus_graph():
    sachs = load("sachs")
    assert sachs.table.shape == (853, 11)
    assert sachs.adjacency.sum() == 17
    assert list(sachs.table.columns) == sachs.names
    assert list(sachs.table.iloc[0][["Raf", "Mek", "Jnk"]]) == [26.4, 13.2, 40.0]
    edges = set(sachs.edges.itertuples(index=False, name=None))
    assert {("PKC", "PKA"), ("Raf", "Mek"), ("PIP3", "PIP2")} <= edges
    assert ("PIP2", "PIP3") not in edges
    assert len(topological_order(sachs.adjacency)) == 11
    assert "Science" in sachs.source


def test_the_published_graphs_of_sachs_share_the_table():
    sachs = load("sachs")
    for name, edges in SACHS_GRAPHS_EDGES.items():
        other = load("sachs", graph=name)
        assert other.table.equals(sachs.table)
        assert other.adjacency.sum() == edges
        assert len(topological_order(other.adjacency)) == 11
    assert (load("sachs", graph="reconstructed").adjacency == sachs.adjacency).all()
    assert "Eaton" in load("sachs", graph="eaton").source
    with pytest.raises(InputError, match="reconstructed"):
        load("sachs", graph="consensual")


needs_graphs = pytest.mark.skipif(
    not GRAPHS.is_dir(), reason="the graphs' arrays are not beside the repository"
)


@needs_graphs
@pytest.mark.parametrize("name", ["reconstructed", "consensus", "eaton", "mooij"])
def test_the_published_graphs_are_those_of_their_source(name):
    order = ["Raf", "Mek", "Erk", "Plcg", "PIP2", "PIP3", "PKC", "Akt", "PKA", "Jnk", "P38"]
    ours = load("sachs", graph=name)
    place = [ours.names.index(protein) for protein in order]
    assert (ours.adjacency[np.ix_(place, place)] == np.load(GRAPHS / f"{name}.npy")).all()


@needs_syntren
def test_syntren_sets():
    edges = []
    for index in range(1, 11):
        data = load("syntren", index=index, folder=SHARED)
        assert data.table.shape == (500, 20)
        assert np.isfinite(data.table.to_numpy()).all()
        topological_order(data.adjacency)
        edges.append(data.adjacency.sum())
    assert np.mean(edges) == 23.5  # the SHD of the empty graph


@pytest.fixture
def syntren_folder(tmp_path):
    (tmp_path / "syntren").mkdir()
    (tmp_path / "syntren" / "data2.csv").write_text("g1,g0\n1,2\n3,4.5\n")
    (tmp_path / "syntren" / "edges2.csv").write_text("source,target\ng0,g1\n")
    return tmp_path


@pytest.mark.parametrize("inner", [".", "syntren"])
def test_syntren_from_a_named_folder_or_the_environment(syntren_folder, inner, monkeypatch):
    named = load("syntren", index=2, folder=syntren_folder / inner)
    monkeypatch.setenv("DAGSCALE_DATA", str(syntren_folder / inner))
    for data in (named, load("syntren", index=2)):
        assert data.names == ["g1", "g0"]
        assert (data.adjacency == [[False, False], [True, False]]).all()
        assert data.table["g0"].tolist() == [2, 4.5]


def test_syntren_says_where_to_get_the_files(syntren_folder, monkeypatch):
    monkeypatch.delenv("DAGSCALE_DATA", raising=False)
    with pytest.raises(InputError, match=r"not shipped.*DAGSCALE_DATA.*syntren_p20"):
        load("syntren")
    with pytest.raises(InputError, match=r"no data1\.csv.*syntren_p20"):
        load("syntren", index=1, folder=syntren_folder)
    with pytest.raises(InputError, match="not a folder"):
        load("syntren", folder=syntren_folder / "elsewhere")
    for index in (0, 11):
        with pytest.raises(InputError, match="index"):
            load("syntren", index=index)
    with pytest.raises(InputTypeError, match="whole number"):
        load("syntren", index="1")


@pytest.mark.parametrize(
    ("name", "shape", "last"), [("galton", (898, 4), "Height"), ("auto-mpg", (392, 8), "mpg")]
)
def test_measured_tables_have_tiers_instead_of_a_graph(name, shape, last):
    made = load(name)
    assert made.table.shape == shape
    assert made.adjacency is None
    assert made.edges.empty
    assert last in made.knowledge.tiers[-1]
    assert {column for tier in made.knowledge.tiers for column in tier} == set(made.names)


def test_a_measured_table_that_is_not_shipped_says_where_it_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("DAGSCALE_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"'red-wine' is not shipped: set DAGSCALE_DATA"):
        load("red-wine")
