"""The Gaussian networks of the bnlearn repository, with the coefficients that pgmpy's wheel carries."""

import json
from typing import Any

import numpy as np
import pandas as pd

from dagscale.data.datasets.dataset import Dataset, adjacency_of
from dagscale.data.datasets.packages import resource
from dagscale.graphs.dag import topological_order
from dagscale.inputs.arguments import whole
from dagscale.runtime.types import BoolArray, FloatArray

PACKAGE, INSTALL = "pgmpy", "pgmpy"
SOURCES = {
    "ecoli70": "Schäfer and Strimmer, Statistical Applications in Genetics and Molecular Biology 4 (2005) 32",
    "arth150": "Opgen-Rhein and Strimmer, BMC Systems Biology 1 (2007) 37",
    "magic-niab": "Scutari, Howell, Balding, Mackay, Genetics 198 (2014) 129-137",
    "magic-irri": "Scutari, bnlearn's network repository, from the MAGIC rice population of IRRI",
}


def network(name: str, samples: int = 1000, random_state: int = 0) -> Dataset:
    """Draw rows from one of the Gaussian networks.

    Parameters
    ----------
    name : {"ecoli70", "arth150", "magic-niab", "magic-irri"}
    samples : int
        Rows to draw.
    random_state : int
        Seed.
    """
    n, rng = whole(samples, "samples", 2), np.random.default_rng(whole(random_state, "random_state", 0))
    model = json.loads(resource(PACKAGE, f"{name}.json", INSTALL).read_text(encoding="utf-8"))
    names = [str(node) for node in model["nodes"]]
    adjacency = adjacency_of(names, model["arcs"])
    X = _drawn(model["cpds"], names, adjacency, n, rng)
    description = (
        f"Linear Gaussian network {name}, learned from real data; the rows are drawn from it, so linear "
        "methods have it easy"
    )
    return Dataset(pd.DataFrame(X, columns=names), adjacency, names, description, SOURCES[name])


def _drawn(
    laws: dict[str, Any], names: list[str], adjacency: BoolArray, n: int, rng: np.random.Generator
) -> FloatArray:
    place = {name: i for i, name in enumerate(names)}
    X = np.zeros((n, len(names)))
    for j in topological_order(adjacency):
        law = laws[names[j]]
        X[:, j] = rng.normal(0, np.sqrt(law["variance"][0]), n)
        for name, (weight,) in law["coefficients"].items():
            X[:, j] += weight if name == "(Intercept)" else weight * X[:, place[name]]
    return X
