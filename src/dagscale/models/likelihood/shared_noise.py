"""Two columns with a hidden cause in common: the noise of the one tells of the other.

If h acts on i and j, which have no edge between them, then j depends on the *noise* of i, x_i less what i's own parents
tell, and not on x_i itself: what moves i through its parents does not move j. So

    log p(x_i, x_j | parents) = log p(x_i | parents_i) + log p(x_j | parents_j, noise of i),

and the noise of i is one more parent of j, a column that the table does not have. The two may change places.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dagscale.models.gain import Item
from dagscale.models.likelihood.rows_gain import RowsGain
from dagscale.models.likelihood.spline_gain import Told
from dagscale.runtime.types import FloatArray

Owned = Mapping[int, tuple[int, ...]]  # children with the numbers of the noises that tell of them


class SharedNoise:
    """A likelihood whose children may have noises among their parents. All else is the likelihood's own.

    Parameters
    ----------
    gain : SplineGain or JointGain
        Of the table.
    extended : SplineGain or JointGain
        Of the table with the noises behind its columns.
    owned : mapping of child to numbers of noises
    """

    def __init__(self, gain: Any, extended: Any, owned: Owned) -> None:
        self.gain, self.extended, self.owned, self.scale = gain, extended, owned, gain.scale
        self.d = len(gain.scale.levels)
        self.told: dict[Item, Told] = _Told(self)

    @classmethod
    def beside(cls, gain: Any, values: FloatArray) -> "SharedNoise":
        """Put noises (n, k) beside a likelihood, behind those it has; no child owns a new one yet."""
        plain = gain.gain if isinstance(gain, SharedNoise) else gain
        before = gain.extended.scale.parents[:, gain.d :] if isinstance(gain, SharedNoise) else values[:, :0]
        extended = plain.on(plain.scale.with_parents(np.hstack([before, values])))
        return cls(plain, extended, gain.owned if isinstance(gain, SharedNoise) else {})

    def giving(self, owned: Owned) -> "SharedNoise":
        """Return the same with further noises given to children."""
        both = {j: (*self.owned.get(j, ()), *owned.get(j, ())) for j in {*self.owned, *owned}}
        return SharedNoise(self.gain, self.extended, both)

    @property
    def noises(self) -> int:
        """How many noises there are."""
        return len(self.extended.scale.levels) - self.d

    def __call__(self, items: Sequence[Item]) -> FloatArray:
        """Return the nats of each item."""
        shared = np.array([j in self.owned for j, _ in items], dtype=bool)
        nats = np.empty(len(items))
        for gain, which in ((self.gain, ~shared), (self.extended, shared)):
            some = np.flatnonzero(which).tolist()
            nats[some] = gain([self.whole(items[k]) for k in some])
        return nats

    def whole(self, item: Item) -> Item:
        """Return an item with its noises among the parents."""
        return item[0], (*item[1], *(self.d + k for k in self.owned.get(item[0], ())))

    def of(self, item: Item) -> Any:
        """Return the likelihood that knows an item."""
        return self.extended if item[0] in self.owned else self.gain

    def noise(self, item: Item) -> FloatArray:
        """Noise of an item over its spread (n,)."""
        return np.asarray(self.of(item).noise(self.whole(item)))

    def noise_and_spread(self, item: Item) -> tuple[FloatArray, FloatArray]:
        """Noise of an item over its spread, and the logarithm of that spread (n,) each."""
        noise, log_spread = self.of(item).noise_and_spread(self.whole(item))
        return noise, log_spread

    def log_probability(self, item: Item) -> FloatArray:
        """Log probability of a child of few values, row by row (n,), up to a constant of the child's."""
        return np.asarray(self.of(item).log_probability(self.whole(item)))

    def __getattr__(self, name: str) -> Any:
        """Return what the likelihood itself has."""
        return getattr(self.gain, name)


class _Told(dict[Item, Told]):
    """What was found of items, looked up where it was found; numbers of parents are those of the table's columns."""

    def __init__(self, gain: SharedNoise) -> None:
        super().__init__()
        self.gain = gain

    def __missing__(self, item: Item) -> Told:
        told: Told = self.gain.of(item).told[self.gain.whole(item)]
        return replace(told, idle=told.idle[: len(item[1])])


def beside_noises(gain: Any, values: FloatArray) -> Any:
    """Put noises (n, k) beside a likelihood, be it one of all rows or one of every child's."""
    if not isinstance(gain, RowsGain):
        return SharedNoise.beside(gain, values)
    parts = zip(gain.parts, gain.scale.rows, strict=True)
    return RowsGain([SharedNoise.beside(part, values[rows]) for part, rows in parts], gain.scale)


def giving(gain: Any, owned: Owned) -> Any:
    """Give noises that stand beside a likelihood to children; numbers count from the first that was put there."""
    if not isinstance(gain, RowsGain):
        return gain.giving(owned)
    return RowsGain([part.giving(owned) for part in gain.parts], gain.scale)


def noises_beside(gain: Any) -> int:
    """How many noises stand beside a likelihood."""
    one = gain.parts[0] if isinstance(gain, RowsGain) else gain
    return one.noises if isinstance(one, SharedNoise) else 0
