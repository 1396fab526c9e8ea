"""What each ingredient of `auto` is worth: the method with one of them taken out, on tuning seeds.

    python benchmarks/ablation.py --n-jobs 16                  # those of docs/experiments.md: an hour a core
    python benchmarks/ablation.py --case ER4 50 --seeds 1000   # others: FAMILY NODES [MECHANISM [NOISE]]

Standardised data, n = 1000, noise variance 1; mechanism "regulatory" is simulated gene expression, n = 500.
One line a variant: mean SHD, precision, recall and CPU seconds. The ingredients are names in
`dagscale.methods.auto`, patched for a run. `--variants` takes whole names, as printed.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from unittest.mock import patch

import joblib
import numpy as np

import dagscale
from dagscale.data.datasets.gene_expression import regulatory
from dagscale.graphs.metrics import evaluate
from dagscale.methods.auto import align, candidates, processes
from dagscale.methods.auto.settings import SETTINGS


def nothing(*_asked):
    """Propose no change."""
    return iter(())


def no_prior(evidence, _graph):
    """Learn no length scales."""
    return evidence


def no_interactions(_table, start, *_options):
    """Offer no columns that act through a parent."""
    return start, []


VARIANTS = {  # names replaced in a module, and settings changed
    "whole": [],
    "no columns offered that act through a parent": [(candidates, "add_interacting", no_interactions)],
    "length scales not learnt": [(processes, "_informed", no_prior)],
    "no aligned sets": [(align.Aligner, "__call__", nothing)],
    "no paths turned, no parents exchanged": [(processes, "path", nothing), (processes, "exchange", nothing)],
    "every change fitted": [{"raced": 10**6, "hopeless": np.inf}],
    "noise taken for normal": [{"shaped": np.inf}],
}
GAUSSIAN = list(VARIANTS)[:6]  # the last changes nothing with normal noise
SHAPE = ["whole", "noise taken for normal", "no paths turned, no parents exchanged"]
CASES = [
    (("ER4", 20), GAUSSIAN),
    (("ER4", 10), GAUSSIAN),
    (("ER2", 20), GAUSSIAN),
    (("ER4", 10, "mlp", "laplace"), SHAPE),
]


def table_of(seed, family, nodes, mechanism="gp", noise="gaussian"):
    """Simulate one table; return it with its graph."""
    if mechanism == "regulatory":
        made = regulatory(int(nodes), 500, "synthetic", random_state=seed)
    else:
        kind, edges = family[:2], int(family[2:])
        options = {"mechanism": mechanism, "noise": noise, "random_state": seed, "standardize": True}
        made = dagscale.simulate(kind, int(nodes), edges, **options)
    return made.table, made.adjacency


def replaced(changes):
    """List (owner, name, value): as given, and for changed settings one for every module that reads them."""
    settings = {
        name: value for change in changes if isinstance(change, dict) for name, value in change.items()
    }
    modules = [module for name, module in sys.modules.items() if name.startswith("dagscale.")]
    readers = [module for module in modules if "SETTINGS" in vars(module)]
    changed = replace(SETTINGS, **settings)
    return [change for change in changes if not isinstance(change, dict)] + [
        (module, "SETTINGS", changed) for module in readers
    ]


def measure(variant, case, seed):
    """Run one variant on one table; return SHD, precision, recall, CPU seconds."""
    table, truth = table_of(seed, *case)
    with ExitStack() as stack:
        for owner, name, value in replaced(VARIANTS[variant]):
            stack.enter_context(patch.object(owner, name, value))
        began = time.process_time()
        result = dagscale.discover(table, n_jobs=1)
        spent = time.process_time() - began
    judged = evaluate(truth, result.adjacency)
    return judged["shd"], judged["precision"], judged["recall"], spent


def main():
    """Print a table a case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", nargs="+", action="append", metavar="WORD")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1000, 1001, 1002])
    parser.add_argument("--variants", nargs="+")
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    cases = [(case, list(VARIANTS)) for case in options.case] if options.case else CASES
    runs = [
        (name, tuple(case), seed)
        for case, variants in cases
        for name in options.variants or variants
        for seed in options.seeds
    ]
    measured = joblib.Parallel(options.n_jobs)(joblib.delayed(measure)(*run) for run in runs)
    for case, variants in cases:
        print(
            f"\n{' '.join(str(word) for word in case).strip()}, seeds {options.seeds}\n\n"
            "| | SHD | precision | recall | CPU s |\n|---|---|---|---|---|"
        )
        for name in options.variants or variants:
            own = [row for run, row in zip(runs, measured, strict=True) if run[:2] == (name, tuple(case))]
            shd, precision, recall, spent = np.mean(own, axis=0)
            print(f"| {name} | {shd:.1f} | {precision:.2f} | {recall:.2f} | {spent:.0f} |")


if __name__ == "__main__":
    main()
