"""Tables of mixed columns: 30% are cut to two or three levels or to counts, before their children are made."""

from dagscale.benchmark.cases import STANDARDISED, simulated
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.suite import Suite

ROWS = (
    "auto", "auto:effort=quick", "auto:kinds=continuous", "cam", "one-hot-cam",
    "peer:pgmpy-hill", "peer:lingam-lim",
    "peer:causal-learn-gsq", "peer:causal-learn-rcit", "peer:causal-learn-pc", "peer:causal-learn-ges",
    *TRIVIAL,
)  # fmt: skip

SUITES = (
    Suite(
        "mixed",
        "Tables of numbers, levels and counts",
        "One and two edges a node, d = 20, n = 1000. `auto:kinds=continuous` takes the codes for numbers; "
        "`one-hot-cam` gives every level a column. Wrong links are those missing or too many, whatever their "
        "direction; claimed arrows leave out the links that `auto` says may point either way.",
        simulated(
            {
                f"ER{edges} mixed": {"graph": "ER", "edges_per_node": edges, "discrete": 0.3}
                for edges in (1, 2)
            },
            (20,),
            (STANDARDISED,),
        ),
        ROWS,
        tables=("grid", "detail"),
        measure="link_errors",
    ),
)
