"""What every method is told about this run besides X and its own settings."""

from dataclasses import dataclass, field

import numpy as np

from dagscale.inputs.conditions import Conditions
from dagscale.inputs.knowledge import Constraints
from dagscale.runtime.clock import late
from dagscale.runtime.progress import Progress, silent
from dagscale.runtime.resume import FORGETFUL, Memory
from dagscale.runtime.types import IntArray


@dataclass(frozen=True)
class Context:
    """The conditions of one discovery.

    Attributes
    ----------
    constraints : Constraints
        The user's knowledge as arrays.
    n_jobs : int or None
        As in joblib; None is the active `joblib.parallel_config`, else all cores.
    device : str
        "cpu", "cuda" or any torch device.
    seed : int
        The run's random seed; `rng()` starts a generator from it.
    progress : callable
        Called with (label, done, total).
    effort : str
        "quick" or "full", for methods that can trade accuracy for time.
    deadline : float
        `time.monotonic()` value after which a method should return the best it has.
    memory : Memory
        Keeps finished pieces, so that an interrupted run can go on.
    kinds : tuple of d str
        The columns' kinds, as in `Table`; () where all are continuous.
    conditions : Conditions or None
        What was done to the rows.
    units : (n, k) int array or None
        What each row is a measurement of, as in `Table`.
    """

    constraints: Constraints
    n_jobs: int | None = None
    device: str = "cpu"
    seed: int = 0
    progress: Progress = field(default=silent)
    effort: str = "full"
    deadline: float = float("inf")
    memory: Memory = FORGETFUL
    kinds: tuple[str, ...] = ()
    conditions: Conditions | None = None
    units: IntArray | None = None

    def rng(self) -> np.random.Generator:
        """Start a fresh generator; the same run always draws the same numbers."""
        return np.random.default_rng(self.seed)

    def out_of_time(self) -> bool:
        """Say whether the time budget is spent, or the user pressed Ctrl-C."""
        return late(self.deadline)
