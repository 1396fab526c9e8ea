"""Hidden causes: sources of two observed columns each, left out of the table."""

import numpy as np

from dagscale.runtime.errors import InputError
from dagscale.runtime.types import BoolArray


def with_hidden(
    adjacency: BoolArray, hidden: int, rng: np.random.Generator
) -> tuple[BoolArray, BoolArray | None]:
    """Add hidden sources after the observed nodes, each with two children that no edge joins.

    Parameters
    ----------
    adjacency : (d, d) bool array
        [parent, child].
    hidden : int
        How many; every one has another pair of children.
    rng : numpy Generator

    Returns
    -------
    extended : (d + hidden, d + hidden) bool array
        [parent, child]; the observed nodes come first.
    confounded : (d, d) bool array or None
        Symmetric: the two share a hidden cause. None without hidden causes.
    """
    if hidden == 0:
        return adjacency, None
    d = len(adjacency)
    first, second = np.nonzero(np.triu(~(adjacency | adjacency.T), 1))
    if hidden > len(first):
        raise InputError(
            f"hidden={hidden}: only {len(first)} pairs of columns have no edge between them; "
            "use fewer hidden causes or fewer edges"
        )
    picked = rng.choice(len(first), hidden, replace=False)
    a, b = first[picked], second[picked]
    confounded = np.zeros((d, d), dtype=bool)
    confounded[a, b] = confounded[b, a] = True
    extended = np.zeros((d + hidden, d + hidden), dtype=bool)
    extended[:d, :d] = adjacency
    sources = d + np.arange(hidden)
    extended[sources, a] = extended[sources, b] = True
    return extended, confounded
