"""Run one peer in an interpreter that need not have dagscale: `python _worker.py MODULE QUESTION ANSWER`.

The package's folder is entered without running its `__init__`, so that only numpy and the peer must be here.
"""

import importlib
import os
import sys
import types
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

PACKAGE = Path(__file__).parents[2]


def main(module: str, question: str, answer: str) -> None:
    """Read the data, run the peer, write its graph."""
    package = types.ModuleType("dagscale")
    package.__path__ = [str(PACKAGE)]
    sys.modules.setdefault("dagscale", package)
    peer = importlib.import_module(module)
    with np.load(question) as data:
        X, names, seed = data["X"], [str(name) for name in data["names"]], int(data["seed"])
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):  # some peers print
        adjacency = peer.run(X, names, seed)
    np.savez(answer, adjacency=np.asarray(adjacency, dtype=bool), peak_mb=peak_mb())


def peak_mb() -> float:
    """Return the highest resident memory of this process in MiB, NaN where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), float("nan"))


if __name__ == "__main__":
    main(*sys.argv[1:])
