"""Progress of a benchmark on stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from dagscale.benchmark.forecast import in_words
from dagscale.benchmark.store import Record
from dagscale.benchmark.suite import Trial

QUIET = 5.0  # seconds between plain lines


class Watch(Protocol):
    """Told of every run that ends."""

    def __call__(self, trial: Trial, record: Record, done: int, total: int, left: float | None) -> None:
        """Take in a finished run, how many are done, and the seconds left (None: unknown)."""


def silent(trial: Trial, record: Record, done: int, total: int, left: float | None) -> None:
    """Show nothing."""


@contextmanager
def watching(stream: TextIO | None = None) -> Iterator[Watch]:
    """Give the watch that fits the stream (stderr unless given)."""
    stream = stream or sys.stderr
    if stream.isatty():
        with _bar() as watch:
            yield watch
    else:
        yield _lines(stream)


def outcome(trial: Trial, record: Record) -> str:
    """Say in one phrase how a run ended."""
    if record["status"] != "ok":
        return f"{trial.name}: {record['status']} {record.get('error', '')}".rstrip()
    return f"{trial.name}: SHD {record['metrics']['shd']} in {record['wall']:.1f} s"


def _estimate(left: float | None) -> str:
    return "time left unknown" if left is None else f"about {in_words(left)} left"


def _lines(stream: TextIO) -> Watch:
    last = [-QUIET]

    def watch(trial: Trial, record: Record, done: int, total: int, left: float | None) -> None:
        now = time.monotonic()
        if now - last[0] >= QUIET or done == total or record["status"] != "ok":
            last[0] = now
            stream.write(f"[{done}/{total}] {outcome(trial, record)}; {_estimate(left)}\n")
            stream.flush()

    return watch


@contextmanager
def _bar() -> Iterator[Watch]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"), TextColumn("{task.description}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("starting", total=None, left="")

        def watch(trial: Trial, record: Record, done: int, total: int, left: float | None) -> None:
            if record["status"] != "ok":
                bar.console.print(outcome(trial, record), markup=False, highlight=False)
            description = outcome(trial, record).replace("[", "\\[")
            bar.update(task, completed=done, total=total, left=_estimate(left), description=description)

        yield watch
