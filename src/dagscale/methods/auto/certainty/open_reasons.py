"""Which rule left a direction open: the first after which it no longer has the probability that a claim needs.

Rules that tell nothing of a direction whatever its nats are (formulas, repeated rows, turned colliders, few values, a
link that is no more likely true than false) are named first. The others lower the nats one after another, or what nats
are worth.
"""

from typing import TYPE_CHECKING

import numpy as np

from dagscale.methods.auto.certainty.probabilities import (
    CLAIMED,
    LINKED,
    PairEvidence,
    features_of,
    links,
    share_of,
)
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import OpenReason

if TYPE_CHECKING:
    from dagscale.methods.auto.hidden.levels import Levels


def open_reasons(
    seen: PairEvidence, either_way: BoolArray, levels: "Levels | None" = None
) -> dict[tuple[int, int], OpenReason]:
    """Return the reason of every edge (parent, child) of the graph that is marked in `either_way` (d, d)."""
    if seen.rules is None or not (seen.graph & either_way).any():
        return {}
    reasons = dict[int, OpenReason]()
    shapeless = np.broadcast_to(seen.shapeless, seen.graph.shape)[seen.graph]
    doubtful = {OpenReason.LINK: links(seen)[seen.graph] < LINKED}
    for reason, opened in [*seen.rules.distrusted.items(), *doubtful.items(), *_opened_in_turn(seen)]:
        for edge in np.flatnonzero(opened).tolist():
            alike = reason is OpenReason.WEAK and shapeless[edge]
            reasons.setdefault(edge, OpenReason.FITS_BOTH_WAYS if alike else reason)
    ends = [(i, j) for i, j in np.argwhere(seen.graph).tolist()]
    if levels is not None:
        at_level = levels.open(seen.graph)[seen.graph]
        reasons |= {int(k): OpenReason.LEVEL for k in np.flatnonzero(at_level)}
    return {ends[k]: reason for k, reason in reasons.items() if either_way[ends[k]]}


def _opened_in_turn(seen: PairEvidence) -> list[tuple[OpenReason, BoolArray]]:
    """Return the edges (edges,) that are open after each rule that lowers nats or their worth, in turn."""
    rules, at = seen.rules, seen.graph
    assert rules is not None
    slack, depends, tangled = seen.slack[at], seen.forward[at], seen.tangled[at]
    none = np.zeros(int(at.sum()))

    def opened(
        nats: FloatArray, worth: float, depends: FloatArray, tangled: FloatArray, trust: FloatArray
    ) -> BoolArray:
        left = worth * np.maximum(nats - slack, 0.0)
        return np.asarray(share_of(features_of(left, depends, tangled, processes, trust)) < CLAIMED)

    nats, processes = -seen.joined.T[at], next(iter(rules.processes.values()))
    found = [(OpenReason.WEAK, opened(nats, 1.0, none, none, none + 1.0))]
    for reason, left in rules.nats.items():
        nats, processes = np.fmin(-seen.joined.T[at], left), rules.processes[reason]
        found.append((reason, opened(nats, 1.0, none, none, none + 1.0)))
    found.append((OpenReason.SERIAL_ROWS, opened(nats, seen.worth, none, none, none + 1.0)))
    found.append((OpenReason.TANGLED, opened(nats, seen.worth, none, tangled, none + 1.0)))
    found.append((OpenReason.RESIDUALS, opened(nats, seen.worth, depends, tangled, rules.trust)))
    found.append((OpenReason.TIME, opened(nats, seen.worth, depends, tangled, seen.trust[at])))
    return found
