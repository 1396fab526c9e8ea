"""Interventions and environments for the page: what moved under each condition, and what that settles."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from dagscale.result.experiments import Shift, causes, shifts, tells_directions
from dagscale.result.report.network import short_number

if TYPE_CHECKING:
    from dagscale.result import Result

MOST_CONDITIONS = 40
MOST_COLUMNS = 200  # wider tables would need a picture of their own


def conditions(result: "Result") -> list[dict[str, Any]]:
    """Return the conditions, those of most rows first, columns as indices; empty without any."""
    done = result.conditions
    if done is None or result.sample is None or len(result.names) > MOST_COLUMNS:
        return []
    told = sorted(shifts(result.sample.astype(np.float64), done, result.names), key=lambda one: -one.rows)
    return [_shown(result, shift) for shift in told[:MOST_CONDITIONS]]


def _shown(result: "Result", shift: Shift) -> dict[str, Any]:
    index = {name: j for j, name in enumerate(result.names)}
    z = -ndtri(np.maximum(shift.p_values, 1e-300) / 2)  # Welch's test: the size in standard errors
    error = np.abs(shift.size) / np.maximum(z, 1e-9)
    moved = [shift.moved(j) for j in range(len(index))]
    return {
        "label": f"set: {shift.label}" if shift.targets else str(shift.label),
        "rows": shift.rows,
        "targets": list(shift.targets),
        "changed": [index[name] for name in result.changed.get(shift.label, ()) if name in index],
        "shifts": [short_number(value, 3) for value in shift.size],
        "errors": [short_number(2 * value, 3) for value in error],
        "moved": moved,
        "settled": _settled(result, shift, moved),
    }


def _settled(result: "Result", shift: Shift, moved: list[bool]) -> list[str]:
    """Say which edges the columns that were set, or changed their mechanism, speak for: those to what moved."""
    own = causes(result, shift)
    if not own:
        return []
    causes_ = " and ".join(str(result.names[j]) for j in own)
    if not tells_directions(result, shift):
        if still := [str(result.names[j]) for j in own if not moved[j]]:
            return [f"{' and '.join(still)} did not move: this tells no direction"]
        return [f"most columns moved that are no effects of {causes_}: this tells no direction"]
    if shift.targets:
        how = f"{causes_} {'was' if len(own) == 1 else 'were'} set"
    else:
        how = f"the mechanism{'' if len(own) == 1 else 's'} of {causes_} changed"
    edges = [(i, j) for i in own for j in np.flatnonzero(result.adjacency[i]) if moved[j] and j not in own]
    names = result.names
    return [f"{names[i]} → {names[j]}: {names[j]} moved when {how}" for i, j in edges]
