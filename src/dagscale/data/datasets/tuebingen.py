"""The Tübingen pairs of cause and effect, from the wheel of the package cdt or the folder of DAGSCALE_DATA.

Several pairs come from one source (twelve from statistics of countries, eight from one study of concrete), so the
collection gives each a weight, by which accuracies are averaged.
"""

import numpy as np
import pandas as pd

from dagscale.data.datasets.dataset import Dataset
from dagscale.data.datasets.packages import resource
from dagscale.inputs.arguments import whole
from dagscale.runtime.errors import InputError

PACKAGE, INSTALL = "cdt", "cdt==0.6.0"
PAIRS, TARGETS = "Tuebingen_pairs.csv", "Tuebingen_targets.csv"
N_PAIRS = 99
SOURCE = (
    "Mooij, Peters, Janzing, Zscheischler, Schölkopf: Distinguishing cause from effect using observational "
    "data, Journal of Machine Learning Research 17 (2016) 1-102"
)


# (pairs, weight of each) in the file's order: the collection's pairmeta.txt less its pairs 52-55 and 71, which have
# more than two columns and are not in the file, and those after 104, which came later
WEIGHTS = (
    (2, 0.166), (1, 0.167), (1, 0.166), (6, 0.143), (1, 0.142), (1, 0.5), (4, 0.25), (1, 0.5), (2, 1.0), (1, 0.166),
    (1, 0.167), (2, 0.333), (1, 0.334), (8, 0.125), (5, 0.2), (4, 0.25), (1, 0.5), (4, 0.25), (2, 1.0), (2, 0.333),
    (1, 0.334), (2, 0.083), (1, 0.084), (2, 0.083), (1, 0.084), (2, 0.083), (1, 0.084), (2, 0.333), (1, 0.334),
    (4, 1.0), (2, 0.083), (1, 0.084), (1, 1.0), (1, 0.5), (2, 0.3333), (1, 0.3334), (2, 0.3333), (1, 0.3334),
    (5, 1.0), (4, 0.25), (1, 1.0), (3, 0.3333), (2, 0.2), (2, 1.0), (1, 0.5), (3, 0.2),
)  # fmt: skip


def tuebingen(index: int = 1, samples: int | None = None) -> Dataset:
    """Load one of the 99 pairs, columns x and y.

    The file has the cause first in every pair. Here every second pair (the even ones) comes with its columns
    exchanged, so that their order says nothing.

    Parameters
    ----------
    index : int
        Which of the pairs.
    samples : int or None
        At most so many rows, chosen at random (the same ones every time); None keeps all.
    """
    if whole(index, "index", 1) > N_PAIRS:
        raise InputError(f"index={index}: there are the pairs 1 to {N_PAIRS}")
    pairs = pd.read_csv(resource(PACKAGE, PAIRS, INSTALL), skiprows=range(1, index), nrows=1).iloc[0]
    targets = pd.read_csv(resource(PACKAGE, TARGETS, INSTALL), index_col="SampleID")["Target"]
    values = np.array(
        [[float(value) for value in str(pairs[side]).split()] for side in ("A", "B")]
    ).T  # (n, 2)
    if samples is not None and whole(samples, "samples", 2) < len(values):
        values = values[np.sort(np.random.default_rng(index).choice(len(values), samples, replace=False))]
    first_causes = bool(targets[pairs["SampleID"]] > 0)
    if index % 2 == 0:
        values, first_causes = values[:, ::-1], not first_causes
    adjacency = np.array([[False, first_causes], [not first_causes, False]])
    description = f"Tübingen cause-effect {pairs['SampleID']}: two measured quantities, the direction known"
    weight = float(np.repeat([w for _, w in WEIGHTS], [count for count, _ in WEIGHTS])[index - 1])
    table = pd.DataFrame(values, columns=["x", "y"])
    return Dataset(table, adjacency, ["x", "y"], description, SOURCE, weight=weight)
