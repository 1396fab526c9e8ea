"""One run, in whichever process it happens: draw the data, run the row, judge the answer."""

import hashlib
import math
import sys
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dagscale.benchmark.cases import problem
from dagscale.benchmark.judge import judge
from dagscale.benchmark.machine import machine
from dagscale.benchmark.measure import Cost, TimeLimitReached, measured, time_limit
from dagscale.benchmark.rows import answer
from dagscale.benchmark.store import SCHEMA, Record, key_of, task_of
from dagscale.benchmark.suite import Trial
from dagscale.benchmark.version import code_version
from dagscale.runtime.errors import InputError
from dagscale.runtime.types import BoolArray

OK, ERROR, TIMEOUT, KILLED = "ok", "error", "timeout", "killed"


def execute(trial: Trial, code: str, limit: float | None, jobs_per_run: int) -> Record:
    """Run a trial and return its record; whatever the row does wrong is recorded, not raised."""
    if code_version(trial.row, trial.case.source) != code:
        raise InputError("the source changed while the benchmark ran; start the same command again")
    try:
        data = problem(trial.case, trial.seed)
    except Exception as error:  # some settings overflow on deep graphs
        return record_of(trial, code, {"status": ERROR, "error": _one_line(error)})
    outcome: dict[str, Any]
    with threadpool_limits(limits=1), measured() as cost, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _limit_torch()
        try:
            with time_limit(limit):
                found = answer(trial.row, data, trial.seed, jobs_per_run)
            outcome = {"status": OK}
        except TimeLimitReached:
            outcome = {"status": TIMEOUT, "limit": limit}
        except Exception as error:  # a row that fails is a result of the benchmark
            outcome = {"status": ERROR, "error": _one_line(error)}
    if outcome["status"] == OK:
        outcome |= {"metrics": judge(data.truth, found), "graph": _fingerprint(found.adjacency)}
        outcome |= {"notes": [str(note) for note in found.notes]} if found.notes else {}
    return record_of(trial, code, outcome, cost, jobs_per_run)


def record_of(
    trial: Trial, code: str, outcome: Mapping[str, Any], cost: Cost | None = None, jobs_per_run: int = 1
) -> Record:
    """Put together the line of the results file; `outcome` holds at least the status."""
    task = task_of(trial)
    spent = {} if cost is None else {name: _finite(value, 4) for name, value in vars(cost).items()}
    return {
        "schema": SCHEMA,
        "key": key_of(task, code),
        **task,
        "code": code,
        **outcome,
        **spent,
        "jobs_per_run": jobs_per_run,
        "machine": machine(),
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def _fingerprint(adjacency: BoolArray) -> str:
    """Hash a graph, so that two records tell whether they hold the same one."""
    return hashlib.sha256(np.packbits(adjacency).tobytes()).hexdigest()[:12]


def _finite(value: float, digits: int) -> float | None:
    return round(float(value), digits) if math.isfinite(value) else None


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def _limit_torch() -> None:
    """Hold torch to one thread as well, where some row has loaded it."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
