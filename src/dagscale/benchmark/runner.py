"""Run the trials of a suite that are not in the results yet, in parallel, saving each as it ends."""

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool

from dagscale.benchmark.cases import SIMULATED, problem
from dagscale.benchmark.execute import KILLED, OK, TIMEOUT, Conditions, execute, record_of
from dagscale.benchmark.machine import software
from dagscale.benchmark.peers import PREFIX, peer_version
from dagscale.benchmark.store import Record, Store, append, key_of, read_folder, task_of
from dagscale.benchmark.suite import Suite, Trial
from dagscale.benchmark.watch import Watch, silent
from dagscale.runtime.workers import workers


@dataclass(frozen=True)
class Outcome:
    """How many runs were there already, were made now, and of these failed."""

    found: int
    made: int
    failed: int


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
    versions = _check_sources(missing)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{suite.name}.jsonl"
    n_workers = min(workers(conditions.n_jobs), max(len(missing), 1))
    failed = 0
    waiting = set(missing)
    for trial, record in _finished(missing, conditions, n_workers):
        made_with = software()
        made_with["versions"] = made_with["versions"] | versions.get(trial.row.method, {})
        append(path, record | made_with | {"workers": n_workers})
        waiting.discard(trial)
        failed += record["status"] != OK
        watch(trial, record, waiting)
    return Outcome(len(trials) - len(missing), len(missing), failed)


def _is_done(store: Store, trial: Trial, conditions: Conditions) -> bool:
    """Say whether a trial needs no run.

    A run that met its time limit is done for every limit up to that one; an error is final unless asked
    to be retried.
    """
    record = store.get(key_of(task_of(trial)))
    if record is None:
        return False
    if record["status"] == TIMEOUT:
        return conditions.limit is not None and conditions.limit <= record["limit"]
    return record["status"] == OK or not conditions.retry_failed


def _check_sources(trials: Sequence[Trial]) -> dict[str, dict[str, str]]:
    """Return the versions of the peers' packages.

    A data set or a package that is absent is one error before anything runs, not one per run.
    """
    for trial in {t.case.source: t for t in reversed(trials) if t.case.source != SIMULATED}.values():
        problem(trial.case, trial.seed)
    peers = {trial.row.method for trial in trials if trial.row.method.startswith(PREFIX)}
    return {method: peer_version(method.removeprefix(PREFIX)) for method in peers}


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
            tasks = [joblib.delayed(_with_trial)(trial, conditions, os.getpid()) for trial in waiting]
            # one run in hand per worker and none in reserve, so that a broken pool leaves few suspects
            pool = joblib.Parallel(
                n_jobs=n_workers, return_as="generator_unordered", batch_size=1, pre_dispatch=n_workers
            )
            for trial, record in pool(tasks):
                del waiting[trial]
                yield trial, record
        except BrokenProcessPool:
            for trial in list(waiting)[:n_workers]:
                record = _alone(trial, conditions)
                del waiting[trial]
                yield trial, record


def _with_trial(trial: Trial, conditions: Conditions, caller: int) -> tuple[Trial, Record]:
    if os.getpid() != caller and threading.current_thread() is threading.main_thread():
        # Ctrl-C reaches the whole group; the caller ends its workers itself, without their tracebacks
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return trial, execute(trial, conditions)


def _alone(trial: Trial, conditions: Conditions) -> Record:
    with ProcessPoolExecutor(max_workers=1) as pool:
        try:
            record: Record = pool.submit(_with_trial, trial, conditions, os.getpid()).result()[1]
            return record
        except BrokenProcessPool:
            error = "the process died, most often because memory ran out"
            return record_of(trial, conditions, {"status": KILLED, "error": error})
