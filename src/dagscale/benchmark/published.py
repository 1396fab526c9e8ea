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


def published(family: str, nodes: int, method: str) -> dict[str, Value]:
    """Return the paper's values for a method on a family of graphs ("ER1", ..., "Sachs"), by measure.

    What follows a comma in the family's name (the noise's variance) tells apart cases of ours, not of the
    paper's: it does not say which variance its data had, and quotes CAM and GraN-DAG from another paper.
    """
    return published_rows().get((family.split(",")[0], nodes, method), {})


def published_methods(family: str, nodes: int) -> list[str]:
    """List the methods of the paper's rows for one family and size, in the paper's order."""
    return [m for f, d, m in published_rows() if (f, d) == (family.split(",")[0], nodes)]


@cache
def published_rows() -> dict[tuple[str, int, str], dict[str, Value]]:
    """Read every published row by family, number of nodes and method; without what the paper leaves out."""
    text = Path(__file__).with_name("published.csv").read_text(encoding="utf-8")
    return {
        (line.pop("family"), int(line.pop("nodes")), line.pop("method")): {
            measure: _value(cell) for measure, cell in line.items() if cell
        }
        for line in csv.DictReader(text.splitlines())
    }


def _value(cell: str) -> Value:
    mean, _, sd = cell.partition("±")
    return Value(float(mean), float(sd) if sd else None)
