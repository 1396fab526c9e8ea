"""The coefficients of the map from evidence to probabilities, and how they were fitted.

python benchmarks/calibrate.py --collect --n-jobs 16 --out calibration.jsonl
python benchmarks/calibrate.py --fit calibration.jsonl
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Map:
    """Coefficients of `link_features`, of `direction_features`, and of the nats between two ways to add a link."""

    link: tuple[float, ...]
    direction: tuple[float, ...]
    addition: float


CALIBRATED = Map(
    link=(2.164, 0.767, 0.441, -0.590, 0.430, -1.135, 0.800, 1.489, -0.477),
    direction=(2.478, -5.255, 3.043),
    addition=0.031,
)
