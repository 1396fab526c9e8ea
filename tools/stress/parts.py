"""The parts of the suite: what is tried, and how often."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from stress import budgets, memory, versions
from stress.fuzz import fuzzed
from stress.invariances import invariant
from stress.judge import Outcome
from stress.mixed import mixed
from stress.runs import SIZES, full_disk, kills, pairs


@dataclass(frozen=True)
class Part:
    """One thing that is tried.

    Attributes
    ----------
    attempt : callable
        The outcomes of attempt number k.
    count : int
        Attempts.
    beside : bool
        Whether attempts may run side by side: their time and memory do not count.
    """

    attempt: Callable[[int], list[Outcome]]
    count: int
    beside: bool = False

    def outcomes(
        self, numbers: Iterable[int], n_jobs: int | None = None
    ) -> Iterator[tuple[int, list[Outcome]]]:
        """Try these numbers, on all cores where attempts may run side by side."""
        wanted = list(numbers)
        n_jobs = n_jobs or os.cpu_count()
        if not self.beside or n_jobs == 1 or len(wanted) == 1:
            yield from ((k, self.attempt(k)) for k in wanted)
            return
        with ProcessPoolExecutor(n_jobs, multiprocessing.get_context("spawn")) as pool:
            yield from zip(wanted, pool.map(self.attempt, wanted), strict=True)


PARTS = {
    "tables": Part(fuzzed, 2000, beside=True),
    "mixed": Part(mixed, 1000, beside=True),
    "kills": Part(kills, 50, beside=True),
    "pairs": Part(pairs, 50, beside=True),
    "disk": Part(full_disk, len(SIZES)),
    "budgets": Part(budgets.kept, 2 * len(budgets.TABLES)),
    "memory": Part(memory.memory, len(memory.CASES)),
    "invariances": Part(invariant, 20, beside=True),
    "versions": Part(versions.tested, len(versions.WHICH)),
}
