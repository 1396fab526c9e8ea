"""Measured tables whose graph nobody knows, with what is known: tiers of columns in causal order.

An edge from a later tier to an earlier one contradicts what is known (a height does not cause a parent's
height), so these tables judge a method without a true graph. Galton's families and auto-mpg are shipped, the
others are read from the folder `measured` in the place that the environment variable DAGSCALE_DATA names.
"""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dagscale.data.datasets.dataset import Dataset
from dagscale.data.datasets.tables import SHIPPED, data_folder
from dagscale.inputs.knowledge import Knowledge
from dagscale.runtime.errors import InputError

COLLECTION = "example-causal-datasets of the CMU philosophy department (CC0)"
FOLDER = "measured"


@dataclass(frozen=True)
class _Measured:
    """Where a table lies and what it is.

    Attributes
    ----------
    file, knowledge : str
        Names of the files.
    n, d : int
        Rows and columns.
    about, source : str
        What it is, and whom to cite.
    drop : tuple of str
        Columns that are no variables.
    shipped : bool
        Whether the package has it.
    """

    file: str
    knowledge: str
    n: int
    d: int
    about: str
    source: str
    drop: tuple[str, ...] = ()
    shipped: bool = False


TABLES = {
    "galton": _Measured(
        "galton-stature.mixed.txt",
        "galton.knowledge.txt",
        898,
        4,
        "Heights of 898 grown children (inches), of their parents, and the child's sex (0 male, 1 female)",
        f"Galton 1886, from {COLLECTION}",
        drop=("family",),
        shipped=True,
    ),
    "auto-mpg": _Measured(
        "auto-mpg.data.mixed.max.3.categories.txt",
        "auto-mpg.knowledge.txt",
        392,
        8,
        "Fuel consumption, engine, weight, model year and origin of 392 cars",
        f"Quinlan 1993, UCI, from {COLLECTION}",
        shipped=True,
    ),
    "yacht": _Measured(
        "yacht.hydrodynamics.continuous.txt",
        "yacht-hydrodynamics.knowledge.txt",
        308,
        7,
        "Hull shape, speed (Froude number) and residuary resistance in 308 towing experiments",
        f"Gerritsma et al. 1981, UCI, from {COLLECTION}",
    ),
    "red-wine": _Measured(
        "winequality-red.continuous.txt",
        "wine.quality.knowledge.txt",
        1599,
        12,
        "Chemistry of 1599 red wines and the median grade of three tasters",
        f"Cortez et al. 2009, UCI, from {COLLECTION}",
    ),
    "students": _Measured(
        "student-performance.data.mixed.maximum.3.txt",
        "student-performance.knowledge.txt",
        395,
        33,
        "Grades in mathematics of 395 Portuguese pupils, their families, habits and school",
        f"Cortez and Silva 2008, UCI, from {COLLECTION}",
    ),
}


def measured(name: str) -> Dataset:
    """Load one of the measured tables; its `adjacency` is None and its `knowledge` has the tiers."""
    kind = TABLES[name]
    folder = _folder(name)
    if folder is None:
        raise InputError(
            f"data set {name!r} is not shipped: set DAGSCALE_DATA to a folder with {FOLDER}/{kind.file} and "
            f"{FOLDER}/{kind.knowledge} of {COLLECTION}"
        )
    table = pd.read_csv(folder / kind.file, sep="\t").drop(columns=list(kind.drop))
    known = Knowledge.load(folder / kind.knowledge)
    names = [str(column) for column in table.columns]
    return Dataset(table, None, names, kind.about, kind.source, Knowledge(tiers=known.tiers))


def available(name: str) -> bool:
    """Say whether the table can be loaded now."""
    return _folder(name) is not None


def _folder(name: str) -> Path | None:
    """Return the folder that holds both files of a table."""
    kind = TABLES[name]
    named = data_folder(None)
    for place in (SHIPPED / FOLDER, *([] if named is None else [named / FOLDER, named])):
        if all((place / file).is_file() for file in (kind.file, kind.knowledge)):
            return place
    return None
