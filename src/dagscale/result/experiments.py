"""What experiments told: columns that moved, directions they settled, labels that the data contradict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from dagscale.graphs.dag import descendants
from dagscale.inputs.conditions import Conditions
from dagscale.inputs.table import Table
from dagscale.inputs.table.checks import listed
from dagscale.runtime.errors import shown
from dagscale.runtime.types import BoolArray, FloatArray
from dagscale.stages.answer import Answer, Dispute

if TYPE_CHECKING:
    from dagscale.result.result import Result

CHANCE = 1e-3  # probability below which a column moved
FEWEST = 5  # rows that can show it
LISTED = 6  # conditions that a note names


@dataclass(frozen=True)
class Shift:
    """One condition against the rows without any.

    Attributes
    ----------
    label : str
        The columns set, as the table's own label says; the environment's label otherwise.
    targets : tuple of int
        Places of the columns set.
    rows : int
    size : (d,) float array
        Difference of the means, in standard deviations of the rows without any condition.
    p_values : (d,) float array
        Of no difference: Welch's test, normal approximation.
    """

    label: str
    targets: tuple[int, ...]
    rows: int
    size: FloatArray
    p_values: FloatArray

    def moved(self, j: int) -> bool:
        """Say whether column j moved."""
        return bool(self.p_values[j] < CHANCE)


def shifts(X: FloatArray, done: Conditions, names: Sequence[Any]) -> list[Shift]:
    """Compare every condition with the reference: rows in which nothing was set, of the reference environment."""
    X = np.asarray(X, dtype=np.float64)
    plain = done.untouched
    if plain.sum() < FEWEST:
        return []
    base = X[plain]
    deviation = np.maximum(base.std(axis=0), 1e-300)
    key = np.column_stack([done.environment, done.targets])
    found = []
    for one in np.unique(key[~plain], axis=0):
        own = X[(key == one).all(axis=1)]
        if len(own) < FEWEST:
            continue
        targets = tuple(np.flatnonzero(one[1:]).tolist())
        label = done.labels[one[0]] if one[0] else ",".join(str(names[j]) for j in targets)
        more = own.mean(axis=0) - base.mean(axis=0)
        error = np.sqrt(own.var(axis=0) / len(own) + base.var(axis=0) / len(base))
        p = 2.0 * ndtr(-np.abs(more) / np.maximum(error, 1e-300))
        found.append(Shift(label, targets, len(own), more / deviation, p))
    return found


def experiment_notes(answer: Answer, table: Table) -> list[str]:
    """Say which mechanisms changed under conditions, and what the data hold against the labels of experiments."""
    return [*_changes(answer, table), *(_said(one, table.names) for one in answer.disputes)]


def _changes(answer: Answer, table: Table) -> list[str]:
    """Say which mechanisms changed under the conditions whose targets nobody named."""
    if answer.changed is None or table.conditions is None:
        return []
    own = [
        f"{listed([table.names[j] for j in np.flatnonzero(columns)])} under {label!r}"
        for label, columns in zip(table.conditions.labels, answer.changed, strict=True)
        if columns.any()
    ]
    if not own:
        return ["no mechanism changed under any of the conditions"]
    more = [f"and under {len(own) - LISTED} more conditions"] if len(own) > LISTED else []
    return [f"mechanisms that changed: {'; '.join([*own[:LISTED], *more])}"]


def _said(one: Dispute, names: Sequence[Any]) -> str:
    label = ",".join(str(names[j]) for j in one.targets)
    start = f"the experiment labelled {label!r} ({one.rows} rows)"
    unmoved, also = listed([names[j] for j in one.unmoved]), listed([names[j] for j in one.also])
    if one.unmoved and one.also:
        return (
            f"{start} seems to be labelled wrongly: {unmoved} followed its usual mechanism there, and {also} did "
            "not; the run follows the data, not the label"
        )
    if one.unmoved:
        return f"{start} did not change {unmoved}: its rows were taken as observed for that column"
    return f"{start} also changed {also}, which its label does not name: those rows were left out for that column"


def causes(result: "Result", shift: Shift) -> tuple[int, ...]:
    """Return the places of the columns set; under a condition of unknown targets, of those whose mechanism changed."""
    changed = () if shift.targets else result.changed.get(shift.label, ())
    return shift.targets or tuple(j for j, name in enumerate(result.names) if name in changed)


def happened(result: "Result", shift: Shift) -> str:
    """Say what the columns went through: they were set, or their mechanism changed."""
    own = causes(result, shift)
    names, one = listed([result.names[j] for j in own]), len(own) == 1
    if shift.targets:
        return f"{names} {'was' if one else 'were'} set"
    return f"the mechanism{'' if one else 's'} of {names} changed, under {shift.label!r}"


def tells_directions(result: "Result", shift: Shift) -> bool:
    """Say whether what moved under a condition are effects of the columns set, or whose mechanism changed.

    Not where one of these did not move itself, or where most columns moved that are none of their effects by the
    graph: then the label may be wrong, or the condition shifted the whole table.
    """
    own = list(causes(result, shift))
    if not own or not all(shift.moved(j) for j in own):
        return False
    others: BoolArray = np.asarray(~descendants(result.adjacency)[own].any(axis=0))
    others[own] = False
    moved = shift.p_values < CHANCE
    return bool(2 * (moved & others).sum() <= others.sum())


def settled_by(result: "Result", i: int, j: int) -> str:
    """Say which experiment speaks for i -> j, or "" where none does."""
    if result.conditions is None or result.sample is None:
        return ""
    names = result.names
    a, b = shown(names[i]), shown(names[j])
    parts, speaks = [], False
    for shift in shifts(np.asarray(result.sample), result.conditions, names):
        if not tells_directions(result, shift):
            continue
        own, where = causes(result, shift), f"where {happened(result, shift)} ({shift.rows} rows),"
        if i in own and j not in own and shift.moved(j):
            parts.append(f"{where} {b} moved by {shift.size[j]:+.2f} deviations")
            speaks = True
        if j in own and i not in own and not shift.moved(i):
            parts.append(f"{where} {a} did not move")
    return "; ".join(parts) if speaks else ""
