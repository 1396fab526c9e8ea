"""Progress of a benchmark: a line on stderr every few seconds, with an estimate of the time left."""

import sys
import time
from collections.abc import Callable, Collection
from typing import TextIO

from dagscale.benchmark.store import Record
from dagscale.benchmark.suite import Trial

TOLD = (("SHD", "shd"), ("tier score", "tier_score"), ("right", "right"))  # the first that a run has
PAUSE = 5.0  # seconds between lines
Watch = Callable[[Trial, Record, Collection[Trial]], None]  # a run that ended, its record, those that wait


def silent(trial: Trial, record: Record, waiting: Collection[Trial]) -> None:
    """Show nothing."""


def lines(stream: TextIO | None = None) -> Watch:
    """Return a watch that writes lines to the stream (stderr unless given).

    The time left assumes that a run takes time in proportion to d², as the sizes run from small to large.
    """
    began, last = time.monotonic(), -PAUSE
    work, total = 0.0, 0

    def watch(trial: Trial, record: Record, waiting: Collection[Trial]) -> None:
        nonlocal work, total, last
        work, total = work + trial.case.nodes**2, total + 1
        now = time.monotonic()
        if now - last < PAUSE and waiting and record["status"] == "ok":
            return
        last = now
        left = (now - began) / work * sum(t.case.nodes**2 for t in waiting)
        duration = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
        out = stream or sys.stderr
        out.write(f"[{total}/{total + len(waiting)}] {outcome(trial, record)}; about {duration} left\n")
        out.flush()

    return watch


def outcome(trial: Trial, record: Record) -> str:
    """Say in one phrase how a run ended."""
    if record["status"] != "ok":
        return f"{trial.name}: {record['status']} {record.get('error', '')}".rstrip()
    told = ((name, record["metrics"].get(measure)) for name, measure in TOLD)
    name, value = next((name, value) for name, value in told if value is not None)
    return f"{trial.name}: {name} {value} in {record['wall']:.1f} s"
