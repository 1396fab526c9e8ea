"""Measured tables, judged by what is known of them: published graphs, tiers of columns, directions of pairs."""

from dagscale.benchmark.cases import RAW, STANDARDISED, Case
from dagscale.benchmark.rows import TRIVIAL
from dagscale.benchmark.suite import Suite
from dagscale.data.datasets.tables import SACHS_GRAPHS

ROWS = ("auto", "auto:effort=quick", "das", "score", "cam", "nogam", *TRIVIAL)
PAIR_ROWS = 800  # at most, of each pair

SACHS = tuple(
    Case(
        f"Sachs, {graph}", 11, STANDARDISED, "sachs", () if graph == "reconstructed" else (("graph", graph),)
    )
    for graph in SACHS_GRAPHS
)
GENES = (
    Case("SynTReN", 20, STANDARDISED, "syntren"),
    Case("regulatory", 20, STANDARDISED, "regulatory", (("network", "synthetic"), ("nodes", 20))),
)
TIERS = (
    Case("Galton's families", 4, RAW, "galton"),
    Case("auto-mpg", 8, RAW, "auto-mpg"),
    Case("yacht", 7, RAW, "yacht"),
    Case("students' numbers", 16, RAW, "students"),
    Case("red wine", 12, RAW, "red-wine"),
)
PAIRS = tuple(
    Case(f"Tübingen pairs, {words}", 2, RAW, "tuebingen", (("samples", PAIR_ROWS),), filled)
    for words, filled in (("ties as they are", False), ("rounding cells filled", True))
)

SUITES = (
    Suite(
        "measured",
        "Measured tables",
        "Sachs is compared with four published graphs, which differ from each other by an SHD of 6 to 13: "
        "differences below that mean little. SynTReN and `regulatory` (drawn on a synthetic network) simulate gene "
        "expression. Of Galton's families, cars, yachts, students (columns of numbers) and red wines no graph is "
        "known, but which columns come before which; a link whose direction is left open is neither along nor "
        "against. When `auto` leaves one open was set while looking at the first three. The 99 Tübingen pairs, at "
        "most 800 rows of each, are weighted as published; no arrow counts half. Their ties betray directions, so "
        "they come as they are and with every value that repeats spread over its rounding cell. Tables with a "
        "graph are standardised, the others as measured. Methods for continuous columns take codes for numbers.",
        (*SACHS, *GENES, *TIERS, *PAIRS),
        ROWS,
        tables=("grid", "tiers"),
        also=("tier_score", "accuracy", "decision_area"),
        time_limit=600,
    ),
)
