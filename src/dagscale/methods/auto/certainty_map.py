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
    link=(2.098, 1.252, 0.682, -0.540, 1.700, 2.077, -0.831),
    direction=(4.181, -7.232, 1.797),
    addition=0.049,
)
