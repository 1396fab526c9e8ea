"""What each ingredient of `auto` is worth: the method with one of them taken out, on tuning seeds.

    python benchmarks/ablation.py                              # ER1 d = 20, ER4 d = 10; seeds 1000-1002
    python benchmarks/ablation.py --case ER4 50 --seeds 1000   # other cases; minutes to hours

Standardised Gaussian-process data, n = 1000, noise variance 1. One line a variant: mean SHD, precision,
recall and CPU seconds. The ingredients are names in `dagscale.auto` and `dagscale.search`, patched for a run.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import time
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np

import dagscale
from dagscale import auto
from dagscale.metrics import evaluate
from dagscale.search import penalty, searcher


def no_reconsidering(_searcher, graph, mask, _rounds, _offered):
    """Leave every node its parents."""
    return graph, mask


def no_interactions(_table, start, *_options):
    """Add nothing to the additive start."""
    return start, []


VARIANTS = {
    "whole": [],
    "start without interactions": [(auto, "add_interacting", no_interactions)],
    "no proposals after the first screen": [(searcher, "SCREENINGS", 0)],
    "no sifting of the order": [(auto, "SIFTED", 0)],
    "no reconsidering": [(searcher.Searcher, "reconsider", no_reconsidering)],
    "neither sifting nor reconsidering": [
        (auto, "SIFTED", 0),
        (searcher.Searcher, "reconsider", no_reconsidering),
    ],
    "penalty log n, whatever the density": [
        (searcher.Searcher, "penalty", lambda _searcher, _graph: np.log(1000.0))
    ],
    "penalty never above 3": [(searcher.Searcher, "penalty", lambda _searcher, _graph: penalty.LEAST)],
}


def measure(changes, family, nodes, seed):
    """Run one variant on one table; return SHD, precision, recall, CPU seconds."""
    kind, edges = family[:2], int(family[2:])
    simulated = dagscale.simulate(kind, nodes, edges, random_state=seed, standardize=True)
    with ExitStack() as stack:
        for owner, name, value in changes:
            stack.enter_context(patch.object(owner, name, value))
        began = time.process_time()
        result = dagscale.discover(simulated.table)
        spent = time.process_time() - began
    judged = evaluate(simulated.adjacency, result.adjacency)
    return judged["shd"], judged["precision"], judged["recall"], spent


def main():
    """Print a table a case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", nargs=2, action="append", metavar=("FAMILY", "NODES"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1000, 1001, 1002])
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS))
    options = parser.parse_args()
    for family, nodes in options.case or [("ER1", 20), ("ER4", 10)]:
        print(
            f"\n{family}, d = {nodes}, seeds {options.seeds}\n\n"
            "| | SHD | precision | recall | CPU s |\n|---|---|---|---|---|"
        )
        for name in options.variants:
            runs = [measure(VARIANTS[name], family, int(nodes), seed) for seed in options.seeds]
            shd, precision, recall, spent = np.mean(runs, axis=0)
            print(f"| {name} | {shd:.1f} | {precision:.2f} | {recall:.2f} | {spent:.0f} |", flush=True)


if __name__ == "__main__":
    main()
