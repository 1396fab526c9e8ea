"""The one clock that searches look at: a deadline, or Ctrl-C once, ends them with the best they have."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_stopped = threading.Event()


class BudgetSpent(Exception):
    """The deadline has passed in the middle of a piece of work: the caller answers with what it has."""


def late(deadline: float) -> bool:
    """Say whether a search should end: `time.monotonic()` has passed the deadline, or the user pressed Ctrl-C."""
    return _stopped.is_set() or time.monotonic() >= deadline


def why_late() -> str:
    """Say in a sentence what ended the search."""
    what = "Ctrl-C" if _stopped.is_set() else "the time budget"
    return f"{what} ended the search: this is the best graph so far"


@contextmanager
def stoppable() -> Iterator[None]:
    """Let the first Ctrl-C end the search within, and the second interrupt it as usual.

    Only in the main thread, and only where nobody else handles Ctrl-C; elsewhere nothing changes.
    """
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def pressed(number: int, frame: Any) -> None:
        if _stopped.is_set():
            signal.default_int_handler(number, frame)
        _stopped.set()

    signal.signal(signal.SIGINT, pressed)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _stopped.clear()
