"""Interventions and environments for the page: what moved under each condition, and what that settles.

A condition is a set of columns that were set, or a label of the environment. A column has moved where its mean
differs from the reference rows' by more than three standard errors.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagscale.result.report.network import short_number
from dagscale.runtime.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from dagscale.result import Result

MOST_CONDITIONS = 40
MOST_COLUMNS = 200  # wider tables would need a picture of their own
MOVED = 3.0  # standard errors of the difference of two means


@dataclass(frozen=True)
class _Group:
    label: str
    rows: BoolArray  # (n,)
    targets: list[int]


def conditions(result: "Result") -> list[dict[str, Any]]:
    """Return the conditions with their rows, targets, shifts and what they settle; empty without any."""
    done = result.conditions
    if done is None or result.sample is None or len(result.names) > MOST_COLUMNS:
        return []
    X = result.sample.astype(np.float64)
    reference = ~done.targets.any(axis=1) & (done.environment == 0)
    if reference.sum() < 3:
        return []
    return [_shown(result, X, reference, group) for group in _groups(result) if group.rows.sum() >= 3]


def _groups(result: "Result") -> list[_Group]:
    """List the target sets and the environments, those of most rows first."""
    done = result.conditions
    assert done is not None
    names = [str(name) for name in result.names]
    sets, member = np.unique(done.targets, axis=0, return_inverse=True)
    found = [
        _Group(
            "set: " + ", ".join(names[j] for j in np.flatnonzero(own)),
            member.ravel() == k,
            np.flatnonzero(own).tolist(),
        )
        for k, own in enumerate(sets)
        if own.any()
    ]
    for k, label in enumerate(done.labels):
        rows = (done.environment == k) & ~done.targets.any(axis=1)
        if k > 0 and rows.any():
            found.append(_Group(str(label), rows, []))
    return sorted(found, key=lambda group: -int(group.rows.sum()))[:MOST_CONDITIONS]


def _shown(result: "Result", X: FloatArray, reference: BoolArray, group: _Group) -> dict[str, Any]:
    shifts, errors = _shifts(X, reference, group.rows)
    moved = np.abs(shifts) > MOVED * errors
    index = {name: j for j, name in enumerate(result.names)}
    return {
        "label": group.label,
        "rows": int(group.rows.sum()),
        "targets": group.targets,
        "changed": [index[name] for name in result.changed.get(group.label, ()) if name in index],
        "shifts": [short_number(value, 3) for value in shifts],
        "errors": [short_number(2 * value, 3) for value in errors],
        "settled": _settled(result, group.targets, moved),
    }


def _shifts(X: FloatArray, reference: BoolArray, rows: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the differences of the means and their standard errors, in the reference's deviations (d,)."""
    scale = X[reference].std(axis=0)
    scale[scale == 0] = 1.0
    shift = (X[rows].mean(axis=0) - X[reference].mean(axis=0)) / scale
    parts = X[rows].var(axis=0) / rows.sum() + X[reference].var(axis=0) / reference.sum()
    return shift, np.sqrt(parts) / scale


def _settled(result: "Result", targets: list[int], moved: BoolArray) -> list[str]:
    """Say which links of a column that was set alone point as the graph says: effects move, causes do not."""
    if len(targets) != 1:
        return []
    (own,) = targets
    names = [str(name) for name in result.names]
    told = [
        f"{names[own]} → {names[j]}: {names[j]} moved when {names[own]} was set"
        for j in np.flatnonzero(result.adjacency[own])
        if moved[j]
    ]
    return told + [
        f"{names[i]} → {names[own]}: {names[i]} stayed when {names[own]} was set"
        for i in np.flatnonzero(result.adjacency[:, own])
        if not moved[i]
    ]
