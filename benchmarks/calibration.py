"""Edges that `auto` finds where there are none: tables of independent columns, by size and distribution.

    python benchmarks/calibration.py                  # quick: d = 10 to 1000; full: d = 10 and 50
    python benchmarks/calibration.py --sizes 10 100 --full-sizes 10 --tables 20

n = 500. One line a distribution and size: false edges a table, and the share of tables without any. The
quick setting tests each node's best of d - 1 candidates at min(0.001, 1 / d), so that up to about one false
edge a table is nominal.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import numpy as np

import dagscale

ROWS = 500
FIRST_SEED = 1000
KINDS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "heavy (t, 3 degrees of freedom)": lambda rng, shape: rng.standard_t(3, size=shape),
    "skewed (log-normal)": lambda rng, shape: np.exp(rng.normal(size=shape)),
    "discrete (rounded normal)": lambda rng, shape: np.round(rng.normal(size=shape)),
    "counts (Poisson, mean 2)": lambda rng, shape: rng.poisson(2.0, size=shape).astype(float),
}


def false_edges(kind, columns, effort, tables):
    """Count the edges found in each of so many tables."""
    counts = []
    for seed in range(FIRST_SEED, FIRST_SEED + tables):
        table = KINDS[kind](np.random.default_rng([seed, columns]), (ROWS, columns))
        counts.append(int(dagscale.discover(table, effort=effort).adjacency.sum()))
    return np.array(counts)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[10, 100, 1000])
    parser.add_argument("--full-sizes", type=int, nargs="*", default=[10, 50])
    parser.add_argument("--tables", type=int, default=5)
    options = parser.parse_args()
    print("| columns | setting | d | false edges a table | tables without |\n|---|---|---|---|---|")
    for effort, sizes in (("quick", options.sizes), ("full", options.full_sizes)):
        for kind in KINDS:
            for columns in sizes:
                counts = false_edges(kind, columns, effort, options.tables)
                share = np.mean(counts == 0)
                print(f"| {kind} | {effort} | {columns} | {counts.mean():.1f} | {share:.0%} |", flush=True)


if __name__ == "__main__":
    main()
