"""Small simulated tables for judging certainty: clean ones, and ones made to look like measured tables.

Clean: every kind of the suite `violations`, standardised. As measured: some kinds, with columns left out that have
many children, measurement error, exponential or saturating scales, and rounding, every other four seeds half of that.
There an edge is right if it is one, or a path through columns that were left out; a direction is right if the
cause is an ancestor of the effect in the whole graph; and a link of two columns of which neither is an ancestor of the
other is false.

Tangled: the same with most of the causes left out, and those that act on the most columns, so that nearly everything
that is left depends on everything else, as in the chemistry of wines.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.graphs.dag import descendants
from dagscale.runtime.types import BoolArray, FloatArray

MARK = "as measured: "  # begins the name of such a kind
TANGLED = "tangled: "  # and, behind that, of one whose columns share many hidden causes
SIZES = ((8, 2, 500), (10, 1, 300), (6, 2, 1000), (7, 1, 120))  # columns, edges a node, rows; by the seed
TANGLED_SIZES = ((10, 4, 1500), (7, 4, 600))
MESSY: dict[str, dict[str, Any]] = {
    "GP": {},
    "location-scale noise": {"noise": "location-scale"},
    "multiplicative noise": {"noise": "multiplicative"},
    "LiNGAM": {"linear": 1.0, "noise": "exponential"},
    "half linear, gamma noise": {"linear": 0.5, "noise": "gamma"},
    "post-nonlinear, cube": {"post_nonlinear": "cube"},
    "linear Gaussian": {"linear": 1.0},
    "sigmoids": {"mechanism": "sigmoid-additive"},
    "neural networks": {"mechanism": "mlp"},
}
MESSY_KINDS = (*MESSY, *(TANGLED + kind for kind in MESSY))


class Drawn(NamedTuple):
    """A table, the edges between its columns [parent, child], and which directions are right [cause, effect]."""

    table: pd.DataFrame
    edges: BoolArray
    right: BoolArray


def clean(kind: str, seed: int, size: tuple[int, int, int] | None = None) -> Drawn:
    """Draw a table of the suite `violations`, of `size` (columns, edges a node, rows) or one that the seed chooses."""
    d, k, n = size or SIZES[seed % len(SIZES)]
    options = dict(KINDS[kind])
    if "hidden" in options:  # hidden causes need pairs without an edge
        options["hidden"] = max(1, round(options["hidden"] * d / 20))
    made = dagscale.simulate(
        nodes=d, edges_per_node=k, samples=n, standardize=True, random_state=seed, **options
    )
    return Drawn(made.table, made.adjacency, made.adjacency)


def messy(kind: str, seed: int) -> Drawn:
    """Draw a table that looks like a measured one; the seed chooses its size, and whether it has half of the faults.

    Of a kind in `MESSY`, or of one that is tangled: `MESSY_KINDS`.
    """
    tangled, kind = kind.startswith(TANGLED), kind.removeprefix(TANGLED)
    sizes = TANGLED_SIZES if tangled else SIZES
    d, k, n = sizes[seed % len(sizes)]
    dose = 0.5 if seed // len(sizes) % 2 else 1.0
    rng, hidden = np.random.default_rng([seed, 7]), round(0.6 * d if tangled else dose * (d // 2 - 1))
    made = dagscale.simulate(
        nodes=d + hidden,
        edges_per_node=k,
        samples=n,
        standardize=kind != "multiplicative noise",
        random_state=seed,
        **MESSY[kind],
    )
    many = np.argsort(-(made.adjacency.sum(axis=1) + rng.random(d + hidden)))[
        : hidden if tangled else 2 * hidden
    ]
    kept = np.sort(np.setdiff1d(np.arange(d + hidden), rng.permutation(many)[:hidden]))
    table = made.table.iloc[:, kept].apply(lambda x: faulty(x.to_numpy(dtype=float), rng, dose))
    inner = np.ix_(kept, kept)
    return Drawn(table, past_hidden(made.adjacency, kept)[inner], descendants(made.adjacency)[inner])


def past_hidden(adjacency: BoolArray, kept: Any) -> BoolArray:
    """Return [i, j]: an edge, or a path of columns that are not kept, leads from i to j (d, d)."""
    found = adjacency.copy()
    for h in np.setdiff1d(np.arange(len(adjacency)), kept):
        found |= np.outer(found[:, h], found[h])
    return found


def faulty(x: FloatArray, rng: np.random.Generator, dose: float) -> FloatArray:
    """Add measurement error to half of the columns, bend a third, round half; positive ones stay positive."""
    deviation = x.std()
    if rng.random() < 0.5 * dose and x.min() <= 0:
        x = x + np.sqrt(rng.choice([0.02, 0.1, 0.3])) * deviation * rng.normal(size=len(x))
    bend = rng.random()
    if bend < 0.25 * dose:
        x = np.exp(0.7 * np.clip(x / deviation, -4.0, 4.0))
    elif bend < 0.35 * dose:
        x = np.tanh(x / deviation)
    if rng.random() < 0.5 * dose:
        low, high = np.quantile(x, [0.02, 0.98])
        x = np.round((x - low) / max(high - low, 1e-12) * rng.choice([8, 15, 30, 100]))
    return x
