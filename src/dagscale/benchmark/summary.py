"""Runs gathered into cells: all seeds of one row on one case, by one version of the code."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, stdev
from typing import Any

from dagscale.benchmark.cases import Case
from dagscale.benchmark.execute import OK
from dagscale.benchmark.rows import parse_row
from dagscale.benchmark.store import Record, Store
from dagscale.benchmark.suite import REPORTING_SEEDS, Suite
from dagscale.benchmark.version import code_version
from dagscale.runtime.errors import InputError

COSTS = ("wall", "cpu", "peak_mb")  # kept beside a run's metrics, not among them


@dataclass(frozen=True)
class Cell:
    """The runs of one row on one case.

    Attributes
    ----------
    case : Case
    method : str
        The row's canonical name.
    runs : tuple of records
        Those that ended well, one per seed, all by the same code.
    failures : tuple of records
        Those that did not.
    outdated : bool
        Made by another version of the code than the present one.
    """

    case: Case
    method: str
    runs: tuple[Record, ...]
    failures: tuple[Record, ...] = ()
    outdated: bool = False

    def values(self, measure: str) -> list[float]:
        """List a measure over the seeds where it is defined."""
        found = [run.get(measure) if measure in COSTS else run["metrics"].get(measure) for run in self.runs]
        return [float(value) for value in found if value is not None]

    def mean(self, measure: str) -> float | None:
        """Average a measure over the seeds; None without a run that has it."""
        values = self.values(measure)
        return fmean(values) if values else None

    def fair_mean(self, measure: str) -> float | None:
        """Average for a comparison: None where a run has no answer, as the others may be the easy ones."""
        return None if self.failures else self.mean(measure)

    def sd(self, measure: str) -> float | None:
        """Return the sample standard deviation (n - 1) over the seeds; None for fewer than two."""
        values = self.values(measure)
        return stdev(values) if len(values) > 1 else None

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs that ended well."""
        return sorted(run["seed"] for run in self.runs)


@dataclass(frozen=True)
class Summary:
    """The cells of a suite, in the order of its cases and rows, and what is not shown."""

    suite: Suite
    cells: tuple[Cell, ...]
    hidden: int = 0  # runs of other versions of the code that no cell shows

    def of(self, case: Case) -> dict[str, Cell]:
        """Return the cells of a case by row."""
        return {cell.method: cell for cell in self.cells if cell.case == case}

    def records(self) -> list[Record]:
        """List every run shown, failed ones included."""
        return [record for cell in self.cells for record in (*cell.runs, *cell.failures)]


def summarise(
    suite: Suite,
    store: Store,
    nodes: Sequence[int] | None = None,
    seeds: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    any_version: bool = False,
) -> Summary:
    """Gather a suite's runs into cells.

    Only the reporting seeds count unless others are named. `any_version` fills a cell that the present
    code has not run with the runs of the version that made its latest one; a cell never mixes two.
    Rows that somebody ran besides the suite's own are shown after them.
    """
    sizes = suite.check_sizes(nodes)
    wanted = set(seeds if seeds is not None else REPORTING_SEEDS)
    declared = [parse_row(text).name for text in methods or suite.methods]
    by_parameters = {_identity(case.parameters()): case for case in suite.cases if case.nodes in sizes}
    groups: dict[tuple[Case, str], list[Record]] = {}
    for record in store.records.values():
        case = by_parameters.get(_identity(record["case"]))
        if case is not None and record["seed"] in wanted and (record["method"] in declared or not methods):
            groups.setdefault((case, record["method"]), []).append(record)
    others = sorted({method for _, method in groups} - set(declared))
    rows = declared + [method for method in others if _known(method)]
    cells, hidden = [], 0
    for case, method in product(by_parameters.values(), rows):
        records = groups.get((case, method), [])
        shown, outdated = _one_version(records, case, method, any_version)
        hidden += len(records) - len(shown)
        if shown:
            ended = {ok: tuple(r for r in shown if (r["status"] == OK) is ok) for ok in (True, False)}
            cells.append(Cell(case, method, ended[True], ended[False], outdated))
    return Summary(suite, tuple(cells), hidden)


def _one_version(
    records: list[Record], case: Case, method: str, any_version: bool
) -> tuple[list[Record], bool]:
    """Choose the runs of the present code, else, where allowed, those of the latest version."""
    if not records:
        return [], False
    latest = max(records, key=lambda record: record["finished"])["code"]
    try:
        present = code_version(parse_row(method), case.source)
    except InputError:  # a peer whose package is not here: nothing newer could be made
        present = latest
    chosen = present if not any_version or any(r["code"] == present for r in records) else latest
    shown = [record for record in records if record["code"] == chosen]
    return sorted(shown, key=lambda record: record["seed"]), chosen != present


def _identity(parameters: dict[str, Any]) -> str:
    return json.dumps(parameters, sort_keys=True)


def _known(row: str) -> bool:
    """Say whether a row of an older file still exists; one that does not cannot be shown."""
    try:
        parse_row(row)
    except InputError:
        return False
    return True
