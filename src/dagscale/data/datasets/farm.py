"""A farm that never was: eight columns in everyday units, whose causes are known because they are written here.

Steep fields are dry, and the farmer gives them more fertiliser. So fertiliser goes with poor harvests, though each
kilogram raises the harvest: a table on which a plain regression has even the sign of the effect wrong.
"""

import numpy as np
import pandas as pd

from dagscale.data.datasets.dataset import Dataset, adjacency_of
from dagscale.inputs.arguments import whole
from dagscale.runtime.types import FloatArray

NAMES = ["rain", "slope", "fertiliser", "moisture", "nitrogen", "height", "pests", "harvest"]
EDGES = [
    ("slope", "fertiliser"),
    ("rain", "moisture"),
    ("slope", "moisture"),
    ("fertiliser", "nitrogen"),
    ("rain", "nitrogen"),
    ("moisture", "height"),
    ("nitrogen", "height"),
    ("moisture", "pests"),
    ("height", "harvest"),
    ("pests", "harvest"),
]
DECIMALS = {
    "rain": 0,
    "slope": 1,
    "fertiliser": 0,
    "moisture": 1,
    "nitrogen": 1,
    "height": 0,
    "pests": 1,
    "harvest": 0,
}
DESCRIPTION = (
    "Simulated: fields of a farm. rain (mm a season), slope (degrees), fertiliser (kg/ha), moisture of the soil (%), "
    "nitrogen in the soil (mg/kg), height of the plants (cm), pests (per plant), harvest (kg/ha). Bent effects, "
    "normal noise, rounded as one would measure. The graph is that of the simulation."
)
SOURCE = "generated; see dagscale/data/datasets/farm.py"
MANY = 200_000  # fields over which the true effect is averaged


def farm(samples: int = 600, random_state: int = 0) -> Dataset:
    """Draw a table of fields.

    Parameters
    ----------
    samples : int
        Rows.
    random_state : int
        The same seed gives the same table.
    """
    noise = _noise(whole(samples, "samples", 2), random_state)
    table = pd.DataFrame(_grown(noise)).round(DECIMALS)[NAMES]
    return Dataset(table, adjacency_of(NAMES, EDGES), list(NAMES), DESCRIPTION, SOURCE)


def true_effect_of_fertiliser(more: float = 1.0) -> float:
    """Return what `more` kg/ha of fertiliser on every field do to the harvest on average, by doing it."""
    noise = _noise(MANY, 0)
    after, before = (_grown(noise, extra)["harvest"] for extra in (more, 0.0))
    return float(np.mean(after - before))


def _noise(n: int, random_state: int) -> dict[str, FloatArray]:
    rng = np.random.default_rng(random_state)
    drawn = {name: rng.normal(size=n) for name in NAMES}
    return {**drawn, "rain": rng.gamma(9, 50, size=n)}


def _grown(noise: dict[str, FloatArray], extra: float = 0.0) -> dict[str, FloatArray]:
    """Grow the fields; `extra` fertiliser is given on top of what the farmer gives."""
    rain, slope = noise["rain"], np.abs(8 + 4 * noise["slope"])
    fertiliser = 140 + 50 * np.tanh((slope - 8) / 4) + 20 * noise["fertiliser"] + extra
    moisture = 18 + 24 * (1 - np.exp(-rain / 300)) - 0.42 * np.maximum(slope - 2, 0) ** 1.4
    moisture = moisture + 1.5 * noise["moisture"]
    nitrogen = (
        8 + 32 * (1 - np.exp(-fertiliser / 120)) - 6 * np.tanh((rain - 500) / 120) + 1.5 * noise["nitrogen"]
    )
    height = (
        60 + 25 * np.tanh((nitrogen - 25) / 8) + 55 / (1 + np.exp(-(moisture - 29) / 3)) + 4 * noise["height"]
    )
    pests = 2 + 6 / (1 + np.exp(-(moisture - 30))) + 0.6 * noise["pests"]
    harvest = 800 + 7500 / (1 + np.exp(-(height - 90) / 15)) - 150 * pests + 250 * noise["harvest"]
    return {
        "rain": rain,
        "slope": slope,
        "fertiliser": fertiliser,
        "moisture": moisture,
        "nitrogen": nitrogen,
        "height": height,
        "pests": pests,
        "harvest": harvest,
    }
