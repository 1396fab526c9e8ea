"""The results files: one finished run per line of JSON, only ever appended to.

A run is identified by its case, its seed, its method with the settings, and the method's results version, a
number that is raised by hand (`rows.RESULTS_VERSIONS`). Commit, package versions, machine and device are
stored with it but do not identify it.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dagscale.benchmark.rows import results_version
from dagscale.benchmark.suite import Trial
from dagscale.runtime.errors import InputError

Record = dict[str, Any]
Store = dict[str, Record]  # by `key_of`
KEY = ("case", "method", "seed", "results_version")


def task_of(trial: Trial) -> Record:
    """Return what identifies a run of a trial by the present code."""
    case, method = trial.case.parameters(), trial.row.name
    return {"case": case, "method": method, "seed": trial.seed, "results_version": results_version(method)}


def key_of(record: Mapping[str, Any]) -> str:
    """Return what identifies a record, as text."""
    return json.dumps([record[name] for name in KEY], sort_keys=True)


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


def read_folder(folder: Path) -> Store:
    """Read every results file of a folder, so that suites with common runs share them.

    Of several runs with one key the newest counts. Half-written lines and runs of an earlier results version
    are passed over.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{str(folder)!r} is a file; --out names a folder for the results")
    store: Store = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
            record = _parsed(line)
            if record is None or record["results_version"] != results_version(record["method"]):
                continue
            key = key_of(record)
            if key not in store or store[key]["finished"] <= record["finished"]:
                store[key] = record
    return store


def _parsed(line: str) -> Record | None:
    try:
        record = json.loads(line)
        return record if isinstance(record, dict) and {*KEY, "status", "finished"} <= record.keys() else None
    except ValueError:
        return None
