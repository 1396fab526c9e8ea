"""Pairs of one cause and one effect: the share of right directions, and how it grows with certainty.

A pair without an arrow counts half, as a coin would. The decision-rate curve is the accuracy among the pairs that a
method is most certain of, against their share; the area under it (Immer et al., ICML 2023) is the mean of those
accuracies. Pairs of equal certainty are decided together, so a method that is equally sure of everything has its
accuracy for an area. All is weighted as the collection asks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagscale.benchmark.rows import Answer
from dagscale.runtime.types import BoolArray


@dataclass(frozen=True)
class Decision:
    """What was said of one pair: right (1), wrong (0) or nothing (½), how certainly, and what the pair counts."""

    right: float
    certainty: float
    weight: float

    @classmethod
    def of(cls, metrics: Mapping[str, Any]) -> "Decision":
        """Read the decision that a run recorded."""
        return cls(*(float(metrics[name]) for name in ("right", "certainty", "weight")))


def decision(truth: BoolArray, found: Answer, weight: float = 1.0) -> Decision:
    """Return the decision on a pair; certainty is the probability of the arrow's direction, 0 without an arrow."""
    arrow = found.adjacency & ~found.adjacency.T
    if not arrow.any():
        return Decision(0.5, 0.0, weight)
    P = arrow.astype(np.float64) if found.probabilities is None else found.probabilities
    certainty = float(P[arrow].sum() / max(P.sum(), 1e-300))
    return Decision(float((arrow & truth).any()), round(certainty, 6), weight)


def accuracy(decisions: Sequence[Decision]) -> float:
    """Return the weighted share of right directions."""
    return sum(d.weight * d.right for d in decisions) / sum(d.weight for d in decisions)


def decision_area(decisions: Sequence[Decision]) -> float:
    """Return the weighted area under the decision-rate curve."""
    decided = right = area = 0.0
    for level in sorted({d.certainty for d in decisions}, reverse=True):
        group = [d for d in decisions if d.certainty == level]
        share = accuracy(group)  # members of a group are interchangeable: each is as right as the group
        for weight in sorted(d.weight for d in group):
            decided, right = decided + weight, right + weight * share
            area += weight * right / decided
    return area / decided


POOLED: dict[str, Callable[[Sequence[Decision]], float]] = {
    "accuracy": accuracy,
    "decision_area": decision_area,
}
