"""Tables kept as two CSV files, data and edges: Sachs (shipped) and SynTReN (the user's own files)."""

import os
from pathlib import Path

import pandas as pd

from dagscale.data.datasets.dataset import Dataset, adjacency_of
from dagscale.inputs.arguments import one_of, whole
from dagscale.runtime.errors import InputError, shown

SHIPPED = Path(__file__).parent / "data"
SYNTREN_SETS = 10

SACHS_SOURCE = (
    "Sachs, Perez, Pe'er, Lauffenburger, Nolan: Causal protein-signaling networks derived from "
    "multiparameter single-cell data, Science 308 (2005) 523-529"
)
SACHS_GRAPHS = {  # the published graphs, by name: who drew them
    "reconstructed": "Sachs et al. 2005, as they found it",
    "consensus": "Sachs et al. 2005, the literature as they read it, without cycles",
    "eaton": "Eaton, Murphy: Exact Bayesian structure learning from uncertain interventions, AISTATS 2007",
    "mooij": "Mooij, Heskes: Cyclic causal discovery from continuous equilibrium data, UAI 2013, without cycles",
}
SYNTREN_SOURCE = (
    "data of Lachapelle et al., Gradient-based neural DAG learning, ICLR 2020, made with SynTReN "
    "(Van den Bulcke et al., BMC Bioinformatics 7:43, 2006)"
)
SYNTREN_WHERE = (
    "take syntren_p20.zip from the data folder of github.com/kurowasan/GraN-DAG and write set k as "
    "data<k>.csv (500 rows, a header of 20 names) and edges<k>.csv (source,target)"
)


def sachs(graph: str = "reconstructed") -> Dataset:
    """Load the observational part of Sachs et al. (2005): 853 cells, 11 molecules.

    Parameters
    ----------
    graph : {"reconstructed", "consensus", "eaton", "mooij"}
        Which of the published graphs (17, 18, 15 and 17 edges, as edge lists of Gamella et al.'s gnies-paper) stands
        beside the table. The first is the one that methods are usually compared by.
    """
    one_of(graph, tuple(SACHS_GRAPHS), "graph")
    drawn_by = "" if graph == "reconstructed" else f"; graph: {SACHS_GRAPHS[graph]}"
    return _read(
        SHIPPED / "sachs" / "data.csv",
        SHIPPED / "sachs" / f"{graph}.csv",
        "Flow cytometry of 11 phosphorylated proteins and phospholipids in 853 human T cells without "
        "intervention; published graphs of it differ from each other, and lack known feedback",
        SACHS_SOURCE + drawn_by,
    )


def syntren(index: int = 1, folder: str | Path | None = None) -> Dataset:
    """Load set `index` (1 to 10) of SynTReN from the user's files: 500 rows, 20 genes, 19 to 34 edges.

    Parameters
    ----------
    index : int
        Which of the ten sets.
    folder : str, Path or None
        Where data<index>.csv and edges<index>.csv (or a folder syntren with them) are; None looks in the
        folder named by the environment variable DAGSCALE_DATA.
    """
    if whole(index, "index", 1) > SYNTREN_SETS:
        raise InputError(f"index={index}: SynTReN has the sets 1 to {SYNTREN_SETS}")
    place = data_folder(folder)
    if place is None:
        raise InputError(
            f"SynTReN is not shipped: give folder=... or set DAGSCALE_DATA; to get the files, {SYNTREN_WHERE}"
        )
    for home in (place / "syntren", place):
        data, edges = home / f"data{index}.csv", home / f"edges{index}.csv"
        if data.is_file() and edges.is_file():
            description = (
                f"SynTReN, set {index} of 10: simulated expression in a sub-network of E. coli's regulation"
            )
            return _read(data, edges, description, SYNTREN_SOURCE)
    raise InputError(f"{place} holds no data{index}.csv and edges{index}.csv: to get them, {SYNTREN_WHERE}")


def syntren_available() -> bool:
    """Say whether DAGSCALE_DATA names a folder with SynTReN's first set."""
    place = data_folder(None)
    return place is not None and any((home / "data1.csv").is_file() for home in (place / "syntren", place))


def data_folder(folder: str | Path | None) -> Path | None:
    """Return the folder the user named, by argument or by DAGSCALE_DATA."""
    if folder is not None:
        if not Path(folder).is_dir():
            raise InputError(f"folder={shown(str(folder))} is not a folder: check the path")
        return Path(folder)
    named = os.environ.get("DAGSCALE_DATA")
    return Path(named) if named else None


def _read(data: Path, edges: Path, description: str, source: str) -> Dataset:
    table = pd.read_csv(data, dtype="float64")
    names = [str(name) for name in table.columns]
    pairs = pd.read_csv(edges, dtype=str)
    adjacency = adjacency_of(names, zip(pairs["source"], pairs["target"], strict=True))
    return Dataset(table, adjacency, names, description, source)
