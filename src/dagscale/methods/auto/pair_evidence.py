"""All that a search knows of the pairs of columns, laid out for `certainty.py`: nats, and what they are worth."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dagscale.graphs.pair_values import Numbers
from dagscale.methods.auto.alternatives import alternatives
from dagscale.methods.auto.certainty import PairEvidence, Rules
from dagscale.methods.auto.colliders import turned_colliders
from dagscale.methods.auto.equivalence import many_valued, told_by_shape_alone, with_turned
from dagscale.methods.auto.loop import climb
from dagscale.methods.auto.proposers import exchange, single
from dagscale.methods.auto.row_support import tempered
from dagscale.methods.auto.set_ends import told_by_experiments
from dagscale.methods.auto.shape_trust import (
    among_few_rows,
    few_valued,
    residual_trust,
    shape_nats,
    with_spikes,
    within_formulas,
)
from dagscale.runtime.clock import late
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import OpenReason

if TYPE_CHECKING:
    from dagscale.methods.auto.found import Found

SHAPELESS = 2.0  # nats: two columns that differ by less fit as well both ways
HALF = 0.5  # trust in a shape below which an edge tells nothing of others


def pair_evidence(found: "Found", processes: Mapping[str, Numbers] | None = None) -> PairEvidence:
    """Lay out what is known; `processes` are the edges' numbers by processes, where they decided."""
    gain, graph, checks = found.objective.gain, found.graph, found.residuals
    told = {name: np.asarray(values[:, :]) for name, values in (processes or {}).items()}
    distrusted, trust, by_experiments = _trust(found)
    mute = graph & (trust < HALF)
    spikes = with_spikes(found.X, gain)
    distrusted[OpenReason.FEW_VALUES] = few = _by_shape_alone(found, mute, by_experiments, spikes)
    trust[few] = 0.0
    shape = shape_nats(graph, gain)
    plain = not found.interacting and not found.uneven and found.scale.name == "data"
    shapeless = plain & (np.abs(shape) < SHAPELESS)
    # what the number of edges tells does not vary from row to row
    varies = np.where(shapeless, np.nan, found.varies)
    at_few = np.where(few_valued(gain, spikes) & ~by_experiments, np.maximum(shape, 0.0), 0.0)
    across = found.across
    nats = _in_turn(found, np.fmin(across, found.numbers.direction), mute, varies, at_few)
    by_processes = told.get("direction_nats", np.zeros(graph.shape))
    lowered = _in_turn(found, by_processes, None, varies, at_few)
    rules = Rules(
        {reason: marked[graph] for reason, marked in distrusted.items()},
        {reason: left[graph] for reason, left in nats.items()},
        {reason: left[graph] for reason, left in lowered.items()},
        trust[graph],
    )
    if late(
        found.until
    ):  # not all alternatives were looked at, and no direction holds that a rule did not judge
        judged = np.isfinite(across) & (shapeless | np.isfinite(varies))
        trust = np.where(judged, HALF * trust, 0.0)
    return PairEvidence(
        graph, found.alternatives.joined, found.alternatives.apart, nats[OpenReason.FEW_VALUES],
        checks.forward.size, checks.backward.size, trust, shapeless, told.get("evidence"),
        lowered[OpenReason.FEW_VALUES] if "direction_nats" in told else None, checks.follows, rules,
    )  # fmt: skip


def _in_turn(
    found: "Found", told: FloatArray, mute: BoolArray | None, varies: FloatArray, at_few: FloatArray
) -> dict[OpenReason, FloatArray]:
    """Return what is left of the nats told for directions (d, d) after each rule that lowers them, in turn.

    `mute` edges tell nothing of others; None where that is not asked.
    """
    nats = {OpenReason.SCALE: told, OpenReason.ROUNDING: np.fmin(told, found.filled)}
    left = nats[OpenReason.ROUNDING]
    nats[OpenReason.OTHER_LINKS] = left if mute is None else np.fmin(left, without_mute(found, mute))
    nats[OpenReason.FEW_ROWS] = tempered(nats[OpenReason.OTHER_LINKS], varies)
    nats[OpenReason.FEW_VALUES] = nats[OpenReason.FEW_ROWS] - at_few
    return nats


def _trust(found: "Found") -> tuple[dict[OpenReason, BoolArray], FloatArray, BoolArray]:
    """Return where shapes tell no direction, by the rule; the trust in every edge; and those that experiments tell."""
    gain, graph, settings = found.objective.gain, found.graph, found.settings
    distrusted = {
        OpenReason.FORMULA: within_formulas(graph, gain, settings),
        OpenReason.REPEATED_ROWS: among_few_rows(found.X, graph, gain.scale.kinds, settings),
        OpenReason.COLLIDER: turned_colliders(found.X, graph),
    }
    trust = residual_trust(found.residuals.forward, settings)
    for marked in distrusted.values():
        trust[marked] = 0.0
    return distrusted, trust, told_by_experiments(found)


def _by_shape_alone(
    found: "Found", mute: BoolArray, by_experiments: BoolArray, spikes: BoolArray
) -> BoolArray:
    """Mark the edges (d, d) with an end of few values, or with one of `spikes`, whose direction only shapes tell."""
    known, graph = found.scene.known, found.graph
    doubtful = mute | (graph & (found.numbers.direction < found.settings.either_way))
    given = by_experiments | known.required | ~known.allowed.T
    numbers = many_valued(found.X, found.scale.kinds) & ~spikes
    return told_by_shape_alone(graph, doubtful, numbers, found.objective.gain, given)


def without_mute(found: "Found", mute: BoolArray) -> FloatArray:
    """What directions are worth in the best graph near by in which no `mute` edge (d, d) points as it does.

    An order of columns that only edges tell whose own direction is not told is no order. NaN where that graph has
    no such link, 0 where it is turned there.
    """
    other = with_turned(found.graph, mute, found.scene.known)
    if other is None or late(found.until):
        return np.full(found.graph.shape, np.nan)
    scene = found.scene.without(mute)
    graph = climb(other, found.objective, scene, (single, exchange), found.until)
    # nothing is asked of links that are not in both graphs
    near = alternatives(graph, found.objective, scene, found.until, found.graph & graph)
    turned = replace(found, graph=graph, scene=scene).beside(near)
    direction = np.where(graph, -near.joined.T, np.nan)
    told = np.fmin(np.fmin(direction, turned.across), turned.filled)
    return np.where(found.graph & graph.T, 0.0, told)
