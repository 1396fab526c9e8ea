"""Interventions and environments for the page: what moved under each condition, and what that settles."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from dagscale.result.experiments import CHANCE, as_payload
from dagscale.result.report.network import short_number

if TYPE_CHECKING:
    from dagscale.result import Result

MOST_CONDITIONS = 40
MOST_COLUMNS = 200  # wider tables would need a picture of their own


def conditions(result: "Result") -> list[dict[str, Any]]:
    """Return the conditions, those of most rows first, columns as indices; empty without any."""
    if result.conditions is None or len(result.names) > MOST_COLUMNS:
        return []
    told = sorted(as_payload(result), key=lambda one: -one["rows"])[:MOST_CONDITIONS]
    return [_shown(result, one) for one in told]


def _shown(result: "Result", told: dict[str, Any]) -> dict[str, Any]:
    index = {name: j for j, name in enumerate(result.names)}
    size, p = np.array(told["size"], dtype=float), np.array(told["p"], dtype=float)
    error = np.abs(size) / np.maximum(
        -ndtri(np.maximum(p, 1e-300) / 2), 1e-9
    )  # p is Welch's, of size / error
    targets = [index[name] for name in told["targets"]]
    return {
        "label": f"set: {told['label']}" if targets else str(told["label"]),
        "rows": told["rows"],
        "targets": targets,
        "changed": [index[name] for name in told["changed"] if name in index],
        "shifts": [short_number(value, 3) for value in size],
        "errors": [short_number(2 * value, 3) for value in error],
        "moved": (p < CHANCE).tolist(),
        "settled": [f"{a} → {b}: {b} moved when {a} was set" for a, b in told["settled"]],
    }
