"""Every table and figure of the DAS paper (Montagna et al., CLeaR 2023)."""

from typing import Any

from dagscale.benchmark.cases import UNITS, Case, simulated
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.suite import Suite

SIZES = (10, 20, 50, 100, 200, 500, 1000)
PAPER = {"samples": 1000, "mechanism": "gp", "noise": "gaussian", "noise_variance": 1.0}
FAMILIES: dict[str, dict[str, Any]] = {
    "ER1": {**PAPER, "graph": "ER", "edges_per_node": 1},
    "ER4": {**PAPER, "graph": "ER", "edges_per_node": 4},
    "SF1": {**PAPER, "graph": "SF", "edges_per_node": 1},
    "SF4": {**PAPER, "graph": "SF", "edges_per_node": 4},
}
METHODS = ("auto", "das", "score", "cam", "nogam")
BOARD = (*METHODS, *TRIVIAL, "true-order")
# Left out beyond these sizes: NoGAM fits d regressions per leaf, O(d² n³) in all; the oracle fits a GP to
# every node with and without each of its parents; the true order fits one to all predecessors of each node.
LARGEST = {"nogam": 50, "oracle": 100, "true-order-evidence": 100}


def families(*names: str, **changes: Any) -> dict[str, dict[str, Any]]:
    """Return the paper's families of graphs by name, with some arguments of `simulate` changed."""
    return {name: FAMILIES[name] | changes for name in names}


def _table(family: str, number: str) -> Suite:
    return Suite(
        f"paper-{family.lower()}",
        f"{family} graphs, Gaussian-process mechanisms ({number})",
        "n = 1000, noise variance 1, 10 seeds to d = 200 and 3 beyond. Published numbers are for raw data.",
        simulated(families(family), SIZES),
        BOARD,
        largest=LARGEST,
        tables=("grid", "detail"),
    )


def _figure(name: str, title: str, measure: str) -> Suite:
    """Declare a figure; it draws on the runs of Tables 1 and 2 and adds none where those have been made."""
    cases = simulated(families("ER4", "ER1"), SIZES)
    about = "The runs of the suites paper-er1 and paper-er4."
    return Suite(name, title, about, cases, BOARD, largest=LARGEST, measure=measure)


SUITES = (
    _table("ER1", "Table 2"),
    _table("ER4", "Table 1"),
    _table("SF1", "appendix table"),
    _table("SF4", "appendix table"),
    Suite(
        "paper-threshold",
        "Stability of DAS in the level of its test (appendix table)",
        "`cutoff` 0.01, the default, against 0.05.",
        simulated(families("ER1", "ER4"), (10, 20, 50, 100, 200)),
        ("das", "das:cutoff=0.05", *TRIVIAL, "true-order"),
    ),
    Suite(
        "paper-sachs",
        "Sachs: proteins in single cells (appendix table)",
        "853 rows, 11 columns, 17 edges of the consensus graph. Only the random order differs by seed.",
        tuple(Case("Sachs", 11, units, "sachs") for units in UNITS),
        BOARD,
        tables=("detail",),
    ),
    Suite(
        "paper-syntren",
        "SynTReN: simulated gene expression (appendix table)",
        "10 tables of 500 rows and 20 columns. Seed s is table s + 1.",
        tuple(Case("SynTReN", 20, units, "syntren") for units in UNITS),
        BOARD,
        tables=("detail",),
    ),
    _figure("paper-figure1", "Time against the number of nodes (Figure 1)", "wall"),
    _figure("paper-figure2", "SHD against the number of nodes (Figure 2)", "shd"),
)
