"""The Tübingen pairs: how many directions `auto` claims, how many of those are right, and its decision-rate curve.

    python benchmarks/tuebingen.py --n-jobs 8          # needs the package cdt, which has the pairs

At most 800 rows a pair, drawn once. Rounded values stand for their rounding cells, as always in `auto`: ties broken by
a hair betray the direction of many of these pairs. Of every rule that leaves directions open it says how many of those
would have been right. The curve takes the pairs by the probability of their likelier
direction, the surest first; its area is the mean accuracy over all decision rates.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import joblib
import numpy as np

import dagscale
from dagscale.data.datasets.tuebingen import N_PAIRS, tuebingen

ROWS = 800


def judged(index, effort):
    """Return the probability of the likelier direction, whether it is right, and why it is open, "" if claimed."""
    data = tuebingen(index)
    rows = np.random.default_rng(0).permutation(len(data.table))[:ROWS]
    result = dagscale.discover(data.table.iloc[rows].reset_index(drop=True), effort=effort, n_jobs=1)
    there, back = result.probabilities[0, 1], result.probabilities[1, 0]
    sure = max(there, back) / max(there + back, 1e-12)
    rule = str(result.edges["open_because"].iloc[0]) if result.adjacency.any() else "(no link)"
    forward = result.adjacency[0, 1] if there == back else there > back
    return sure, bool(forward == data.adjacency[0, 1]), rule


def main():
    """Print the numbers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--effort", default="full")
    options = parser.parse_args()
    found = joblib.Parallel(options.n_jobs)(
        joblib.delayed(judged)(k, options.effort) for k in range(1, N_PAIRS + 1)
    )
    sure, right, rules = (np.array(part) for part in zip(*found, strict=True))
    claimed = rules == ""
    ranked = right[np.argsort(-sure, kind="stable")]
    curve = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    print(
        f"{len(right)} pairs, {right.mean():.2f} right; area under the decision-rate curve {curve.mean():.2f}"
    )
    print(f"{claimed.sum()} claimed, {right[claimed].mean():.2f} of them right")
    for rule in sorted(set(rules[~claimed])):
        print(f"open: {rule}: {(rules == rule).sum()}, {right[rules == rule].mean():.2f} of them right")


if __name__ == "__main__":
    main()
