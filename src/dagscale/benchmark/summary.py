"""Runs gathered into cells: all seeds of one row on one case, by one version of the code."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from dagscale.benchmark.cases import Case
from dagscale.benchmark.execute import OK
from dagscale.benchmark.rows import parse_row
from dagscale.benchmark.store import Record, Store
from dagscale.benchmark.suite import REPORTING_SEEDS, Suite, Trial
from dagscale.errors import InputError

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
    """
    rows = [parse_row(m).name for m in methods] if methods else _rows_found(suite, store)
    groups: dict[tuple[Case, str], list[Trial]] = {}
    for trial in suite.trials(nodes, seeds or REPORTING_SEEDS, rows) if rows else ():
        groups.setdefault((trial.case, trial.row.name), []).append(trial)
    cells, hidden = [], 0
    for (case, method), trials in groups.items():
        records, outdated = _one_version(store, trials, any_version)
        hidden += sum(len(store.any_version(trial)) for trial in trials) - len(records)
        if records:
            runs = tuple(r for r in records if r["status"] == OK)
            failures = tuple(r for r in records if r["status"] != OK)
            cells.append(Cell(case, method, runs, failures, outdated))
    place = {key: i for i, key in enumerate((c, m) for c in suite.cases for m in rows)}
    cells.sort(key=lambda cell: place[cell.case, cell.method])
    return Summary(suite, tuple(cells), hidden)


def _one_version(store: Store, trials: Iterable[Trial], any_version: bool) -> tuple[list[Record], bool]:
    trials = list(trials)
    present = [record for trial in trials if (record := store.current(trial))]
    if present or not any_version:
        return present, False
    older = [record for trial in trials for record in store.any_version(trial)]
    if not older:
        return [], False
    latest = max(older, key=lambda record: record["finished"])["code"]
    return [record for record in older if record["code"] == latest], True


def _rows_found(suite: Suite, store: Store) -> list[str]:
    """List the suite's rows, then those of its cases that somebody ran besides."""
    declared = [parse_row(text).name for text in suite.methods]
    cases = [case.parameters() for case in suite.cases]
    others = {
        r["method"] for r in store.records.values() if r["method"] not in declared and r["case"] in cases
    }
    return declared + sorted(row for row in others if _known(row))


def _known(row: str) -> bool:
    """Say whether a row of an older file still exists; one that does not cannot be shown."""
    try:
        parse_row(row)
    except InputError:
        return False
    return True
