"""Sachs et al. (2005) with its experiments: cells under reagents that act on known molecules."""

import pandas as pd

from dagscale.data.datasets.dataset import Dataset, adjacency_of
from dagscale.data.datasets.tables import SACHS_GRAPHS, SACHS_SOURCE, SHIPPED
from dagscale.inputs.arguments import one_of

# what each reagent acts on; cd3_cd28 stimulates all cells but those of pma and b2camp, icam2 stimulates more
TARGETS = {
    "cd3_cd28": "", "icam2": "", "aktinhib": "Akt", "g0076": "PKC", "psitect": "PIP2", "u0126": "Mek", "ly": "PIP3",
    "pma": "PKC", "b2camp": "PKA",
}  # fmt: skip
UNSTIMULATED = ("pma", "b2camp")
SOURCE = f"{SACHS_SOURCE}; example-causal-datasets of the CMU philosophy department (CC0); graphs: gnies-paper (BSD-3)"


def sachs_experiments(graph: str = "reconstructed", cells: str = "stimulated") -> Dataset:
    """Load the cells of Sachs et al. under all reagents, with the column `intervention` that names what they act on.

    Parameters
    ----------
    graph : {"reconstructed", "consensus", "eaton", "mooij"}
        Which of the published graphs; "reconstructed" is that of `sachs`.
    cells : {"stimulated", "all"}
        The 5846 cells of the experiments with the general stimulation, which the literature uses; or all 7466.
    """
    one_of(graph, tuple(SACHS_GRAPHS), "graph")
    one_of(cells, ("stimulated", "all"), "cells")
    table = pd.read_csv(SHIPPED / "sachs" / "interventional.csv.gz")
    if cells == "stimulated":
        table = table[~table["reagent"].isin(UNSTIMULATED)].reset_index(drop=True)
    names = [str(name) for name in table.columns if name != "reagent"]
    table = table.assign(intervention=table["reagent"].map(TARGETS)).drop(columns="reagent")
    pairs = pd.read_csv(SHIPPED / "sachs" / f"{graph}.csv", dtype=str)
    return Dataset(
        table,
        adjacency_of(names, zip(pairs["source"], pairs["target"], strict=True)),
        names,
        f"Flow cytometry of 11 phosphorylated proteins and phospholipids in {len(table)} human T cells under "
        "reagents; `intervention` names the molecule a reagent acts on. Inhibitors act on activity, not on "
        f"abundance, so a target need not move. Graph: {graph}, one of four published ones that differ by 6 to 13",
        SOURCE,
        interventions="intervention",
    )
