"""Probabilities of one run beside the shares of a hundred bootstraps: Brier score and time.

    python benchmarks/bootstrap_brier.py --seeds 0 1 --n-jobs 16            # 8 kinds, two tables each, quick replicates
    python benchmarks/bootstrap_brier.py --kinds GP LiNGAM --seeds 0 1 2 --effort full --n-jobs 8

Tables of the kinds of the suite `violations`, standardised. The Brier score is the mean over all ordered pairs of
(probability - 1 where the edge is true)². Seconds are those of the processor, all replicates together. One run has the
full effort; replicates have the quick one unless told otherwise, which favours the bootstrap's time.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import time

import joblib
import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS

SHOWN = (
    "GP", "location-scale noise", "exponential noise", "gamma noise", "uniform noise", "LiNGAM", "half linear",
    "linear Gaussian",
)  # fmt: skip


def compared(kind, seed, options):
    """Return the kind, both Brier scores and both times in seconds of one table."""
    made = dagscale.simulate(
        nodes=options.columns, edges_per_node=1, samples=options.rows, standardize=True, random_state=seed,
        **KINDS[kind],
    )  # fmt: skip
    began = time.process_time()
    result = dagscale.discover(made.table, n_jobs=1)
    between = time.process_time()
    many = dagscale.bootstrap(
        made.table, replicates=options.replicates, n_jobs=1, effort=options.effort, random_state=seed
    )
    seconds = between - began, time.process_time() - between
    return kind, *(brier(p, made.adjacency) for p in (result.probabilities, many.confidence)), *seconds


def brier(likely, truth):
    """Mean squared error of probabilities (d, d) of edges."""
    return float(((likely - truth)[~np.eye(len(truth), dtype=bool)] ** 2).mean())


def main():
    """Print one line a kind, and all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kinds", nargs="+", default=SHOWN, choices=KINDS, metavar="KIND")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--columns", type=int, default=8)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--replicates", type=int, default=100)
    parser.add_argument("--effort", default="quick", help="of the replicates")
    parser.add_argument("--n-jobs", type=int, default=1, help="tables at a time")
    options = parser.parse_args()
    tasks = [(kind, seed) for kind in options.kinds for seed in options.seeds]
    runs = joblib.Parallel(options.n_jobs, return_as="generator")(
        joblib.delayed(compared)(kind, seed, options) for kind, seed in tasks
    )
    print(f"d = {options.columns}, n = {options.rows}, {options.replicates} replicates ({options.effort})\n")
    print("| kind | tables | Brier, one run | Brier, bootstrap | s, one run | s, bootstrap | times as long |")
    print("|---|---|---|---|---|---|---|", flush=True)
    found = []
    for kind, seed in tasks:
        found.append(next(runs))
        if seed == options.seeds[-1]:
            line(kind, np.array([one[1:] for one in found if one[0] == kind]))
    line("all", np.array([one[1:] for one in found]))


def line(name, values):
    """Print a line: means of the scores and of the times."""
    one, many, seconds, longer = values.mean(axis=0)
    print(
        f"| {name} | {len(values)} | {one:.4f} | {many:.4f} | {seconds:.1f} | {longer:.0f} | {longer / seconds:.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
