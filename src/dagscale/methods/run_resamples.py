"""Run a method on many resamples of a table, in processes, with the same answer for any number of them."""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscale.inputs.knowledge import Constraints
from dagscale.inputs.standardize import standardized
from dagscale.inputs.table import Table
from dagscale.methods.context import Context
from dagscale.runtime.errors import InputError, shown
from dagscale.runtime.progress import Progress
from dagscale.runtime.resume import Memory
from dagscale.runtime.types import BoolArray, FloatArray, IntArray
from dagscale.runtime.workers import one_blas_thread

REDRAWS = 100  # times rows are drawn anew because a column came out constant

Seed = np.random.SeedSequence
Drawn = tuple[BoolArray, IntArray]  # adjacency and order


@dataclass(frozen=True)
class Job:
    """What every replicate does; travels to the workers.

    Attributes
    ----------
    function, settings
        The method, `function(X, context, **settings) -> Answer`.
    standardize : bool
        Bring the drawn columns to mean 0 and variance 1.
    constraints : Constraints
    names : sequence of names
    share : float or None
        Share of the rows drawn without replacement; None draws as many as there are with replacement.
    pairs : bool
        Two disjoint samples of that share at a time.
    device, effort, time_budget
        As in `discover`.
    """

    function: Callable[..., Any]
    settings: dict[str, Any]
    standardize: bool
    constraints: Constraints
    names: Sequence[Hashable]
    share: float | None
    pairs: bool
    device: str
    effort: str
    time_budget: float | None

    def rows(self, X: FloatArray, seed: Seed, half: int) -> IntArray:
        """Draw a replicate's rows, anew where a column comes out constant (a rare value lost)."""
        rng = np.random.default_rng(seed)
        for _ in range(REDRAWS):
            samples = self._draw(rng, len(X))
            flat = np.array([X[rows].min(axis=0) == X[rows].max(axis=0) for rows in samples])
            if not flat.any():
                return samples[half]
        rare = self.names[int(np.flatnonzero(flat.any(axis=0))[0])]
        raise InputError(f"column {shown(rare)} is constant in most resamples: leave it out with drop=")

    def _draw(self, rng: np.random.Generator, n: int) -> list[IntArray]:
        if self.share is None:
            return [rng.integers(n, size=n)]
        size, shuffled = int(self.share * n), rng.permutation(n)
        return [shuffled[:size], shuffled[size : 2 * size]] if self.pairs else [shuffled[:size]]


def replicate(job: Job, data: Table, rows_seed: Seed, own_seed: Seed, half: int) -> Drawn:
    """Run the method on one resample of a table."""
    drawn = data.take(job.rows(data.X, rows_seed, half))
    sample = standardized(drawn.X, drawn.kinds) if job.standardize else drawn.X
    seed = int(own_seed.generate_state(1)[0])
    deadline = float("inf") if job.time_budget is None else time.monotonic() + job.time_budget
    with one_blas_thread():
        context = Context(
            job.constraints,
            1,
            job.device,
            seed,
            effort=job.effort,
            deadline=deadline,
            kinds=drawn.kinds,
            conditions=drawn.conditions,
            units=drawn.units,
        )
        found = job.function(sample, context, **job.settings)
    return np.asarray(found.adjacency, dtype=bool), np.asarray(found.order, dtype=np.intp)


def run_all(
    job: Job, data: Table, seed: int, count: int, n_jobs: int | None, report: Progress, memory: Memory
) -> list[Drawn]:
    """Run `count` replicates; the two of a pair draw their rows from one seed.

    Processes, not threads: much of the work holds the interpreter's lock. What a replicate draws does not
    depend on how many there are, so that more of them go on from fewer.
    """
    seeds = np.random.SeedSequence(seed).spawn(2 * count)  # for the rows, and for the method
    tasks = [
        (seeds[2 * (k - k % 2)], seeds[2 * k + 1], k % 2)
        if job.pairs
        else (seeds[2 * k], seeds[2 * k + 1], 0)
        for k in range(count)
    ]

    def one(k: int) -> Drawn:
        return replicate(job, data, *tasks[k])

    report("bootstrap", 0, count)
    return memory.map(
        "replicate", one, range(count), n_jobs, done=lambda k: report("bootstrap", k, count), processes=True
    )
