"""Where a peer runs: in this interpreter when its package is here, else in the one of DAGSCALE_PEERS_PYTHON.

Peers pin what they need (lingam an old scipy, others an old numpy), so they may live in an environment of
their own. It needs numpy and the peers' packages, not dagscale; the variable may also name a script that
takes a Python's arguments, sets a path and replaces itself by a Python. The data travel through .npz files,
and the peak memory comes back with the answer. A run there takes longer by the start of an interpreter and
its imports.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache, wraps
from importlib import metadata
from pathlib import Path

import numpy as np

from dagscale.benchmark.measure import count_child
from dagscale.runtime.errors import InputError
from dagscale.runtime.types import BoolArray, FloatArray

VARIABLE = "DAGSCALE_PEERS_PYTHON"
WORKER = Path(__file__).parent / "_worker.py"
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
Run = Callable[[FloatArray, list[str], int], BoolArray]


def version_here(package: str) -> str | None:
    """Return the version of a distribution of this interpreter, None where it has none."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@cache
def version_there(package: str, python: str | None) -> str | None:
    """Return the version of a distribution of the peers' interpreter, None where it has none."""
    if not python:
        return None
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    try:
        told = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return told.stdout.strip() if told.returncode == 0 else None


def installed_version(package: str) -> str | None:
    """Return the version with which a peer of this package would run, here or there; None if it cannot."""
    return version_here(package) or version_there(package, os.environ.get(VARIABLE))


def peer_of(package: str) -> Callable[[Run], Run]:
    """Make a peer's `run` go where its package is."""

    def decorate(function: Run) -> Run:
        @wraps(function)
        def run(X: FloatArray, names: list[str], seed: int) -> BoolArray:
            if version_here(package):
                return function(X, names, seed)
            python = os.environ.get(VARIABLE)
            if not version_there(package, python):
                raise InputError(
                    f"this peer needs {package}: pip install {package}, or set {VARIABLE} "
                    "to the Python of an environment that has it"
                )
            return run_there(str(python), function.__module__, X, names, seed)

        return run

    return decorate


def run_there(python: str, module: str, X: FloatArray, names: list[str], seed: int) -> BoolArray:
    """Run a peer's module in another interpreter, on one thread; interrupting this call ends it there too."""
    with tempfile.TemporaryDirectory() as folder:
        question, answer = Path(folder) / "question.npz", Path(folder) / "answer.npz"
        np.savez(question, X=X, names=np.array(names), seed=seed)
        command = [python, str(WORKER), module, str(question), str(answer)]
        environment = {key: value for key, value in os.environ.items() if key != VARIABLE} | ONE_THREAD
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, stdin=subprocess.DEVNULL
        )
        if done.returncode != 0:
            raise RuntimeError(f"{module.rpartition('.')[2]} failed in {Path(python).name}: {_reason(done)}")
        with np.load(answer) as found:
            adjacency: BoolArray = found["adjacency"].astype(bool)
            count_child(float(found["peak_mb"]))
    return adjacency


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Find the error in a worker's last words, which progress bars may follow; or name the signal."""
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    lines = [line for line in done.stderr.splitlines() if line.strip() and "it/s" not in line]
    return lines[-1] if lines else f"exit code {done.returncode}"
