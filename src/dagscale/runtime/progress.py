"""Progress on a terminal: a bar for anything that takes longer than two seconds, on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, int, int], None]  # (what is being done, steps done, steps in all)
DELAY = 2.0  # seconds before a bar appears


def silent(_label: str, _done: int, _total: int) -> None:
    """Report nothing."""


@contextmanager
def reporter(progress: bool | Progress) -> Iterator[Progress]:
    """Give the callable that stages report to.

    `True` draws bars with rich on stderr when it is a terminal and is silent otherwise; a callable
    is used as it is.
    """
    if callable(progress):
        yield progress
    elif progress and sys.stderr.isatty():
        with _bars() as draw:
            yield draw
    else:
        yield silent


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bars = Bars(*columns, console=Console(stderr=True), transient=True)
    tasks: dict[str, Any] = {}
    started = time.monotonic()

    def draw(label: str, done: int, total: int) -> None:
        if time.monotonic() - started < DELAY:
            return
        if not tasks:
            bars.start()
        if label not in tasks:
            tasks[label] = bars.add_task(label, total=total)
        bars.update(tasks[label], completed=done, total=total)

    try:
        yield draw
    finally:
        if tasks:
            bars.stop()
