"""The row `one-hot-cam`: what users do without kinds, a column of zeros and ones for every level, then CAM."""

import numpy as np

from dagscale.inputs.kinds import CATEGORICAL
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.context import Context
from dagscale.runtime.types import BoolArray, FloatArray

ONE_HOT = "one-hot-cam"


def one_hot(X: FloatArray, kinds: tuple[str, ...]) -> tuple[FloatArray, BoolArray]:
    """Give every level of a category but the first its own column; (n, D), and which are whose (d, D)."""
    columns, owner = [], []
    for i, x in enumerate(X.T):
        levels = np.unique(x)[1:] if kinds and kinds[i] == CATEGORICAL else None
        made = [x] if levels is None else [(x == level).astype(np.float64) for level in levels]
        columns += made
        owner += [i] * len(made)
    return np.column_stack(columns), np.array(owner) == np.arange(X.shape[1])[:, None]


def one_hot_cam(X: FloatArray, kinds: tuple[str, ...], seed: int, n_jobs: int) -> BoolArray:
    """Run CAM on the columns of the levels; two columns are joined where any of theirs are, both ways if so."""
    from dagscale.methods.registry import METHODS

    Z, own = one_hot(X, kinds)
    apart = ~(own.T.astype(int) @ own.astype(int)).astype(bool)  # levels of one column are no edges
    none = np.zeros_like(apart)
    context = Context(Constraints(apart, none, none.copy()), n_jobs, seed=seed)
    found = METHODS["cam"].function((Z - Z.mean(axis=0)) / Z.std(axis=0), context).adjacency
    joined: BoolArray = (own.astype(int) @ found.astype(int) @ own.T.astype(int)) > 0
    return joined
