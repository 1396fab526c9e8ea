"""Progress on stderr: a live line on a terminal for what takes longer than two seconds, else a line at times."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread

Progress = Callable[[str, int, int], None]  # (what is being done, steps done, steps in all)
DELAY = 2.0  # seconds before the line appears
BEST = ", best so far "  # what comes after is a score, which is told with later news, too
NUMBERS = 18  # characters that the steps and the time take on the live line
FIRST_LINE, LONGEST_PAUSE = (
    10.0,
    60.0,
)  # seconds before the first line without a terminal, and between later ones


def silent(_label: str, _done: int, _total: int) -> None:
    """Report nothing."""


@contextmanager
def reporter(progress: bool | Progress) -> Iterator[Progress]:
    """Give the callable that stages report to.

    `True` draws one line with rich on stderr when it is a terminal, and writes a line there now and then when it is
    not; both go on while a stage has no news. A callable is used as it is.
    """
    if callable(progress):
        yield progress
    elif progress and sys.stderr.isatty():
        with _line() as draw:
            yield draw
    elif progress:
        with kept_alive(lines(sys.stderr.write)) as tell:
            yield tell
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
def kept_alive(tell: Progress, pause: float = 1.0) -> Iterator[Progress]:
    """Give a reporter that tells the last news again at every pause, and the best score so far with all later ones."""
    latest: list[tuple[str, int, int]] = []
    best, over, one_at_a_time = [""], Event(), Lock()

    def news(label: str, done: int, total: int) -> None:
        what, said, score = label.partition(BEST)
        best[0] = said + score or best[0]
        latest[:] = [(what + best[0], done, total)]
        again()

    def again() -> None:
        with one_at_a_time:
            if latest:
                tell(*latest[0])

    def tick() -> None:
        while not over.wait(pause):
            again()

    ticking = Thread(target=tick, daemon=True)
    ticking.start()
    try:
        yield news
    finally:
        over.set()
        ticking.join()


def fitted(label: str, width: int) -> str:
    """Cut a label to a width: what is being done, not the score at its end."""
    what, said, score = label.partition(BEST)
    spare = width - len(said) - len(score)
    return label if len(what) <= spare else f"{what[: max(spare - 1, 0)]}…{said}{score}"


@contextmanager
def _line() -> Iterator[Progress]:
    """Give a reporter that draws one line on a terminal: what is being done, how far, and for how long."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), MofNCompleteColumn(), TimeElapsedColumn())
    bars = Bars(*columns, console=console, transient=True)
    task = bars.add_task("", total=1)
    started, shown = time.monotonic(), [False]

    def draw(label: str, done: int, total: int) -> None:
        fitting = fitted(label, console.width - NUMBERS)
        bars.update(task, completed=done, total=max(total, done + 1), description=fitting)
        if not shown[0] and time.monotonic() - started >= DELAY:
            shown[0] = True
            bars.start()

    try:
        with kept_alive(draw, pause=0.25) as news:
            yield news
    finally:
        if shown[0]:
            bars.stop()
