"""What the refinement by Gaussian processes is worth: the search by one objective alone, and with it.

    python benchmarks/refinement.py --seeds 1000-1019 --n-jobs 16

SHD and processor time of both on the same tables, times in units of one Cholesky factor of a (1000, 1000) matrix
on the same core: machines differ, the ratio hardly does. Tuning seeds, standardised, n = 1000.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")  # before numpy

import time

import joblib
import numpy as np
from scipy.linalg import cholesky

import dagscale
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.method import settled
from dagscale.methods.auto.search.likelihood_search import search
from dagscale.methods.context import Context

CASES = {
    "ER1, d = 10": {"nodes": 10, "edges_per_node": 1},
    "ER4, d = 10": {"nodes": 10, "edges_per_node": 4},
    "ER2, d = 20": {"nodes": 20, "edges_per_node": 2},
    "ER2, d = 20, exponential noise": {"nodes": 20, "edges_per_node": 2, "noise": "exponential"},
    "ER2, d = 20, half linear": {"nodes": 20, "edges_per_node": 2, "linear": 0.5},
    "ER2, d = 20, post-nonlinear": {"nodes": 20, "edges_per_node": 2, "post_nonlinear": "exp"},
    "SF4, d = 20": {"nodes": 20, "graph": "SF", "edges_per_node": 4},
    "ER4, d = 20": {"nodes": 20, "edges_per_node": 4},
    "ER4, d = 20, neural networks": {"nodes": 20, "edges_per_node": 4, "mechanism": "mlp"},
    "ER1, d = 50": {"nodes": 50, "edges_per_node": 1},
    "ER4, d = 50": {"nodes": 50, "edges_per_node": 4},
}


def unit():
    """Processor time of one Cholesky factor of a (1000, 1000) matrix, the median of seven."""
    A = np.random.default_rng(0).normal(size=(1000, 1000))
    K = A @ A.T + 1000 * np.eye(1000)
    return float(np.median([timed(lambda: cholesky(K, lower=True))[1] for _ in range(7)]))


def timed(call):
    """Return what a call returns, and its processor time."""
    start = time.process_time()
    found = call()
    return found, time.process_time() - start


def one(case, seed):
    """SHD and time in units, of the search alone and with the refinement."""
    table = dagscale.simulate(random_state=seed, standardize=True, **CASES[case])
    X, context = table.table.to_numpy(), Context(Constraints.none(CASES[case]["nodes"]), n_jobs=1)
    of_machine = unit()
    rows = []
    for call in (lambda: search(X, context), lambda: settled(X, context)[0]):
        found, seconds = timed(call)
        rows += [dagscale.metrics.shd(table.adjacency, found.graph), seconds / of_machine]
    return rows


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", action="append", choices=CASES, help="only these; repeatable")
    parser.add_argument("--seeds", default="1000-1019")
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    first, last = (int(end) for end in options.seeds.split("-"))
    seeds = range(first, last + 1)
    runs = [
        (case, seed) for case in reversed(options.case or list(CASES)) for seed in seeds
    ]  # the longest first
    rows = joblib.Parallel(options.n_jobs)(joblib.delayed(one)(*run) for run in runs)
    print("| | tables | search: SHD | units | with processes: SHD | units |\n|---|---|---|---|---|---|")
    for case in options.case or CASES:
        own = [row for (of, _), row in zip(runs, rows, strict=True) if of == case]
        alone, cost, refined, total = np.mean(own, axis=0)
        print(f"| {case} | {len(own)} | {alone:.1f} | {cost:.0f} | {refined:.1f} | {total:.0f} |")


if __name__ == "__main__":
    main()
