"""Ancestral sampling: every node after its parents, nodes of the same depth side by side."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dagscale.data.simulate.mechanisms import Mechanism, standardized
from dagscale.data.simulate.noise import Noise, Variance, variance_of
from dagscale.graphs.dag import topological_order
from dagscale.runtime.parallel import parallel_map
from dagscale.runtime.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Model:
    """What turns a graph into data.

    Attributes
    ----------
    mechanism, noise : callables
        As in `mechanisms.MECHANISMS` and `noise.NOISES`.
    noise_variance : float, (low, high) or "grandag"
        See `noise.variance_of`.
    length_scale : float
        Passed to the mechanism.
    internally_standardized : bool
        Standardise each node before its children see it (iSCM).
    """

    mechanism: Mechanism
    noise: Noise
    noise_variance: Variance = 1.0
    length_scale: float = 1.0
    internally_standardized: bool = False


def sample(
    adjacency: BoolArray, n: int, model: Model, seed: np.random.SeedSequence, n_jobs: int | None = None
) -> FloatArray:
    """Draw n rows of x_j = f_j(parents) + e_j.

    Each node has a seed of its own, so the table does not depend on `n_jobs`. iSCM (Ormaniec et al. 2025)
    standardises with the moments of the sample.
    """
    X = np.zeros((n, len(adjacency)), order="F")
    seeds = seed.spawn(len(adjacency))

    def node(j: int) -> FloatArray:
        return _node(X[:, adjacency[:, j]], model, np.random.default_rng(seeds[j]))

    for level in levels(adjacency):
        for j, column in zip(level, parallel_map(node, level, n_jobs, local=True), strict=True):
            X[:, j] = column
    return X


def levels(adjacency: BoolArray) -> Iterator[IntArray]:
    """Yield the nodes grouped by the length of the longest path that leads to them."""
    depth = np.zeros(len(adjacency), dtype=np.intp)
    for v in topological_order(adjacency):
        depth[adjacency[v]] = np.maximum(depth[adjacency[v]], depth[v] + 1)
    for level in range(depth.max(initial=-1) + 1):
        yield np.flatnonzero(depth == level)


def _node(P: FloatArray, model: Model, rng: np.random.Generator) -> FloatArray:
    is_root = P.shape[1] == 0
    spread = np.sqrt(variance_of(is_root, model.noise_variance, rng))
    x = spread * model.noise(P, rng)
    if not is_root:
        x = x + model.mechanism(P, rng, model.length_scale)
    return standardized(x) if model.internally_standardized else x
