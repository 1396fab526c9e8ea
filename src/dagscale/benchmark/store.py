"""The results file: one finished run per line of JSON, only ever appended to.

A run's key is a hash of everything its numbers depend on: the case's parameters, the method with its
settings, the seed and the code version. Two runs that differ in any of these have different keys, so
looking a key up can never mix them.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dagscale.benchmark.suite import Trial
from dagscale.benchmark.version import code_version
from dagscale.runtime.errors import InputError

SCHEMA = 1
Record = dict[str, Any]


def task_of(trial: Trial) -> dict[str, Any]:
    """Return what a run computes, without the code that computes it."""
    return {"case": trial.case.parameters(), "method": trial.row.name, "seed": trial.seed}


def key_of(task: dict[str, Any], code: str | None) -> str:
    """Hash a task, with the code version that runs it (None: whatever the version)."""
    text = json.dumps({"task": task, "code": code}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def trial_key(trial: Trial) -> str:
    """Return the key of a run by the present code."""
    return key_of(task_of(trial), code_version(trial.row, trial.case.source))


def append(path: Path, record: Record) -> None:
    """Add one line and wait until it is on the disk.

    The line goes out in a single write to a file opened for appending, so writers of several benchmarks
    do not mix. After a half-written last line (the machine stopped in the middle) a new one is begun.
    """
    line = json.dumps(record, sort_keys=True, allow_nan=False) + "\n"
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(file).st_size
        if size and os.pread(file, 1, size - 1) != b"\n":
            line = "\n" + line
        content = line.encode()
        if os.write(file, content) < len(content):
            raise OSError(f"only a part of the run could be written to {str(path)!r}: the disk is full")
        os.fsync(file)
    finally:
        os.close(file)


@dataclass(frozen=True)
class Store:
    """The finished runs of a folder of results files, by key.

    Attributes
    ----------
    records : dict of str to record
        By key; of several runs of one key the last counts.
    by_task : dict of str to list of records
        By the key without the code version, in the order they were finished.
    damaged : int
        Lines that could not be read.
    """

    records: dict[str, Record]
    by_task: dict[str, list[Record]] = field(default_factory=dict)
    damaged: int = 0

    def current(self, trial: Trial) -> Record | None:
        """Return the run of a trial by the present code."""
        return self.records.get(trial_key(trial))

    def any_version(self, trial: Trial) -> list[Record]:
        """Return the runs of a trial by any code, oldest first."""
        return self.by_task.get(key_of(task_of(trial), None), [])


def read_folder(folder: Path) -> Store:
    """Read every results file of a folder, so that suites with common runs share them."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{str(folder)!r} is a file; --out names a folder for the results")
    lines = (line for path in sorted(folder.glob("*.jsonl")) for line in _lines(path))
    return _collect(lines)


def _lines(path: Path) -> Iterable[str]:
    return filter(None, path.read_text(encoding="utf-8", errors="replace").split("\n"))


def _collect(lines: Iterable[str]) -> Store:
    records: dict[str, Record] = {}
    by_task: dict[str, dict[str, Record]] = {}
    damaged = 0
    for line in lines:
        record = _parsed(line)
        if record is None:
            damaged += 1
            continue
        records[record["key"]] = record
        task = {name: record[name] for name in ("case", "method", "seed")}
        by_task.setdefault(key_of(task, None), {})[record["key"]] = record
    ordered = {task: sorted(runs.values(), key=lambda r: r["finished"]) for task, runs in by_task.items()}
    return Store(records, ordered, damaged)


def _parsed(line: str) -> Record | None:
    """Read a line; None if it is half-written, or was altered after it was written."""
    try:
        record = json.loads(line)
        task = {name: record[name] for name in ("case", "method", "seed")}
        intact = record["schema"] == SCHEMA and record["key"] == key_of(task, record["code"])
        return record if intact else None
    except (ValueError, KeyError, TypeError):
        return None
