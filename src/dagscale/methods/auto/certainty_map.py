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
    link=(2.605, 1.555, 1.399, -0.893, 1.546, 1.991, -0.774),
    direction=(3.544, -6.678, 1.797),
    addition=0.074,
)
