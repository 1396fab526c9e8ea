"""Runs gathered into cells: all seeds of one row on one case."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from dagscale.benchmark.cases import UNITS, Case
from dagscale.benchmark.execute import OK, TIMEOUT
from dagscale.benchmark.pairs import POOLED, Decision
from dagscale.benchmark.rows import parse_row
from dagscale.benchmark.sheet import MEASURES, spread
from dagscale.benchmark.store import Record, Store
from dagscale.benchmark.suite import Suite, reported_seeds

COSTS = ("wall", "cpu", "peak_mb")  # kept beside a run's metrics, not among them


@dataclass(frozen=True)
class Cell:
    """The runs of one row on one case, by seed: those with an answer, and the failures."""

    case: Case
    method: str
    runs: tuple[Record, ...]
    failures: tuple[Record, ...] = ()

    def values(self, measure: str) -> list[float]:
        """List a measure over the seeds where it is defined."""
        found = [run.get(measure) if measure in COSTS else run["metrics"].get(measure) for run in self.runs]
        return [float(value) for value in found if value is not None]

    def mean(self, measure: str) -> float | None:
        """Average a measure over the seeds; None without a run that has it."""
        if measure in POOLED:
            decided = [Decision.of(run["metrics"]) for run in self.runs if "right" in run["metrics"]]
            return POOLED[measure](decided) if decided else None
        values = self.values(measure)
        return fmean(values) if values else None

    def fair_mean(self, measure: str) -> float | None:
        """Average for a comparison: None where a run has no answer, as the others may be the easy ones."""
        return None if self.failures else self.mean(measure)

    def sd(self, measure: str) -> float | None:
        """Return the sample standard deviation (n - 1) over the seeds; None for fewer than two."""
        values = self.values(measure)
        return stdev(values) if len(values) > 1 else None

    def text(self, measure: str) -> str:
        """Write a mean with its standard deviation, and how many runs have no answer."""
        text = spread(self.mean(measure), self.sd(measure), MEASURES[measure][1])
        if not self.failures:
            return text
        word = "timeout" if all(run["status"] == TIMEOUT for run in self.failures) else "failed"
        return f"{text} ({len(self.failures)} {word})" if self.runs else word

    @property
    def seeds(self) -> set[int]:
        """The seeds of the runs with an answer."""
        return {run["seed"] for run in self.runs}

    def at(self, seeds: Collection[int]) -> "Cell":
        """Keep the runs of these seeds."""
        kept = [tuple(run for run in runs if run["seed"] in seeds) for runs in (self.runs, self.failures)]
        return replace(self, runs=kept[0], failures=kept[1])


@dataclass(frozen=True)
class Summary:
    """The cells of a suite, in the order of its cases and rows."""

    suite: Suite
    cells: tuple[Cell, ...]

    def of(self, case: Case) -> dict[str, Cell]:
        """Return the cells of a case by row."""
        return {cell.method: cell for cell in self.cells if cell.case == case}

    def cases(self) -> list[Case]:
        """List the cases that have a cell, families and sizes together, standardised before raw."""
        families = {case.family: i for i, case in reversed(list(enumerate(self.suite.cases)))}
        cases = dict.fromkeys(cell.case for cell in self.cells)
        return sorted(cases, key=lambda c: (families[c.family], c.nodes, UNITS.index(c.units)))


def summarise(
    suite: Suite,
    store: Store,
    nodes: Sequence[int] | None = None,
    seeds: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
) -> Summary:
    """Gather a suite's runs, of the reporting seeds unless others are named, into cells.

    Rows that somebody ran besides the suite's own come after them.
    """
    sizes = suite.check_sizes(nodes)
    declared = [parse_row(text).name for text in methods or suite.methods]
    cases = {_identity(case.parameters()): case for case in suite.cases if case.nodes in sizes}
    groups: dict[tuple[Case, str], list[Record]] = {}
    for record in store.values():
        case = cases.get(_identity(record["case"]))
        if case is None or (methods and record["method"] not in declared):
            continue
        if record["seed"] in (seeds if seeds is not None else reported_seeds(case)):
            groups.setdefault((case, record["method"]), []).append(record)
    rows = dict.fromkeys([*declared, *sorted({method for _, method in groups})])
    keys = [(case, method) for case in cases.values() for method in rows if (case, method) in groups]
    return Summary(suite, tuple(_cell(case, method, groups[case, method]) for case, method in keys))


def _cell(case: Case, method: str, records: list[Record]) -> Cell:
    records = sorted(records, key=lambda record: record["seed"])
    ended = {ok: tuple(r for r in records if (r["status"] == OK) is ok) for ok in (True, False)}
    return Cell(case, method, ended[True], ended[False])


def _identity(parameters: dict[str, Any]) -> str:
    return json.dumps(parameters, sort_keys=True)
