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
    link=(1.905, 0.285, 0.339, 0.486, -1.136, 1.165, 1.221, -0.665, 0.938),
    direction=(2.131, -3.706, -1.094, 1.691),
    addition=0.027,
)
