"""The order by leaves of least Jacobian dispersion: SCORE's, shared with DAS.

A node is a leaf if and only if its diagonal entry of the score's Jacobian is constant
(Eq. (6)-(7) of the paper, Lemma 1 of Rolland et al. 2022): the node whose entry varies least is
taken off, and the Jacobian is estimated again on what remains.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from dagscale.runtime.arrays import array_namespace, to_numpy
from dagscale.runtime.errors import InputError
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import Array, BoolArray, FloatArray, IntArray
from dagscale.stages.jacobian.stein import Stein, fit
from dagscale.stages.ordering.ties import content_rank, first_least

Criterion = Callable[[Array], Array]


class Step(NamedTuple):
    """One leaf found: its column in X, the columns that remained (it among them), the estimate on those."""

    leaf: int
    remaining: IntArray
    stein: Stein

    @property
    def position(self) -> int:
        """Where the leaf stands among the remaining columns."""
        return int(np.flatnonzero(self.remaining == self.leaf)[0])


def variance(H: Array) -> Array:
    """Variance over the rows: the paper's criterion."""
    return array_namespace(H).var(H, axis=0)


def absolute_deviation(H: Array) -> Array:
    """Mean distance to the median: less moved by the few rows where H is estimated badly."""
    return array_namespace(H).mean(abs(H - _column_medians(H)), axis=0)


def median_deviation(H: Array) -> Array:
    """Median distance to the median (MAD)."""
    return _column_medians(abs(H - _column_medians(H)))[0]


def relative_variance(H: Array) -> Array:
    """Variance of H / mean H: unlike the others, a column's units do not count."""
    xp = array_namespace(H)
    return xp.var(H, axis=0) / xp.mean(H, axis=0) ** 2


CRITERIA: dict[str, Criterion] = {
    "variance": variance,
    "median": absolute_deviation,
    "mad": median_deviation,
    "scale-free": relative_variance,
}


def peel(
    X: FloatArray,
    before: BoolArray | None = None,
    *,
    eta: float = 0.001,
    criterion: str = "variance",
    device: str = "cpu",
    n_jobs: int | None = None,
    memory: Memory = FORGETFUL,
) -> Iterator[Step]:
    """Take leaves off, one by one, down to the last source.

    Parameters
    ----------
    X : (n, d) array
        Rows are samples.
    before : (d, d) bool array, optional
        [i, j]: i must precede j, so that i cannot be taken off while j remains.
    eta : float
        Ridge of the Stein kernel.
    criterion : str
        Which dispersion of the Jacobian's diagonal is least at a leaf; a name in `CRITERIA`.
    device, n_jobs
        See `dagscale.stages.jacobian.stein.fit`.
    memory : Memory
        Keeps the leaves found.

    Yields
    ------
    Step
        (leaf, remaining, stein); `stein` can be asked until the next step is asked for.
    """
    if criterion not in CRITERIA:
        raise InputError(f"criterion={criterion!r} is not one of {', '.join(map(repr, CRITERIA))}")
    d = X.shape[1]
    before = np.zeros((d, d), dtype=bool) if before is None else before
    successors = before.sum(axis=1)  # of every column, among those that remain
    remaining, rank = np.arange(d), content_rank(X)
    stein = fit(X, eta, device, n_jobs)
    memory = memory.within("leaves", X, before, eta, criterion, device)
    while True:
        stein.settle()
        eligible = successors[remaining] == 0
        choose = partial(_least_dispersed, stein, eligible, CRITERIA[criterion], rank[remaining])
        position = memory.once("leaf", choose, remaining)
        leaf = int(remaining[position])
        yield Step(leaf, remaining, stein)
        successors -= before[:, leaf]
        remaining = np.delete(remaining, position)
        if len(remaining) == 0:
            return
        stein = stein.drop(position)


def leaf_order(
    X: FloatArray,
    before: BoolArray | None = None,
    *,
    eta: float = 0.001,
    criterion: str = "variance",
    device: str = "cpu",
    n_jobs: int | None = None,
    progress: Progress = silent,
    memory: Memory = FORGETFUL,
) -> IntArray:
    """Return SCORE's order of the columns, sources first; see `peel` for the parameters."""
    leaves: list[int] = []
    steps = peel(X, before, eta=eta, criterion=criterion, device=device, n_jobs=n_jobs, memory=memory)
    for step in steps:
        leaves.append(step.leaf)
        progress("ordering", len(leaves), X.shape[1])
    return np.array(leaves[::-1], dtype=np.intp)


def _least_dispersed(stein: Stein, eligible: BoolArray, criterion: Criterion, rank: IntArray) -> int:
    choices = np.flatnonzero(eligible)
    if len(choices) == 1:  # nothing to choose: nothing is estimated
        return int(choices[0])
    dispersion = to_numpy(criterion(stein.diagonal))
    return int(choices[first_least(dispersion[choices], rank[choices])])


def _column_medians(H: Array) -> Array:
    """Medians over the rows, (1, d), on any device."""
    ranked = array_namespace(H).sort(H, axis=0)
    n = len(H)
    return ((ranked[(n - 1) // 2] + ranked[n // 2]) / 2)[None, :]
