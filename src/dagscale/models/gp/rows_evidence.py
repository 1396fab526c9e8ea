"""The evidence of a table in some of whose rows columns were set: every child on the rows that tell of it."""

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

import numpy as np

from dagscale.models.gp.evidence import Evidence, Fit, item_of
from dagscale.models.gp.fitting import Plan
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
        return self._each(items, lambda part, own: part.fits(own))

    def screen(self, items: Items, rows: int | None = None) -> FloatArray:
        """Return how surprising each column would be as one more parent, (items, d), in nats."""
        return np.array(self._each(items, lambda part, own: part.screen(own, rows))).reshape(
            -1, self.columns.d
        )

    def lost_without(self, items: Items) -> list[FloatArray]:
        """Return for every item the evidence lost when each parent in turn is switched off."""
        return self._each(items, lambda part, own: part.lost_without(own))

    def by_splines(self, items: Items) -> FloatArray:
        """Return the evidence of items by additive splines alone."""
        return np.array(self._each(items, lambda part, own: part.by_splines(own)))

    def slopes(self, node: int, parents: Iterable[int]) -> FloatArray:
        """Return the evidence gained per unit of each column's weight at 0."""
        found: FloatArray = self.parts[self.part_of[node]].slopes(node, parents)
        return found

    def with_plan(self, plan: Plan) -> "RowsEvidence":
        """Return the evidence of the same table by another plan."""
        return self._of_parts([part.with_plan(plan) for part in self.parts], plan=plan)

    def with_splines(self) -> "RowsEvidence":
        """Return the evidence of the same table by the better of two models."""
        return self._of_parts([part.with_splines() for part in self.parts], splined=True)

    def with_prior(self, items: Items) -> "RowsEvidence":
        """Return the evidence of the same table, length scales like those of `items` being the likelier ones."""
        fitted = [found for found in self.fits(items) if len(found.errors)]
        prior = Prior.learnt([found.theta for found in fitted], [found.errors for found in fitted])
        return self._of_parts([part.given_prior(prior) for part in self.parts], prior=prior)

    def _of_parts(self, parts: list[Evidence], **changes: Any) -> "RowsEvidence":
        other = copy(self)
        other.__dict__.update(changes, parts=parts)
        return other

    def _each(self, items: Items, ask: Callable[[Evidence, list[Any]], Iterable[Any]]) -> list[Any]:
        keys = [item_of(node, parents) for node, parents in items]
        which = self.part_of[[node for node, _ in keys]] if keys else np.zeros(0, dtype=np.intp)
        found: list[Any] = [None] * len(keys)
        for k in np.unique(which):
            own = np.flatnonzero(which == k)
            for place, value in zip(own, ask(self.parts[k], [keys[p] for p in own]), strict=True):
                found[place] = value
        return found


def evidence_of(X: FloatArray, left_out: BoolArray | None, **settings: Any) -> Evidence:
    """Return the evidence of a table, of every child on its own rows where cells are left out."""
    return Evidence(X, **settings) if left_out is None else RowsEvidence(X, left_out, **settings)
