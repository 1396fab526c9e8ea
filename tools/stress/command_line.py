"""The command line in a process of its own, which can be killed at any moment."""

import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import IO

import dagscale.methods.registry
import dagscale.resampling
import dagscale.result.report  # noqa: F401 - what a run imports late is here before it is forked
from dagscale.cli import main
from dagscale.runtime import checkpoint


class Run:
    """One run of the command line.

    The process is forked, so that nothing is imported again. It stores each piece of its work at once, as a long
    run does after its first seconds.

    Parameters
    ----------
    *arguments : object
        Of the command line.
    """

    def __init__(self, *arguments: object) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `ended`
        self.began = time.monotonic()
        self.process = os.fork()
        if not self.process:
            _become([str(argument) for argument in arguments], self._errors)

    def kill(self) -> bool:
        """Kill the run with SIGKILL; False where it had ended already."""
        os.kill(self.process, signal.SIGKILL)
        return self.ended()[0] == -signal.SIGKILL

    def ended(self) -> tuple[int, str]:
        """Wait; the exit status, negative for a signal, and what was written on the standard error."""
        _, status = os.waitpid(self.process, 0)
        with self._errors as file:
            file.seek(0)
            return os.waitstatus_to_exitcode(status), file.read().decode(errors="replace")


def _become(arguments: list[str], errors: IO[bytes]) -> None:
    """Be the command line, in the child."""
    code = 70
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        warnings.resetwarnings()
        with Path(os.devnull).open("wb") as nothing:
            os.dup2(nothing.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        checkpoint.FIRST = checkpoint.PAUSE = 0.0
        checkpoint.SHARE = 1e9
        main(arguments)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
