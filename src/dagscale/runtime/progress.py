"""Progress on stderr: bars on a terminal for anything that takes longer than two seconds, else a line at times."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, int, int], None]  # (what is being done, steps done, steps in all)
DELAY = 2.0  # seconds before a bar appears
FIRST_LINE, LONGEST_PAUSE = (
    10.0,
    60.0,
)  # seconds before the first line without a terminal, and between later ones


def silent(_label: str, _done: int, _total: int) -> None:
    """Report nothing."""


@contextmanager
def reporter(progress: bool | Progress) -> Iterator[Progress]:
    """Give the callable that stages report to.

    `True` draws bars with rich on stderr when it is a terminal, and writes a line there now and then when it is
    not; a callable is used as it is.
    """
    if callable(progress):
        yield progress
    elif progress and sys.stderr.isatty():
        with _bars() as draw:
            yield draw
    elif progress:
        yield lines(sys.stderr.write)
    else:
        yield silent


def lines(write: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> Progress:
    """Return a reporter that writes a line after ten seconds, and then at growing pauses of up to a minute."""
    started = clock()
    due = started + FIRST_LINE

    def tell(label: str, done: int, total: int) -> None:
        nonlocal due
        now = clock()
        if now >= due:
            passed = now - started
            due = now + min(max(passed, FIRST_LINE), LONGEST_PAUSE)
            write(f"{passed:.0f} s: {label}, {done} of {total}\n")

    return tell


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
        what = label.split(", ")[0]  # what comes after changes: a score, say
        if what not in tasks:
            tasks[what] = bars.add_task(label, total=total)
        bars.update(tasks[what], completed=done, total=total, description=label)

    try:
        yield draw
    finally:
        if tasks:
            bars.stop()
