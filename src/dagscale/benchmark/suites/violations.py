"""Tables that break the assumption of additive noise of one size, of no hidden cause, or of independent rows."""

from typing import Any

from dagscale.benchmark.cases import STANDARDISED, simulated
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.suite import Suite

KINDS: dict[str, dict[str, Any]] = {
    "GP": {},
    "location-scale noise": {"noise": "location-scale"},
    "multiplicative noise": {"noise": "multiplicative"},
    **{f"post-nonlinear, {name}": {"post_nonlinear": name} for name in ("cube", "exp")},
    **{f"{name} noise": {"noise": name.lower()} for name in ("exponential", "gamma", "Laplace", "uniform")},
    **{f"measurement error {share}": {"measurement_error": share} for share in (0.1, 0.4, 0.8)},
    "autoregressive rows": {"autoregressive": 0.5},
    "LiNGAM": {"linear": 1.0, "noise": "exponential"},
    "linear Gaussian": {"linear": 1.0},
    "half linear": {"linear": 0.5},
    **{f"{count} hidden causes": {"hidden": count} for count in (3, 6)},
}
BESIDE = ("GP", "location-scale noise", "multiplicative noise", "LiNGAM", "half linear")
ROWS = ("auto", "auto:effort=quick", "das", "score", "cam", "nogam", *TRIVIAL)


def _families(kinds: tuple[str, ...], edges: int) -> dict[str, dict[str, Any]]:
    return {f"ER{edges} {kind}": {"graph": "ER", "edges_per_node": edges, **KINDS[kind]} for kind in kinds}


SUITES = (
    Suite(
        "violations",
        "Tables that violate the assumptions",
        "Two edges a node, d = 20, n = 1000, standardised. Hidden causes act on two columns each, which have no edge "
        "between them. No direction can be known on linear Gaussian tables: `auto` leaves most of them open, and "
        "its SHD counts the likelier one.",
        simulated(_families(tuple(KINDS), 2), (20,), (STANDARDISED,)),
        ROWS,
    ),
    Suite(
        "violations-beside",
        "The same at other sizes and densities",
        "One and four edges a node, d = 10 and 50, n = 1000, standardised; three seeds.",
        simulated(_families(BESIDE, 1) | _families(BESIDE, 4), (10, 50), (STANDARDISED,)),
        ROWS,
    ),
)
