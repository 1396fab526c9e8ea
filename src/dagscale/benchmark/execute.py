"""One run, in whichever process it happens: draw the data, run the row, judge the answer."""

import hashlib
import math
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from dagscale.benchmark.cases import problem
from dagscale.benchmark.judge import judge_problem
from dagscale.benchmark.machine import machine
from dagscale.benchmark.measure import Cost, TimeLimitReached, measured, time_limit
from dagscale.benchmark.rows import answer
from dagscale.benchmark.store import Record, task_of
from dagscale.benchmark.suite import Trial
from dagscale.runtime.types import BoolArray

OK, ERROR, TIMEOUT, KILLED = "ok", "error", "timeout", "killed"


@dataclass(frozen=True)
class Conditions:
    """How runs are made."""

    n_jobs: int | None = None  # runs at a time; None: the active `joblib.parallel_config`, else all cores
    jobs_per_run: int = 1  # workers inside each run
    limit: float | None = None  # seconds a run may take
    device: str = "cpu"  # or a torch device such as "cuda"
    retry_failed: bool = False  # run again what ended in an error


def execute(trial: Trial, conditions: Conditions) -> Record:
    """Run a trial and return its record; whatever the row does wrong is recorded, not raised."""
    try:
        data = problem(trial.case, trial.seed)
    except Exception as error:  # some settings overflow on deep graphs
        return record_of(trial, conditions, {"status": ERROR, "error": _one_line(error)})
    outcome: dict[str, Any]
    with threadpool_limits(limits=1), measured() as cost, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(1)
        try:
            with time_limit(conditions.limit):
                found = answer(trial.row, data, trial.seed, conditions.jobs_per_run, conditions.device)
            outcome = {"status": OK}
        except TimeLimitReached:
            outcome = {"status": TIMEOUT, "limit": conditions.limit}
        except Exception as error:  # a row that fails is a result of the benchmark
            outcome = {"status": ERROR, "error": _one_line(error)}
    if outcome["status"] == OK:
        outcome |= {"metrics": judge_problem(data, found), "graph": fingerprint(found.adjacency)}
        outcome |= {"notes": [str(note) for note in found.notes]} if found.notes else {}
    return record_of(trial, conditions, outcome, cost)


def record_of(
    trial: Trial, conditions: Conditions, outcome: Mapping[str, Any], cost: Cost | None = None
) -> Record:
    """Put together the line of the results file; `outcome` holds at least the status."""
    costs = vars(cost) if cost else {}
    spent = {name: round(value, 4) if math.isfinite(value) else None for name, value in costs.items()}
    return {
        **task_of(trial),
        **outcome,
        **spent,
        "device": conditions.device,
        "jobs_per_run": conditions.jobs_per_run,
        "machine": machine(),
        "finished": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


def fingerprint(adjacency: BoolArray) -> str:
    """Hash a graph, so that two records tell whether they hold the same one."""
    return hashlib.sha256(np.packbits(adjacency).tobytes()).hexdigest()[:12]


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
