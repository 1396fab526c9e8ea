"""Where a peer runs: in this interpreter when its package is here, else in the one of DAGSCALE_PEERS_PYTHON.

Peers pin what they need (lingam an old scipy, others an old numpy), so they may live in an environment of
their own. It needs numpy and the peers' packages, not dagscale. The data travel through .npz files. A run
there takes longer by the start of an interpreter and the imports, and the board does not see its memory.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache, wraps
from importlib import metadata
from pathlib import Path

import numpy as np

from dagscale.errors import InputError
from dagscale.types import BoolArray, FloatArray

VARIABLE = "DAGSCALE_PEERS_PYTHON"
WORKER = Path(__file__).parent / "_worker.py"
Run = Callable[[FloatArray, list[str], int], BoolArray]


def is_here(package: str) -> bool:
    """Say whether this interpreter has a distribution."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


@cache
def is_there(package: str, python: str | None) -> bool:
    """Say whether the peers' interpreter has a distribution."""
    if not python:
        return False
    ask = f"from importlib.metadata import version; version({package!r})"
    try:
        return subprocess.run([python, "-c", ask], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def available(package: str) -> bool:
    """Say whether a peer of this package can run, here or there."""
    return is_here(package) or is_there(package, os.environ.get(VARIABLE))


def version_of(package: str) -> str | None:
    """Name the package for the record of versions; None where it runs elsewhere and is not installed here."""
    return package if is_here(package) or not is_there(package, os.environ.get(VARIABLE)) else None


def peer_of(package: str) -> Callable[[Run], Run]:
    """Make a peer's `run` go where its package is."""

    def decorate(function: Run) -> Run:
        @wraps(function)
        def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
            if is_here(package):
                return function(X, names, seed)
            python = os.environ.get(VARIABLE)
            if not is_there(package, python):
                raise InputError(
                    f"this peer needs {package}: pip install {package}, or set {VARIABLE} "
                    "to the Python of an environment that has it"
                )
            return run_there(str(python), function.__module__, X, names, seed)

        return run

    return decorate


def run_there(python: str, module: str, X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Run a peer's module in another interpreter; interrupting this call ends it there too."""
    with tempfile.TemporaryDirectory() as folder:
        question, answer = Path(folder) / "question.npz", Path(folder) / "answer.npz"
        np.savez(question, X=X, names=np.array(names), seed=seed)
        command = [python, str(WORKER), module, str(question), str(answer)]
        environment = {key: value for key, value in os.environ.items() if key != VARIABLE}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, stdin=subprocess.DEVNULL
        )
        if done.returncode != 0:
            raise RuntimeError(f"{module.rpartition('.')[2]} failed in {Path(python).name}: {_reason(done)}")
        with np.load(answer) as found:
            adjacency: BoolArray = found["adjacency"].astype(bool)
    return adjacency


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Find the error in a worker's last words, which progress bars may follow; or name the signal."""
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    lines = [line for line in done.stderr.splitlines() if line.strip() and "it/s" not in line]
    return lines[-1] if lines else f"exit code {done.returncode}"
