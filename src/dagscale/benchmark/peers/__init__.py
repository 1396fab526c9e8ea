"""Other people's methods as rows of a benchmark: `peer:NAME`, by an adapter of `adapters.py`.

The packages pin versions that do not fit together with ours, so they may live in an environment of their own:
`DAGSCALE_PEERS_PYTHON` names its Python, or a program that takes a Python's arguments. It needs numpy and the
peers' packages, not dagscale. A peer runs in this interpreter when its package is here, else there; the
data travel through .npz files. A name with a dot, `peer:mypackage.mymodule`, is a module that
can be imported here and has a function `run(X, names, seed) -> adjacency`; a fourth parameter is told the columns'
kinds, or, if it is called `targets`, which columns were set in which row.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from importlib import import_module, metadata
from inspect import signature
from pathlib import Path

import numpy as np

from dagscale.benchmark.measure import count_child
from dagscale.benchmark.peers import adapters
from dagscale.runtime.errors import InputError, closest
from dagscale.runtime.types import BoolArray, FloatArray

PREFIX = "peer:"
VARIABLE = "DAGSCALE_PEERS_PYTHON"
WORKER = Path(__file__).parent / "_worker.py"
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
Peer = Callable[..., BoolArray]  # of X, names, seed and, if it takes a fourth, kinds or targets
PEERS: dict[str, Peer] = {peer.__name__.replace("_", "-"): peer for peer in adapters.ALL}
INTERVENTIONAL = tuple(name for name, peer in PEERS.items() if "targets" in signature(peer).parameters)


def find_peer(name: str) -> Peer:
    """Return the function of the peer called `name` (without the "peer:")."""
    if "." not in name:
        if name not in PEERS:
            known = ", ".join(PEERS)
            raise InputError(
                f"unknown peer {name!r}{closest(name, PEERS)}; known: {known}, or any module.path"
            )
        return PEERS[name]
    try:
        peer: Peer = import_module(name).run
    except ImportError as missing:
        raise InputError(f"peer {name!r} cannot be imported: {missing}") from missing
    return peer


def peer_version(name: str) -> dict[str, str]:
    """Return the version of the package behind a peer, here or there; nothing for a module of your own."""
    if "." in name:
        return {}
    package = name.rpartition("-")[0]  # causal-learn for `causal-learn-pc`
    version = version_here(package) or version_there(package, os.environ.get(VARIABLE))
    if version is None:
        raise InputError(
            f"peer {name!r} needs {package}: pip install {package}, or set {VARIABLE} "
            "to the Python of an environment that has it"
        )
    return {package: version}


def run_peer(
    name: str,
    X: FloatArray,
    names: list[str],
    seed: int,
    kinds: tuple[str, ...] = (),
    targets: BoolArray | None = None,
) -> BoolArray:
    """Run a peer where its package is; one that has a fourth parameter is told the columns' kinds, or the targets."""
    peer = find_peer(name)
    told: list[str] | BoolArray | None = None
    if "targets" in (parameters := signature(peer).parameters):
        told = np.zeros(X.shape, dtype=bool) if targets is None else targets
    elif len(parameters) > 3:
        told = list(kinds or ["continuous"] * X.shape[1])
    if all(version_here(package) for package in peer_version(name)):
        return np.asarray(peer(X, names, seed, *([] if told is None else [told])), dtype=bool)
    file, function = Path(adapters.__file__), name.replace("-", "_")
    return run_there(os.environ[VARIABLE], file, function, X, names, seed, told)


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


def run_there(
    python: str,
    file: Path,
    function: str,
    X: FloatArray,
    names: list[str],
    seed: int,
    told: list[str] | BoolArray | None = None,
) -> BoolArray:
    """Run a function of a file in another interpreter, on one thread; an interrupt ends it there too."""
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder) / "given.npz", Path(folder) / "result.npz"
        more = {} if told is None else {"told": np.array(told)}
        np.savez(given, X=X, names=np.array(names), seed=seed, **more)  # type: ignore[arg-type]
        done = subprocess.run(
            [python, str(WORKER), str(file), function, str(given), str(result)],
            capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, env=os.environ | ONE_THREAD,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"{function} failed in {Path(python).name}: {_reason(done)}")
        with np.load(result) as found:
            adjacency: BoolArray = found["adjacency"].astype(bool)
            count_child(float(found["peak_mb"]))
    return adjacency


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Find the error in the last lines of stderr, which progress bars may follow; or name the signal."""
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    lines = [line for line in done.stderr.splitlines() if line.strip() and "it/s" not in line]
    return lines[-1] if lines else f"exit code {done.returncode}"
