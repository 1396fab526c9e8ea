"""Memory: what a run takes at its peak, against what `plan` had said."""

import subprocess
import sys

import dagscale
from stress.judge import Outcome, attempt

MORE = 1.5  # times the forecast
CASES = (
    ("das", 500, 60),
    ("score", 500, 60),
    ("cam", 500, 60),
    ("nogam", 300, 20),
    ("auto", 200, 8),
    ("das", 2000, 30),
)
CHILD = """
import resource, sys
from pathlib import Path
import dagscale
method, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dagscale.discover(dagscale.simulate(nodes=d, samples=n, random_state=1, n_jobs=1).table, method, n_jobs=1)
status = Path("/proc/self/status")  # Linux: what `resource` says there counts the process that started this one
kept = [line for line in status.read_text().splitlines() if "VmHWM" in line] if status.exists() else []
print(kept[0].split()[1] if kept else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def memory(k: int) -> list[Outcome]:
    """Run a method in a process of its own and read its peak."""
    method, n, d = CASES[k]
    return [attempt("memory against plan", f"{method}, {n} rows, {d} columns", _held, method, n, d)]


def _held(method: str, n: int, d: int) -> list[str]:
    said = dagscale.plan(n, d, method, n_jobs=1, probe=False).memory
    command = [sys.executable, "-c", CHILD, method, str(n), str(d)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = unit * int(done.stdout.split()[-1])
    return [] if peak <= MORE * said else [f"took {peak / 1e6:.0f} MB where plan said {said / 1e6:.0f}"]
