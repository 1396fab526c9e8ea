"""Run one peer where dagscale need not be: `python _worker.py FILE FUNCTION INPUT OUTPUT`."""

import os
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np


def main(file: str, function: str, given: str, result: str) -> None:
    """Read the data, run the peer, write its graph."""
    peer = runpy.run_path(file)[function]
    with np.load(given) as data:
        X, names, seed = data["X"], [str(name) for name in data["names"]], int(data["seed"])
        told = [data["told"]] if "told" in data else []
        told = [own if own.dtype == bool else [str(kind) for kind in own] for own in told]
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):  # some peers print
        adjacency = peer(X, names, seed, *told)
    np.savez(result, adjacency=np.asarray(adjacency, dtype=bool), peak_mb=peak_mb())


def peak_mb() -> float:
    """Return the highest resident memory of this process in MiB, NaN where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), float("nan"))


if __name__ == "__main__":
    main(*sys.argv[1:])
