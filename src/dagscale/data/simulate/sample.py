"""Ancestral sampling: every node after its parents, nodes of the same depth side by side."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dagscale.data.simulate.discrete import cut
from dagscale.data.simulate.interventions import set_values, shifted
from dagscale.data.simulate.mechanisms import Mechanism, linear, standardized
from dagscale.data.simulate.multiplicative import multiplied
from dagscale.data.simulate.noise import Noise, Variance, variance_of
from dagscale.data.simulate.post_nonlinear import Transform
from dagscale.data.simulate.serial import serially_dependent
from dagscale.data.simulate.spread import Spread, scaled
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
    spread : callable or None
        Multiplies the noise, as in `noise.SPREADS`.
    multiplicative : bool
        Make nodes by `multiplicative.multiplied` instead, without mechanism and noise.
    autoregressive : float
        Correlation of a node's noise with its noise in the row before.
    post_nonlinear : callable or None
        Applied to the standardised sum of mechanism and noise, as in `post_nonlinear.TRANSFORMS`.
    """

    mechanism: Mechanism
    noise: Noise
    noise_variance: Variance = 1.0
    length_scale: float = 1.0
    internally_standardized: bool = False
    spread: Spread | None = None
    multiplicative: bool = False
    autoregressive: float = 0.0
    post_nonlinear: Transform | None = None


@dataclass(frozen=True)
class Roles:
    """What is special about single nodes.

    Attributes
    ----------
    linear : (d,) bool array
        Their mechanism is linear.
    kinds : list of str
        d kinds, as in `discrete`.
    targets : (n, d) bool array
        True where the node is intervened on.
    reference : (n,) bool array
        The rows without an intervention.
    soft : bool
        Interventions change the mechanism instead of cutting it off.
    """

    linear: BoolArray
    kinds: list[str]
    targets: BoolArray
    reference: BoolArray
    soft: bool = False


def sample(
    adjacency: BoolArray,
    n: int,
    model: Model,
    seed: np.random.SeedSequence,
    n_jobs: int | None = None,
    roles: Roles | None = None,
) -> FloatArray:
    """Draw n rows of x_j = f_j(parents) + e_j.

    Each node has a seed of its own, so the table does not depend on `n_jobs`. iSCM (Ormaniec et al. 2025)
    standardises with the moments of the sample. Rows with interventions are drawn together with the others,
    so that every mechanism is one function of all rows.
    """
    X = np.zeros((n, len(adjacency)), order="F")
    seeds = seed.spawn(len(adjacency))

    def node(j: int) -> FloatArray:
        P = X[:, adjacency[:, j]]
        if roles is None:
            return _node(P, model, np.random.default_rng(seeds[j]))
        return _node_with_role(P, j, model, roles, seeds[j])

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
    sigma = np.sqrt(variance_of(is_root, model.noise_variance, rng))
    if model.multiplicative:
        return multiplied(P, sigma, model.autoregressive, rng)
    x = sigma * _noise(P, model, rng)
    if not is_root:
        x = x + model.mechanism(P, rng, model.length_scale)
        if model.post_nonlinear is not None:
            x = model.post_nonlinear(standardized(x))
    return standardized(x) if model.internally_standardized else x


def _noise(P: FloatArray, model: Model, rng: np.random.Generator) -> FloatArray:
    """Draw noise of variance 1; its spread multiplies what is already serially dependent."""
    e = serially_dependent(model.noise(P, rng), model.autoregressive)
    return e if model.spread is None else scaled(e, model.spread(P, rng))


def _node_with_role(
    P: FloatArray, j: int, model: Model, roles: Roles, seed: np.random.SeedSequence
) -> FloatArray:
    """Draw one node that may be linear, intervened on or discrete, in that order."""
    if roles.linear[j]:
        model = replace(model, mechanism=linear)
    x = _node(P, model, np.random.default_rng(seed))
    # generators of their own, so that an intervention does not change the other rows
    value_rng, cut_rng = (np.random.default_rng(child) for child in seed.spawn(2))
    rows = roles.targets[:, j]
    if rows.any():
        if roles.soft:
            values = shifted(_node(P, model, value_rng), x, model.multiplicative, roles.reference)
        else:
            values = set_values(x, model.multiplicative, roles.reference, value_rng)
        x = np.where(rows, values, x)
    return cut(x, roles.kinds[j], roles.reference, cut_rng)
