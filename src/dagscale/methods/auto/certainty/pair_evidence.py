"""All that a search knows of the pairs of columns, laid out for `probabilities.py`: nats, and what they are worth."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dagscale.graphs.pair_values import Numbers
from dagscale.methods.auto.certainty.alternatives import alternatives
from dagscale.methods.auto.certainty.colliders import turned_colliders
from dagscale.methods.auto.certainty.equivalence import many_valued, told_by_shape_alone, with_turned
from dagscale.methods.auto.certainty.probabilities import (
    PairEvidence,
    Rules,
    open_links,
    probabilities,
    slack_of,
)
from dagscale.methods.auto.certainty.reading import Reading
from dagscale.methods.auto.certainty.row_support import tempered
from dagscale.methods.auto.certainty.set_ends import told_by_experiments
from dagscale.methods.auto.certainty.shape_trust import (
    among_few_rows,
    few_valued,
    residual_trust,
    shape_nats,
    with_spikes,
    within_formulas,
)
from dagscale.methods.auto.search.loop import climb
from dagscale.methods.auto.search.proposers import exchange, single
from dagscale.runtime.clock import late
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import OpenReason

SHAPELESS = 2.0  # nats: two columns that differ by less fit as well both ways
HALF = 0.5  # trust in a shape below which an edge tells nothing of others


def pair_evidence(reading: Reading, processes: Mapping[str, Numbers] | None = None) -> PairEvidence:
    """Lay out what is known; `processes` are the edges' numbers by processes, where they decided."""
    found = reading.found
    distrusted, trust, by_experiments = _trust(reading)
    mute = found.graph & (trust < HALF)
    spikes = with_spikes(found.X, found.objective.gain)
    distrusted[OpenReason.FEW_VALUES] = few = _by_shape_alone(reading, mute, by_experiments, spikes)
    trust[few] = 0.0
    shape = shape_nats(found.graph, found.objective.gain)
    at_few = np.where(few_valued(found.objective.gain, spikes) & ~by_experiments, np.maximum(shape, 0.0), 0.0)
    plain = not found.interacting and not found.uneven and found.scale.name == "data"
    told = {name: np.asarray(values[:, :]) for name, values in (processes or {}).items()}
    doubts = {reason: marked[found.graph] for reason, marked in distrusted.items()}
    seen, lowered = _by_pairs(reading, told, plain & (np.abs(shape) < SHAPELESS), trust, at_few, doubts)
    return _beside_others(reading, seen, mute, lowered)


class _Lowered(NamedTuple):
    """What lowers nats told for directions, (d, d) each.

    Attributes
    ----------
    filled : float array
        What directions are worth with values spread over their rounding cells.
    varies : float array
        How much that varies from row to row.
    at_few : float array
        What shapes alone seem to tell of columns of few values.
    """

    filled: FloatArray
    varies: FloatArray
    at_few: FloatArray

    def by_rows(self, nats: FloatArray) -> FloatArray:
        """Return what the last two leave of nats."""
        return tempered(nats, self.varies) - self.at_few

    def in_turn(self, told: FloatArray) -> dict[OpenReason, FloatArray]:
        """Return what is left of the nats told after each rule, in turn."""
        left = np.fmin(told, self.filled)
        return {
            OpenReason.SCALE: told,
            OpenReason.ROUNDING: left,
            OpenReason.FEW_ROWS: tempered(left, self.varies),
            OpenReason.FEW_VALUES: self.by_rows(left),
        }


def _by_pairs(
    reading: Reading, told: Mapping[str, FloatArray], shapeless: BoolArray, trust: FloatArray, at_few: FloatArray,
    distrusted: Mapping[OpenReason, BoolArray],
) -> tuple[PairEvidence, _Lowered]:  # fmt: skip
    """Lay out what the numbers of every edge say by themselves, and what lowers them; `told` are those of processes."""
    graph, checks = reading.found.graph, reading.residuals
    own, by_processes = reading.numbers.direction, told.get("direction_nats", np.zeros(graph.shape))
    # the rules find nothing to take from the others
    asked = graph & ((own > slack_of(graph, shapeless)) | (by_processes > 0.0))
    across = reading.across(asked)
    # what the number of edges tells does not vary from row to row
    lowered = _Lowered(reading.filled(asked), np.where(shapeless, np.nan, reading.varies(asked)), at_few)
    nats, of_processes = lowered.in_turn(np.fmin(across, own)), lowered.in_turn(by_processes)
    rules = Rules(
        distrusted,
        {reason: left[graph] for reason, left in nats.items()},
        {reason: left[graph] for reason, left in of_processes.items()},
        trust[graph],
    )
    if late(reading.until):  # not all alternatives were looked at: what a rule did not judge does not hold
        trust = np.where(np.isfinite(across) & (shapeless | np.isfinite(lowered.varies)), HALF * trust, 0.0)
    seen = PairEvidence(
        graph, reading.alternatives.joined, reading.alternatives.apart, nats[OpenReason.FEW_VALUES],
        checks.forward.size, checks.backward.size, trust, shapeless, told.get("evidence"),
        of_processes[OpenReason.FEW_VALUES] if "direction_nats" in told else None, checks.follows, rules,
    )  # fmt: skip
    return seen, lowered


def _beside_others(reading: Reading, seen: PairEvidence, mute: BoolArray, lowered: _Lowered) -> PairEvidence:
    """Lower the directions that hang on links whose own direction is open: `mute` ones tell nothing of others.

    It takes a search to know, so that only those are asked for that would be claimed.
    """
    graph, rules, known = seen.graph, seen.rules, reading.found.scene.known
    assert rules is not None
    claimed = graph & ~open_links(probabilities(seen, known), graph) & ~known.required
    left = np.fmin(seen.across, lowered.by_rows(without_mute(reading, mute, claimed)))
    last = {OpenReason.OTHER_LINKS: left[graph]}
    same = {OpenReason.OTHER_LINKS: rules.processes[OpenReason.FEW_VALUES]}
    rules = replace(rules, nats={**rules.nats, **last}, processes={**rules.processes, **same})
    return replace(seen, across=left, rules=rules)


def _trust(reading: Reading) -> tuple[dict[OpenReason, BoolArray], FloatArray, BoolArray]:
    """Return where shapes tell no direction, by the rule; the trust in every edge; and those that experiments tell."""
    found = reading.found
    gain, graph, settings = found.objective.gain, found.graph, found.settings
    distrusted = {
        OpenReason.FORMULA: within_formulas(graph, gain, settings),
        OpenReason.REPEATED_ROWS: among_few_rows(found.X, graph, gain.scale.kinds, settings),
        OpenReason.COLLIDER: turned_colliders(found.X, graph),
    }
    trust = residual_trust(reading.residuals.forward, settings)
    for marked in distrusted.values():
        trust[marked] = 0.0
    return distrusted, trust, told_by_experiments(found, reading.numbers.direction)


def _by_shape_alone(
    reading: Reading, mute: BoolArray, by_experiments: BoolArray, spikes: BoolArray
) -> BoolArray:
    """Mark the edges (d, d) with an end of few values, or with one of `spikes`, whose direction only shapes tell."""
    found = reading.found
    known, graph = found.scene.known, found.graph
    doubtful = mute | (graph & (reading.numbers.direction < found.settings.either_way))
    given = by_experiments | known.required | ~known.allowed.T
    numbers = many_valued(found.X, found.scale.kinds) & ~spikes
    return told_by_shape_alone(graph, doubtful, numbers, found.objective.gain, given)


def without_mute(reading: Reading, mute: BoolArray, asked: BoolArray) -> FloatArray:
    """What the `asked` directions (d, d) are worth in the best graph near by in which no `mute` edge points as it does.

    An order of columns that only edges tell whose own direction is not told is no order. NaN where that graph has
    no such link, 0 where it is turned there.
    """
    found = reading.found
    other = with_turned(found.graph, mute, found.scene.known)
    if other is None or not asked.any() or late(reading.until):
        return np.full(found.graph.shape, np.nan)
    scene = found.scene.without(mute)
    graph = climb(other, found.objective, scene, (single, exchange), reading.until)
    asked = asked & graph  # nothing is asked of links that are not in both graphs
    near = alternatives(graph, found.objective, scene, reading.until, asked)
    turned = reading.beside(replace(found, graph=graph, scene=scene), near)
    direction = np.where(asked, -near.joined.T, np.nan)
    told = np.fmin(np.fmin(direction, turned.across(asked)), turned.filled(asked))
    return np.where(found.graph & graph.T, 0.0, told)
