"""Hidden causes of two columns each: what the data show if the true graph is told, and what `auto` marks.

    python benchmarks/hidden_causes.py --told --seeds 0 1 2              # no search: seconds a table
    python benchmarks/hidden_causes.py --seeds 0 1 2 --effort quick      # marks, and SHD with and without them
    python benchmarks/hidden_causes.py --clean --seeds 0 1 2             # false marks on every kind of `violations`

d = 20, 30 edges, n = 1000, standardised. Marks are counted for several mechanisms; the SHD of the graph in which no
link was taken for a hidden cause stands beside. `--told` fits the true graph of Gaussian processes and asks of every
pair with a hidden cause whether the residuals of the two depend on each other (all pairs of the table corrected
together), and how many nats the one column adds to what the other's parents tell of it: the better of the
two ways, and with the residual of the one in its place. A true edge has to earn about 4.
"""

import argparse
import os
from itertools import product
from unittest.mock import patch

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import joblib
import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.methods.auto.residual_checks import alarm_level, residual_checks
from dagscale.models.likelihood.columns import scales_of
from dagscale.models.likelihood.joint_gain import best_length
from dagscale.models.likelihood.rows_gain import joint_gain, spline_gain
from dagscale.models.likelihood.spline_gain import CONSTANT

COLUMNS, EDGES, ROWS = 20, 30, 1000
CLEAR = 6.0  # nats
MECHANISMS = {
    "Gaussian processes": {},
    "sums of Gaussian processes": {"mechanism": "gp-additive"},
    "sums of sigmoids": {"mechanism": "sigmoid-additive"},
    "neural networks": {"mechanism": "mlp"},
    "sines": {"mechanism": "sine"},
    "cubics": {"mechanism": "polynomial"},
    "LiNGAM": {"linear": 1.0, "noise": "exponential"},
    "linear Gaussian": {"linear": 1.0},
}


def table(seed, **options):
    """Draw one table."""
    return dagscale.simulate(
        nodes=COLUMNS, edges_per_node=EDGES / COLUMNS, samples=ROWS, standardize=True, random_state=seed, **options
    )  # fmt: skip


def told(hidden, seed):
    """Of every hidden cause, whether residuals show it, and the nats that it gives to a link (pairs, 2)."""
    made = table(seed, hidden=hidden)
    X, graph = made.table.to_numpy(dtype=float), made.adjacency
    curves = spline_gain(scales_of(X)[0], (CONSTANT,))
    gain = best_length(curves, graph, joint_gain)
    checks = residual_checks(X, graph, gain)
    parents = [tuple(np.flatnonzero(graph[:, j]).tolist()) for j in range(COLUMNS)]
    noise = [gain.noise((j, own)) if own else X[:, j] for j, own in enumerate(parents)]
    both = np.column_stack([X, *noise])  # columns, then what their parents leave of them
    of_both = joint_gain(spline_gain(scales_of(both)[0], (CONSTANT,)), gain.length)
    found = []
    for i, j in np.argwhere(np.triu(made.confounded)).tolist():
        more = [
            of_both([(b, tuple(sorted((*parents[b], other))))])[0] - of_both([(b, parents[b])])[0]
            for a, b in ((i, j), (j, i))
            for other in (a, COLUMNS + a)
        ]
        found.append((checks.between.p_values[i, j] < alarm_level(COLUMNS), max(more)))
    return np.array(found, dtype=float)


def marked(seed, effort, **options):
    """Pairs marked, pairs marked rightly, pairs with a hidden cause, SHD, and SHD with no link taken out."""
    made = table(seed, **options)
    true = np.zeros_like(made.adjacency) if made.confounded is None else made.confounded
    result = dagscale.discover(made.table, effort=effort, n_jobs=1)
    marks = np.triu(result.confounded)
    with_links = result if not marks.any() else with_every_link(made.table, effort)
    counts = [marks.sum(), (marks & true).sum(), np.triu(true).sum()]
    return np.array([*counts, shd(result, made), shd(with_links, made)], dtype=float)


def with_every_link(columns, effort):
    """Search as if no link could be explained by a hidden cause."""
    with patch("dagscale.methods.auto.method.with_hidden_causes", lambda found: found):
        return dagscale.discover(columns, effort=effort, n_jobs=1)


def shd(result, made):
    """Structural Hamming distance to the true graph."""
    differs = result.adjacency != made.adjacency
    return int(np.triu(differs | differs.T).sum())


def over_seeds(options, **how):
    """Sum what `marked` counts over seeds, and the tables."""
    jobs = (joblib.delayed(marked)(seed, options.effort, **how) for seed in options.seeds)
    runs = np.array(joblib.Parallel(n_jobs=options.n_jobs)(jobs))
    return runs.sum(axis=0), len(runs)


def main():
    """Print what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--told", action="store_true", help="the true graph is told")
    parser.add_argument("--clean", action="store_true", help="false marks without hidden causes")
    parser.add_argument(
        "--kinds", nargs="+", choices=KINDS, metavar="KIND", help="for --clean; all if not given"
    )
    parser.add_argument(
        "--mechanisms", nargs="+", choices=MECHANISMS, metavar="NAME", help="all if not given"
    )
    parser.add_argument("--n-jobs", type=int, default=1)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--effort", default="full")
    options = parser.parse_args()
    if options.clean:
        clean = [kind for kind in options.kinds or KINDS if "hidden" not in KINDS[kind]]
        print("| kind | tables | false marks a table |\n|---|---|---|")
        for kind in clean:
            (marks, *_), tables = over_seeds(options, **KINDS[kind])
            print(f"| {kind} | {tables} | {marks / tables:.2f} |", flush=True)
    elif options.told:
        print(
            f"| hidden | tables | pairs | residuals dependent | more than {CLEAR:g} nats for a link | median nats |"
        )
        print("|---|---|---|---|---|---|")
        for hidden in (3, 6):
            seen, nats = np.concatenate([told(hidden, seed) for seed in options.seeds]).T
            shares = f"{seen.mean():.2f} | {(nats > CLEAR).mean():.2f} | {np.median(nats):.1f}"
            print(f"| {hidden} | {len(options.seeds)} | {len(seen)} | {shares} |", flush=True)
    else:
        print("| mechanism | hidden | tables | marked | right | hidden causes | SHD | with all links |")
        print("|---|---|---|---|---|---|---|---|")
        for name, hidden in product(options.mechanisms or MECHANISMS, (3, 6)):
            sums, tables = over_seeds(options, hidden=hidden, **MECHANISMS[name])
            counts = " | ".join(f"{count:.0f}" for count in sums[:3])
            shds = " | ".join(f"{total / tables:.1f}" for total in sums[3:])
            print(f"| {name} | {hidden} | {tables} | {counts} | {shds} |", flush=True)


if __name__ == "__main__":
    main()
