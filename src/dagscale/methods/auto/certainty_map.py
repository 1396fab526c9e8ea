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
    link=(2.439, 1.336, 0.880, -0.914, 2.252, 2.338, -0.913),
    direction=(3.666, -12.915, 2.511),
    addition=0.049,
)
