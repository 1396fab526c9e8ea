"""Expression data in the spirit of SynTReN: kinetics on a part of a real regulatory network.

A gene's activity is its transcription rate at equilibrium (Van den Bulcke et al. 2006), in [0, 1]:

    rate = Π_inhibitors (1 - b) · A,    b = (x/K)^h / (1 + (x/K)^h),

where A is Π b (AND) or 1 - Π (1 - b) (OR) over the activators, 1 without any. h = 1 is Michaelis-Menten
kinetics, h > 1 Hill's. Each gene then gets biological noise, which its targets feel, and measurement noise,
which they do not.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dagscale.data.datasets.dataset import Dataset
from dagscale.data.datasets.gene_networks import connected_part, ecoli, synthetic, without_feedback
from dagscale.graphs.dag import topological_order
from dagscale.inputs.arguments import at_least, one_of, whole
from dagscale.runtime.types import BoolArray, FloatArray

NETWORKS = ("ecoli", "synthetic")
LEAK = 0.02  # of the full rate, transcribed whatever the regulators do
SOURCES = {
    "ecoli": "network: RegulonDB 6.7 (Gama-Castro et al., Nucleic Acids Research, 2008), as in avici 1.0.7",
    "synthetic": "network: scale-free with hubs, generated",
}


def regulatory(
    nodes: int = 20,
    samples: int = 500,
    network: str = "ecoli",
    biological_noise: float = 0.1,
    measurement_noise: float = 0.1,
    folder: str | Path | None = None,
    random_state: int = 0,
) -> Dataset:
    """Simulate gene expression on a connected part of a regulatory network.

    Parameters
    ----------
    nodes, samples : int
        Genes and rows; SynTReN's sets have 20 and 500.
    network : {"ecoli", "synthetic"}
        E. coli's, read from the package avici (or `folder`), or a generated one that needs nothing.
    biological_noise, measurement_noise : float
        Standard deviations of the logarithms of the two noises.
    folder : str, Path or None
        Where the file of the network is, if not in the package; None looks in DAGSCALE_DATA too.
    random_state : int
        Seed of the sub-network, the kinetics and the noise.
    """
    nodes, samples = whole(nodes, "nodes", 2), whole(samples, "samples", 2)
    biological = at_least(biological_noise, "biological_noise", 0)
    measured = at_least(measurement_noise, "measurement_noise", 0)
    one_of(network, NETWORKS, "network")
    seed = np.random.SeedSequence(whole(random_state, "random_state", 0))
    part_seed, gene_seed, column_seed = seed.spawn(3)
    rng = np.random.default_rng(part_seed)
    regulation = ecoli(folder) if network == "ecoli" else synthetic(rng)
    genes = connected_part(regulation, nodes, rng)
    links = without_feedback(regulation, genes, rng)
    signs = np.zeros((nodes, nodes), dtype=np.int8)
    adjacency = np.zeros((nodes, nodes), dtype=bool)
    for (a, b), sign in links.items():
        adjacency[a, b] = True
        signs[a, b] = sign or rng.choice([-1, 1])  # a regulator that does both does one of them here
    X = _expression(adjacency, signs, samples, biological, measured, gene_seed)
    order = np.random.default_rng(column_seed).permutation(nodes)
    names = [regulation.genes[genes[j]] for j in order]
    return Dataset(
        pd.DataFrame(X[:, order], columns=names),
        adjacency[np.ix_(order, order)],
        names,
        f"Simulated expression of {nodes} genes ({network} network, feedback removed): Michaelis-Menten and "
        "Hill kinetics, activators and inhibitors, biological and measurement noise",
        SOURCES[network],
    )


def _expression(
    adjacency: BoolArray,
    signs: Any,
    n: int,
    biological: float,
    measurement: float,
    seed: np.random.SeedSequence,
) -> FloatArray:
    d = len(adjacency)
    activity = np.zeros((n, d))
    X = np.zeros((n, d))
    rngs = [np.random.default_rng(child) for child in seed.spawn(d)]
    for j in topological_order(adjacency):
        rng, parents = rngs[j], np.flatnonzero(adjacency[:, j])
        rate = _rate(activity[:, parents], signs[parents, j], rng) if len(parents) else rng.uniform(0, 1, n)
        activity[:, j] = (LEAK + (1 - LEAK) * rate) * np.exp(rng.normal(0, biological, n))
        full_scale = 10 ** rng.uniform(
            2, 4
        )  # copies of the transcript at the full rate, as in SynTReN's tables
        X[:, j] = full_scale * activity[:, j] * np.exp(rng.normal(0, measurement, n))
    return X


def _rate(P: FloatArray, signs: Any, rng: np.random.Generator) -> FloatArray:
    """Return the transcription rate (n,) given the regulators' activities (n, p) and their signs (p,)."""
    p = P.shape[1]
    # half saturation somewhere inside the regulator's range: outside, the target would be constant
    half = np.array([np.quantile(P[:, i], rng.uniform(0.2, 0.8)) for i in range(p)])
    steepness = np.where(rng.random(p) < 0.5, 1.0, rng.uniform(2, 4, p))
    bound = 1 / (1 + (half / P) ** steepness)  # (n, p): share of the promoters that the regulator occupies
    activators, inhibitors = bound[:, signs > 0], bound[:, signs < 0]
    together = rng.random() < 0.5
    activated = activators.prod(axis=1) if together else 1 - (1 - activators).prod(axis=1)
    free: FloatArray = (1 - inhibitors).prod(axis=1)
    return free * activated if activators.shape[1] else free
