"""What each rule that leaves a direction open is worth: how many of the directions it opens would have been right.

    python benchmarks/open_rules.py --seeds 1000 1001 1002

Two families of small tables, effort quick: every kind of the suite `violations`, and tables made to look like measured
ones (`as_measured.py` draws both).
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import joblib
import numpy as np

import dagscale
from as_measured import MESSY, clean, messy
from dagscale.benchmark.suites.violations import KINDS

CLAIMED = "(claimed)"


def judged(made, kind, seed):
    """Return (reason, right, false) of every link found in one table."""
    table, _, right = made(kind, seed)
    result = dagscale.discover(table, effort="quick", n_jobs=1)
    told = result.edges[["source", "target", "open_because"]].itertuples(index=False)
    reasons = {(a, b): reason or CLAIMED for a, b, reason in told}
    found = []
    for i, j in np.argwhere(result.adjacency).tolist():
        reason = str(reasons[result.names[i], result.names[j]])
        found.append((reason, bool(right[i, j]), not (right[i, j] or right[j, i])))
    return found


def main():
    """Print a table for either family."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="*", default=[1000, 1001, 1002])
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    for name, made, kinds in (("violations", clean, KINDS), ("as measured", messy, MESSY)):
        found = joblib.Parallel(options.n_jobs)(
            joblib.delayed(judged)(made, kind, seed) for kind in kinds for seed in options.seeds
        )
        links = [link for links in found for link in links]
        print(
            f"\n{name}: {len(found)} tables\n\n| rule | links | direction right | false links |\n|---|---|---|---|"
        )
        for reason in sorted({link[0] for link in links}):
            right, false = np.array([link[1:] for link in links if link[0] == reason]).T
            told = f"{right[~false].mean():.2f}" if not false.all() else ""
            print(f"| {reason} | {len(right)} | {told} | {false.sum()} |", flush=True)


if __name__ == "__main__":
    main()
