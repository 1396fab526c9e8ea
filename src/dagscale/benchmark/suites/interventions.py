"""Tables with experiments: columns that were set, told rightly, not at all, or wrongly."""

from dataclasses import replace
from typing import Any

from dagscale.benchmark.cases import STANDARDISED, Case, Experiments, simulated
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.suite import Suite

KINDS: dict[str, dict[str, Any]] = {
    "linear Gaussian": {"linear": 1.0},
    "GP": {},
    "sums of sigmoids": {"mechanism": "sigmoid-additive"},
}
OBSERVATIONS = 400
ROWS = (
    "auto", "auto:labels=unknown", "auto:labels=wrong", "auto:labels=none", "auto:labels=observed",
    "cam", "das", "score", "nogam", "cam:labels=observed",
    "peer:gies-bic", "peer:causaldag-igsp", "peer:causaldag-utigsp", "peer:sdcd-mlp", *TRIVIAL,
)  # fmt: skip
LARGEST = {
    "auto:labels=wrong": 20, "nogam": 20, "peer:causaldag-igsp": 20, "peer:causaldag-utigsp": 20, "peer:sdcd-mlp": 10,
}  # fmt: skip


def _cases(words: str, d: int, experiments: Experiments, *kinds: str) -> tuple[Case, ...]:
    families = {
        f"{kind}{words}": {"graph": "ER", "edges_per_node": 2, "samples": OBSERVATIONS, **KINDS[kind]}
        for kind in kinds or KINDS
    }
    return tuple(
        replace(case, experiments=experiments) for case in simulated(families, (d,), (STANDARDISED,))
    )


SUITES = (
    Suite(
        "interventions",
        "Tables with experiments",
        "Two edges a node, 400 rows without intervention and 60 of each experiment. At d = 10 every column is set "
        "once, at d = 20 and 100 half of them; 'soft' gives the column another mechanism of the same parents, 'two "
        "at once' sets a column and its neighbour in the table. Rows are told which columns were set "
        "(`labels=known`, what stands without a word), which rows belong together (`unknown`), the same with one "
        "label in five exchanged (`wrong`), nothing (`none`), or have only the rows without intervention "
        "(`observed`). UT-IGSP is told which rows belong together, IGSP, GIES and SDCD the columns. An undirected edge "
        "counts as one error.",
        (
            *_cases("", 10, Experiments(10)),
            *_cases("", 20, Experiments(10)),
            *_cases(", soft", 10, Experiments(10, kind="soft")),
            *_cases(", two at once", 10, Experiments(10, together=2)),
            *_cases("", 100, Experiments(50), "linear Gaussian", "GP"),
        ),
        ROWS,
        largest=LARGEST,
        also=("changed_f1", "wrong_named", "right_accused", "skeleton_f1", "cpu"),
        time_limit=1800,
    ),
)
