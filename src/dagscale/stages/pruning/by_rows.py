"""Additive pruning where columns were set in some rows: every child is tested on the rows that tell of it."""

import numpy as np

from dagscale.graphs.dag import with_edges
from dagscale.graphs.pair_values import Numbers, pair_values, pairs_with_numbers
from dagscale.models.splines import SplineTable
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.pruning import additive


def prune_by_rows(
    X: FloatArray,
    mask: BoolArray,
    left_out: BoolArray,
    alpha: float,
    required: BoolArray,
    n_jobs: int | None = None,
    progress: Progress = silent,
    memory: Memory = FORGETFUL,
    kinds: tuple[str, ...] = (),
) -> tuple[BoolArray, Numbers]:
    """Keep the candidate edges whose smooth effect is significant on the child's own rows; see `additive.prune`.

    Parameters
    ----------
    left_out : (n, d) bool array
        Cells that tell nothing of their column's mechanism.
    """
    sets, part_of = np.unique(left_out.T, axis=0, return_inverse=True)
    adjacency, found = required.copy(), []
    for k, one in enumerate(sets):
        own = part_of.reshape(-1) == k
        some, certain = mask & own, required & own
        if not (some | certain).any():
            continue
        rows = np.ascontiguousarray(X[~one])
        table = SplineTable.of(rows, n_jobs=n_jobs, only=with_edges(some | certain), kinds=kinds)
        kept, p_values = additive.prune(
            rows, some, alpha, certain, n_jobs, progress, splines=table, memory=memory.within("rows", k)
        )
        adjacency |= kept
        found.append(pairs_with_numbers(p_values))
    none = (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))
    parents, children, numbers = (np.concatenate(parts) for parts in zip(none, *found, strict=True))
    return adjacency, pair_values(len(mask), parents, children, numbers)
