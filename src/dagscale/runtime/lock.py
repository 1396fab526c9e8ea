"""One run at a time in a folder: a lock that the system gives back whatever way the run ends."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dagscale.runtime.errors import InputError, shown


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Make a folder and hold it, or say in one line that another run does; gone at the end if it is empty.

    The lock is on the folder itself and goes with it where it is renamed, so that nothing has to be cleared
    away after a kill. Network drives without locks are taken as they are.

    Raises
    ------
    InputError
        Another run holds the folder.
    OSError
        The folder cannot be made.
    """
    handle = _hold(folder)
    try:
        yield
    finally:
        if handle is None or _is_at(handle, folder):  # else it was put somewhere else, complete
            with suppress(OSError):
                folder.rmdir()
        if handle is not None:
            os.close(handle)


def _hold(folder: Path) -> int | None:
    """Return the handle of the locked folder, None where there are no locks."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            handle = _lock(folder)
        except FileNotFoundError:  # the other run has just put its folder in place
            continue
        if handle is None or _is_at(handle, folder):
            return handle
        os.close(handle)


def _lock(folder: Path) -> int | None:
    if sys.platform == "win32":  # folders have no locks there, but a file can be made to go with its process
        beside = folder.with_name(folder.name + ".lock")
        try:
            return os.open(beside, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY)
        except FileExistsError:
            raise _held(folder) from None
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise _held(folder) from None
    except OSError:
        os.close(handle)
        return None
    return handle


def _is_at(handle: int, folder: Path) -> bool:
    """Say whether the locked folder is still the one at this place."""
    if sys.platform == "win32":
        return folder.exists()
    try:
        return os.path.samestat(os.fstat(handle), folder.stat())
    except OSError:
        return False


def _held(folder: Path) -> InputError:
    return InputError(f"another run is writing to {shown(str(folder))}: wait for it, or name another place")
