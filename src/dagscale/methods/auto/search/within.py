"""A likelihood that looks at the clock: between a few items and the next, it gives up when the deadline has passed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dagscale.models.gain import Item, Likelihood
from dagscale.runtime.clock import BudgetSpent, late
from dagscale.runtime.types import FloatArray

AT_ONCE = 64  # items between two looks at the clock
FEW = 8  # where children may have levels, whose fits take longer


class Within:
    """The same likelihood until a deadline; then it raises `BudgetSpent`. What it has found before is kept.

    Without a deadline all items are asked for at once.

    Parameters
    ----------
    gain : Likelihood
    deadline : float
        As `time.monotonic()` has it.
    """

    def __init__(self, gain: Likelihood, deadline: float) -> None:
        self.gain, self.deadline = gain, deadline
        few = FEW if getattr(getattr(gain, "scale", None), "kinds", ()) else AT_ONCE
        self.step = few if np.isfinite(deadline) else None

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        items, step = list(items), self.step or max(len(items), 1)
        nats = np.empty(len(items))
        for first in range(0, len(items), step):
            if late(self.deadline):
                raise BudgetSpent
            nats[first : first + step] = self.gain(items[first : first + step])
        return nats

    def __getattr__(self, name: str) -> Any:
        """Return what the likelihood itself has."""
        return getattr(self.gain, name)
