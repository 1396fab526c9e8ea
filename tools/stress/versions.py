"""The lowest declared and the newest version of every dependency, each in an environment of its own."""

import subprocess
import sys
from pathlib import Path

from stress.judge import Outcome, attempt

WHICH = ("lowest", "newest")
TOOLS = Path(__file__).resolve().parent.parent


def tested(k: int) -> list[Outcome]:
    """Install the versions and run the short suite with them."""
    return [attempt("versions of dependencies", WHICH[k], _tested, WHICH[k])]


def _tested(which: str) -> list[str]:
    command = [sys.executable, str(TOOLS / "floors.py"), *(["--newest"] if which == "newest" else [])]
    done = subprocess.run(command, capture_output=True, text=True)
    return (
        []
        if done.returncode == 0
        else [done.stdout.strip().splitlines()[-1] if done.stdout else done.stderr[-200:]]
    )
