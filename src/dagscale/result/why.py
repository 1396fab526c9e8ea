"""Why an edge is in the graph or is not: the trail of the stages, read for one pair."""

import html
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagscale.graphs.pair_values import Numbers, pairs_with_numbers
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.knowledge import Knowledge
from dagscale.result.p_values import LEAST_P, p_text
from dagscale.runtime.errors import InputError, closest, shown
from dagscale.runtime.types import BoolArray, IntArray
from dagscale.stages.answer import OpenReason, Stage, StageKind

QUIET = {  # stages that decide without numbers: their words against a pair, and for it
    StageKind.KNOWLEDGE: ("against it", "nothing against it"),
    StageKind.DESIGN: ("against it", "nothing against it"),
    StageKind.ORDER: ("against it", "agrees"),
    StageKind.HIDDEN_CAUSE: ("against it", "nothing against it"),
}


@dataclass(frozen=True)
class Step:
    """What one stage said about the pair.

    Attributes
    ----------
    stage : StageKind
        Which stage; a text too.
    kept : bool
        Whether the pair was still possible after it.
    statistic : float or None
        The number it decided on; None where it looked at nothing.
    label : str
        What the number is.
    threshold : float or None
        What the number was compared with.
    """

    stage: StageKind
    kept: bool
    statistic: float | None = None
    label: str = ""
    threshold: float | None = None

    def __str__(self) -> str:
        if self.statistic is None and self.stage in QUIET:
            return f"{self.stage}: {QUIET[self.stage][self.kept]}"
        verdict = "kept" if self.kept else "removed" if self.statistic is not None else "did not include it"
        numbers = (
            ""
            if self.statistic is None
            else f" ({self.label or 'statistic'} {number(self.statistic, self.label)}"
        )
        if numbers and self.threshold is not None:
            numbers += f", threshold {number(self.threshold)}"
        return f"{self.stage}: {verdict}{numbers}{')' if numbers else ''}"


@dataclass(frozen=True)
class Why:
    """The reason for one pair, to print or to read field by field.

    Attributes
    ----------
    source, target : names
        The pair asked about, source -> target.
    kept : bool
        Whether the edge is in the graph.
    stage : StageKind
        The stage that decided: the one that removed the edge, or the last that kept it.
    statistic, label, threshold
        The decision's number, what it is, what it was compared with; None where there is none.
    reason : str
        One sentence.
    runner_up : name or None
        The strongest rival as a cause of `target`: for a removed edge the strongest parent that was kept
        instead, for a kept edge the candidate that came closest to being kept as well.
    steps : tuple of Step
        Every stage that had a say, in order, up to the decision.
    addition : str
        Where no number decided on a missing edge: what it would add to the graph, or the cycle it would
        close.
    certainty : str
        How likely the link and its direction are, why the direction is open, and whether the two share a hidden
        cause; a line each.
    open : bool
        Whether the two are linked with a direction that the data do not support; `kept` then says whether the
        graph draws it this way round.
    open_because : OpenReason or None
        Which rule left the direction open; `certainty` says it in a sentence.
    """

    source: Hashable
    target: Hashable
    kept: bool
    stage: StageKind
    reason: str
    statistic: float | None = None
    label: str = ""
    threshold: float | None = None
    runner_up: Hashable | None = None
    runner_up_note: str = ""
    steps: tuple[Step, ...] = ()
    addition: str = ""
    certainty: str = ""
    open: bool = False
    open_because: OpenReason | None = None

    def __str__(self) -> str:
        verdict = "is in the graph" if self.kept else "is not in the graph"
        said = f"{self.source} -> {self.target} {verdict}"
        if self.open:
            said = f"{self.source} -- {self.target} is in the graph as a link with an open direction"
        lines = [f"{said}: {self.reason}"]
        lines += [f"  {k}. {step}" for k, step in enumerate(self.steps, start=1)]
        lines += [f"  {note}" for note in self._notes]
        return "\n".join(lines)

    __repr__ = __str__

    @property
    def _notes(self) -> list[str]:
        return [note for note in (*self.certainty.split("\n"), self.addition, self.runner_up_note) if note]

    def _repr_html_(self) -> str:
        first, *rest = str(self).split("\n")
        items = "".join(f"<li>{html.escape(str(step))}</li>" for step in self.steps)
        note = "".join(f"<p>{html.escape(note)}</p>" for note in self._notes)
        return f"<p><b>{html.escape(first)}</b></p>" + (f"<ol>{items}</ol>{note}" if rest else "")


def number(value: float, label: str = "") -> str:
    """Write a statistic briefly: four significant digits, and no p-value below 1e-16."""
    return p_text(value) if "p-value" in label and value < LEAST_P else f"{value:.4g}"


def find(name: Hashable, names: Sequence[Hashable]) -> int:
    """Return the position of a column, by its name or else by the text of its name."""
    for i, known in enumerate(names):
        if known == name and type(known) is type(name):
            return i
    matches = [i for i, known in enumerate(names) if known == name] or [
        i for i, known in enumerate(names) if str(known) == str(name)
    ]
    if len(matches) == 1:
        return matches[0]
    remedy = closest(name, names) or f"; the columns are {shown(list(names), 200)}"
    raise InputError(f"the result has no column {shown(name)}{remedy}")


@dataclass(frozen=True)
class Explainer:
    """Everything `explain` looks at, once for all pairs of a result.

    Attributes
    ----------
    names : columns in the table's order
    position : (d,) int array, place of each column in the order found
    adjacency : (d, d) bool array
    trail : the method's stages
    knowledge : what the user knew, or None
    strength : (d, d) numbers, NaN where there is no edge
    kinds : (d,) kinds of the columns
    either_way : (d, d) bool array, links whose direction is open, or None
    """

    names: Sequence[Hashable]
    position: IntArray
    adjacency: BoolArray
    trail: tuple[Stage, ...]
    knowledge: Knowledge | None
    strength: Numbers
    kinds: tuple[str, ...] = ()
    either_way: BoolArray | None = None

    @cached_property
    def weighed(self) -> list[tuple[Stage, bool]]:
        """The stages that have numbers, the last one first, and whether small numbers keep an edge there."""
        return [
            (stage, smaller_is_better(stage)) for stage in reversed(self.trail) if stage.statistic is not None
        ]

    @cached_property
    def deciding(self) -> IntArray:
        """For every pair (d, d) the place in the trail of the stage that decided, as `Why.stage` names it.

        The last stage where there is an edge; the trail's length where no stage removed a missing one.
        """
        last = len(self.trail)
        found = np.full(self.adjacency.shape, last, dtype=np.intp)
        before = np.ones(self.adjacency.shape, dtype=bool)
        for k, stage in enumerate(self.trail):
            found[before & ~stage.kept] = k
            found[stage.kept] = last
            before = stage.kept
        found[self.adjacency] = max(last - 1, 0)
        return found

    def explain(self, source: Hashable, target: Hashable) -> Why:
        """Say which stage kept or removed source -> target."""
        i, j = find(source, self.names), find(target, self.names)
        if i == j:
            raise InputError(f"why needs two different columns, not {shown(source)} twice")
        return self.pair(i, j)

    def pair(self, i: int, j: int) -> Why:
        """Explain the pair of columns i -> j."""
        kept, open_ = bool(self.adjacency[i, j]), self.is_open(i, j)
        steps = self._steps(j, i) if open_ and not kept else self._steps(i, j)
        decisive = steps[-1] if steps else Step(StageKind.METHOD, kept=True)
        if kept or open_:
            reason = self._reason_kept(i, j, decisive)
            rival, note = self._best_rejected(i, j) if kept else (None, "")
        else:
            reason = self._reason_removed(i, j, decisive)
            rival, note = self._strongest_parent(i, j)
        return Why(
            source=self.names[i],
            target=self.names[j],
            kept=kept,
            stage=decisive.stage,
            reason=reason,
            statistic=decisive.statistic,
            label=decisive.label if decisive.statistic is not None else "",
            threshold=decisive.threshold if decisive.statistic is not None else None,
            runner_up=None if rival is None else self.names[rival],
            runner_up_note=note,
            steps=steps,
            open=open_,
        )

    def is_open(self, i: int, j: int) -> bool:
        """Say whether the two are linked with a direction that the data do not support."""
        linked = self.adjacency[i, j] or self.adjacency[j, i]
        return bool(self.either_way is not None and self.either_way[i, j] and linked)

    def _steps(self, i: int, j: int) -> tuple[Step, ...]:
        """List the stages up to and including the first that removed the pair for good.

        A pair that a later stage put back (a search, a required edge) was not removed for good.
        """
        final = bool(self.adjacency[i, j])
        kept = [bool(stage.kept[i, j]) for stage in self.trail]
        last = len(kept) - 1
        if not final and False in kept:
            returns = [k for k in range(1, len(kept)) if kept[k] and not kept[k - 1]]
            last = kept.index(False, returns[-1] if returns else 0) if not kept[-1] else last
        steps = []
        for stage, survived in zip(self.trail[: last + 1], kept, strict=False):
            value = None if stage.statistic is None else float(stage.statistic[i, j])
            seen = value is not None and not math.isnan(value)
            steps.append(
                Step(
                    stage.kind,
                    survived,
                    value if seen else None,
                    stage.label,
                    stage.threshold if seen else None,
                )
            )
        return tuple(steps)

    def _reason_kept(self, i: int, j: int, step: Step) -> str:
        if self._known(i, j, "required"):
            return "your knowledge requires it"
        if step.statistic is None:
            return f"no stage removed it; the last was {step.stage}"
        return f"{step.stage} kept it{_comparison(step)}"

    def _reason_removed(self, i: int, j: int, step: Step) -> str:
        if self._known(i, j, "forbidden"):
            return "your knowledge forbids it"
        a, b = (shown(self.names[k]) for k in (i, j))
        if self.adjacency[j, i]:
            instead = f"; the edge {b} -> {a} is there instead"
        elif self.position[j] < self.position[i]:
            instead = f"; in the order found {b} comes before {a}"
        else:
            instead = ""
        if step.kept:  # no stage owns up to it
            return "the method left it out" + instead
        if step.stage is StageKind.ORDER:
            places = f"{b} has place {self.position[j] + 1}, {a} place {self.position[i] + 1}"
            return f"the order contradicts it: {places} of {len(self.names)}" + (
                instead if self.adjacency[j, i] else ""
            )
        if step.stage is StageKind.HIDDEN_CAUSE:
            return "a hidden cause of the two explains their dependence better than an arrow"
        if step.stage is StageKind.KNOWLEDGE:
            return "your knowledge excludes it" + instead
        if step.stage is StageKind.DESIGN:
            return f"{b} was taken to be set, as in a designed experiment" + instead
        if step.statistic is None:
            return f"{step.stage} did not include it{instead}"
        return f"{step.stage} removed it{_comparison(step)}{instead}"

    def _known(self, i: int, j: int, kind: str) -> bool:
        pairs = getattr(self.knowledge, kind, ())
        texts = {(str(a), str(b)) for a, b in pairs}
        return (str(self.names[i]), str(self.names[j])) in texts

    def _strongest_parent(self, i: int, j: int) -> tuple[int | None, str]:
        parents = np.flatnonzero(self.adjacency[:, j])
        if not len(parents):
            return None, f"{shown(self.names[j])} has no parent in the graph"
        best = int(parents[np.argmax(self.strength[parents, j])])
        measure = "variance" if not self.kinds or self.kinds[j] == CONTINUOUS else "deviance"
        share = f"{self.strength[best, j]:.1%} of its {measure}"
        return best, f"strongest parent of {shown(self.names[j])}: {shown(self.names[best])} ({share})"

    def _best_rejected(self, i: int, j: int) -> tuple[int | None, str]:
        """Find the candidate parent of j that went furthest and came closest there."""
        for stage, small in self.weighed:
            assert stage.statistic is not None
            values = stage.statistic[:, j]
            rejected = np.flatnonzero(~np.isnan(values) & ~self.adjacency[:, j])
            rejected = rejected[rejected != j]
            if len(rejected):
                pick = np.argmin if small else np.argmax
                best = int(rejected[pick(values[rejected])])
                value = f"{stage.label or 'statistic'} {number(float(values[best]), stage.label)}"
                return best, f"runner-up: {shown(self.names[best])}, not kept by {stage.kind} ({value})"
        return None, ""


def _comparison(step: Step) -> str:
    if step.statistic is None:
        return ""
    text = f" ({step.label or 'statistic'} {number(step.statistic, step.label)}"
    return text + (")" if step.threshold is None else f", threshold {number(step.threshold)})")


def smaller_is_better(stage: Stage) -> bool:
    """Tell from a stage's own decisions whether small statistics keep an edge, as p-values do."""
    if stage.statistic is None:
        return False
    parents, children, numbers = pairs_with_numbers(stage.statistic)
    survived = stage.kept[parents, children]
    kept, removed = numbers[survived], numbers[~survived]
    if stage.threshold is not None and len(kept) + len(removed):
        agree = (kept <= stage.threshold).sum() + (removed > stage.threshold).sum()
        return bool(2 * agree > len(kept) + len(removed))
    if len(kept) and len(removed):
        return bool(np.median(kept) < np.median(removed))
    return "p-value" in stage.label
