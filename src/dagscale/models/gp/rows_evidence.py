"""The evidence of a table in some of whose rows columns were set: every child on the rows that tell of it."""

from collections.abc import Iterable
from copy import copy
from typing import Any

import numpy as np

from dagscale.models.gain import Item
from dagscale.models.gp.evidence import Evidence, Fit, item_of
from dagscale.models.gp.prior import Prior
from dagscale.runtime.types import BoolArray, FloatArray

Items = Iterable[tuple[int, Iterable[int]]]


class RowsEvidence(Evidence):
    """One `Evidence` on each distinct set of rows; an item is asked of its child's.

    It is itself the evidence of all rows where no child is asked about: `columns` are those of the whole table.

    Parameters
    ----------
    X : (n, d) array
    left_out : (n, d) bool array
        Cells that tell nothing of their column's mechanism.
    **settings
        As of `Evidence`.
    """

    def __init__(self, X: FloatArray, left_out: BoolArray, **settings: Any) -> None:
        super().__init__(X, **settings)
        sets, part_of = np.unique(left_out.T, axis=0, return_inverse=True)
        self.part_of = part_of.reshape(-1)
        self.parts: list[Evidence] = [Evidence(X[~one], **settings) for one in sets]

    def fits(self, items: Items) -> list[Fit]:
        """Return the fitted process of every item."""
        keys = [item_of(node, parents) for node, parents in items]
        which = self.part_of[[node for node, _ in keys]] if keys else np.zeros(0, dtype=np.intp)
        found: dict[Item, Fit] = {}
        for k in np.unique(which):
            own = [keys[place] for place in np.flatnonzero(which == k)]
            found.update(zip(own, self.parts[k].fits(own), strict=True))
        return [found[key] for key in keys]

    def given_prior(self, prior: Prior | None) -> "RowsEvidence":
        """Return the evidence of the same table under a prior learnt elsewhere."""
        other = copy(self)
        other.__dict__.update(parts=[part.given_prior(prior) for part in self.parts], prior=prior)
        return other


def evidence_of(X: FloatArray, left_out: BoolArray | None, **settings: Any) -> Evidence:
    """Return the evidence of a table, of every child on its own rows where cells are left out."""
    return Evidence(X, **settings) if left_out is None else RowsEvidence(X, left_out, **settings)
