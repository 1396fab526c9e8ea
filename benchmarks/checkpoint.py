"""What a checkpoint costs a run that is never killed, and what it saves one that is.

    python benchmarks/checkpoint.py            # auto, das, nogam and cam: about a minute

The cost is the time spent hashing, encoding and writing pieces as a share of the run's, from one run; two
runs with and without would differ more by chance. The saving is the run made again from its checkpoint.
"""

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")  # before numpy

import shutil
import tempfile
import time
from pathlib import Path

from dagscale import discover, flow
from dagscale.runtime import resume as memory
from dagscale.runtime.checkpoint import Checkpoint, Log
from speed import sparse_data

RUNS = [("auto", 600, 20), ("das", 1000, 100), ("nogam", 500, 25), ("cam", 1000, 200)]


def timed(owner, name, spent):
    """Add the time of a function to `spent`."""
    function = getattr(owner, name)

    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            spent[0] += time.perf_counter() - start

    setattr(owner, name, wrapper)


def main():
    spent = [0.0]
    timed(memory, "key_of", spent)
    timed(flow, "identity_of", spent)
    for name in ("keep", "recall", "close"):
        timed(Log, name, spent)
    folder = Path(tempfile.mkdtemp())
    print(
        f"{'':8} {'rows':>5} {'columns':>7} {'seconds':>8} {'cost':>7} {'MB':>6} {'pieces':>7} {'again':>7}"
    )
    for method, n, d in RUNS:
        X, _ = sparse_data(n, d, 1000)
        kept = Checkpoint(folder / method)
        spent[0], start = 0.0, time.perf_counter()
        discover(X, method, checkpoint=kept, n_jobs=1)
        seconds, cost = time.perf_counter() - start, spent[0]
        size = kept.file.stat().st_size / 1e6 if kept.file.exists() else 0.0
        start, pieces = time.perf_counter(), [0]
        recall = Log.recall
        Log.recall = lambda log, key, inner=recall, count=pieces: (
            count.__setitem__(0, count[0] + 1) or inner(log, key)
        )
        discover(X, method, checkpoint=kept, n_jobs=1)
        again = time.perf_counter() - start
        Log.recall = recall
        row = f"{method:8} {n:5} {d:7} {seconds:8.1f} {cost / seconds:7.2%} {size:6.2f}"
        print(f"{row} {pieces[0]:7} {again:7.1f}", flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
