"""The numbers printed in the DAS paper, from `published.csv`.

Every value is a mean and, where the paper gives one, a standard deviation over its 10 runs. All were
measured on data in the simulator's own units ("raw"); the paper has no standardised results. The rows of
CAM and GraN-DAG (and SCORE on scale-free graphs) are quoted there from Rolland et al. 2022. The threshold
table's ER4 d = 100 entry, 355 ± 5, contradicts Table 1's 335 ± 5; Table 1 is kept. Of cutoff 0.05 the paper
gives the SHD only.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Value:
    """A published mean and its standard deviation (None where the paper prints none: a single run)."""

    mean: float
    sd: float | None


@dataclass(frozen=True)
class PublishedRow:
    """One row of a published table; None where the paper prints a dash."""

    shd: Value | None
    sid: Value | None
    precision: Value | None
    recall: Value | None
    seconds: Value | None


def published(family: str, nodes: int, method: str) -> PublishedRow | None:
    """Return the paper's row for a method on a family of graphs ("ER1", ..., "Sachs"), or None.

    What follows a comma in the family's name (the noise's variance) tells apart cases of ours, not of the
    paper's: it does not say which variance its data had, and quotes CAM and GraN-DAG from another paper.
    """
    return published_rows().get((family.split(",")[0], nodes, method))


def published_methods(family: str, nodes: int) -> list[str]:
    """List the methods of the paper's rows for one family and size, in the paper's order."""
    return [m for f, d, m in published_rows() if (f, d) == (family.split(",")[0], nodes)]


@cache
def published_rows() -> dict[tuple[str, int, str], PublishedRow]:
    """Read every published row by family, number of nodes and method."""
    text = Path(__file__).with_name("published.csv").read_text(encoding="utf-8")
    _, *lines = csv.reader(text.splitlines())
    return {
        (family, int(nodes), method): PublishedRow(*(_value(cell) for cell in cells))
        for family, nodes, method, *cells in lines
    }


def _value(cell: str) -> Value | None:
    mean, _, sd = cell.partition("±")
    return Value(float(mean), float(sd) if sd else None) if mean else None
