"""Run the trials of a suite that are not in the results yet, in parallel, saving each as it ends."""

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool

from dagscale.benchmark.cases import SIMULATED, problem
from dagscale.benchmark.execute import KILLED, OK, TIMEOUT, execute, record_of
from dagscale.benchmark.forecast import Forecast, kind_of
from dagscale.benchmark.machine import software
from dagscale.benchmark.store import Record, Store, append, read_folder
from dagscale.benchmark.suite import Suite, Trial
from dagscale.benchmark.version import code_version
from dagscale.benchmark.watch import Watch, silent
from dagscale.runtime.workers import workers


@dataclass(frozen=True)
class Conditions:
    """How runs are made.

    Attributes
    ----------
    n_jobs : int or None
        Runs at a time; None is the active `joblib.parallel_config` (dask, say), else all cores.
    jobs_per_run : int
        Workers inside each run.
    limit : float or None
        Seconds a run may take.
    keep_version : bool
        Count runs made by other versions of the code as done.
    retry_failed : bool
        Run again what ended in an error.
    """

    n_jobs: int | None = None
    jobs_per_run: int = 1
    limit: float | None = None
    keep_version: bool = False
    retry_failed: bool = False


@dataclass(frozen=True)
class Outcome:
    """How many runs were there already, were made now, and of these failed."""

    found: int
    made: int
    failed: int
    path: Path


def run_suite(
    suite: Suite,
    trials: Sequence[Trial],
    folder: Path,
    conditions: Conditions | None = None,
    watch: Watch = silent,
) -> Outcome:
    """Run the trials whose results are not in the folder; append each to `<folder>/<suite>.jsonl`.

    May be killed at any moment and called again: what was appended is not run again.
    """
    conditions = conditions or Conditions()
    store = read_folder(folder)
    missing = [trial for trial in trials if not _is_done(store, trial, conditions)]
    _refuse_missing_data(missing)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{suite.name}.jsonl"
    n_workers = min(workers(conditions.n_jobs), max(len(missing), 1))
    forecast = Forecast(store.records.values())
    waiting = Counter(kind_of(trial) for trial in missing)
    failed = 0
    for made, (trial, record) in enumerate(_finished(missing, conditions, n_workers), start=1):
        append(path, record | software() | {"workers": n_workers})
        forecast.learn(record)
        waiting[kind_of(trial)] -= 1
        failed += record["status"] != OK
        watch(trial, record, made, len(missing), forecast.remaining(waiting, n_workers))
    return Outcome(len(trials) - len(missing), len(missing), failed, path)


def _is_done(store: Store, trial: Trial, conditions: Conditions) -> bool:
    """Say whether a trial needs no run.

    A run that met its time limit is done for every limit up to that one; an error is final unless asked
    to be retried.
    """
    record = store.current(trial)
    if record is None and conditions.keep_version and (older := store.any_version(trial)):
        record = older[-1]
    if record is None:
        return False
    if record["status"] == TIMEOUT:
        return conditions.limit is not None and conditions.limit <= record["limit"]
    return record["status"] == OK or not conditions.retry_failed


def _refuse_missing_data(trials: Sequence[Trial]) -> None:
    """Load one table of each data set before anything runs: its absence is one line, not many failures."""
    first = {t.case.source: t for t in reversed(trials) if t.case.source != SIMULATED}
    for trial in first.values():
        problem(trial.case, trial.seed)


def _finished(
    trials: Sequence[Trial], conditions: Conditions, n_workers: int
) -> Iterator[tuple[Trial, Record]]:
    """Yield every trial with its record, in the order they end.

    When a worker dies (most often the system's answer to memory running out) the pool breaks and does
    not say on which run. The runs it had in hand, the first of those not finished, are then made one by
    one in a process of their own; the one that dies again is recorded as killed, and the rest go on.
    """
    waiting = dict.fromkeys(trials)
    while waiting:
        try:
            for trial, record in _in_parallel(list(waiting), conditions, n_workers):
                del waiting[trial]
                yield trial, record
        except BrokenProcessPool:
            for trial in list(waiting)[:n_workers]:
                record = _alone(trial, conditions)
                del waiting[trial]
                yield trial, record


def _in_parallel(
    trials: Sequence[Trial], conditions: Conditions, n_workers: int
) -> Iterator[tuple[Trial, Record]]:
    # one run in hand per worker and none in reserve, so that a broken pool leaves few suspects
    pool = joblib.Parallel(
        n_jobs=n_workers, return_as="generator_unordered", batch_size=1, pre_dispatch=n_workers
    )
    finished: Iterator[tuple[Trial, Record]] = pool(
        joblib.delayed(_with_trial)(trial, conditions, _code(trial), os.getpid()) for trial in trials
    )
    return finished


def _with_trial(trial: Trial, conditions: Conditions, code: str, caller: int) -> tuple[Trial, Record]:
    if os.getpid() != caller and threading.current_thread() is threading.main_thread():
        # Ctrl-C reaches the whole group; the caller ends its workers itself, without their tracebacks
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return trial, execute(trial, code, conditions.limit, conditions.jobs_per_run)


def _alone(trial: Trial, conditions: Conditions) -> Record:
    with ProcessPoolExecutor(max_workers=1) as pool:
        try:
            ended = pool.submit(_with_trial, trial, conditions, _code(trial), os.getpid())
            record: Record = ended.result()[1]
            return record
        except BrokenProcessPool:
            error = "the process died, most often because memory ran out"
            return record_of(trial, _code(trial), {"status": KILLED, "error": error})


def _code(trial: Trial) -> str:
    return code_version(trial.row, trial.case.source)
