"""Columns that measure hidden levels: what `auto` draws and claims where they do, and false alarms where they do not.

    python benchmarks/hidden_levels.py --syntren 1 2 3 --effort quick           # gene tables, where they are
    python benchmarks/hidden_levels.py --regulatory 1000 1001 --effort quick    # the project's own of the kind
    python benchmarks/hidden_levels.py --error 0.4 --seeds 1000 --effort quick  # straight lines, measured with error
    python benchmarks/hidden_levels.py --clean --seeds 1000 1001 --effort quick # every kind of `violations`, and denser

`--without` leaves the look for hidden levels out. A line for each table: edges of the true graph (the SHD of the empty
one), SHD, links drawn and right, arrows claimed and right, pairs marked, and the mean squared error of the
probabilities of all edges. `--clean` prints on how many tables levels were found.
"""

import argparse
import os
from itertools import product
from unittest.mock import patch

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.data.datasets import load
from dagscale.graphs.metrics import shd

DENSITIES = (1, 2, 4)
LEVEL = "measurements of one hidden level"  # in a note


def discovered(table, options):
    """Run `auto`, with the look for hidden levels or without."""
    if not options.without:
        return dagscale.discover(table, effort=options.effort, n_jobs=1)
    with patch("dagscale.methods.auto.method.with_hidden_levels", lambda found, until: found):
        return dagscale.discover(table, effort=options.effort, n_jobs=1)


def line(name, table, truth, options):
    """Run one table and print its line; return its numbers."""
    result = discovered(table, options)
    graph, off = result.adjacency, ~np.eye(len(truth), dtype=bool)
    claimed, linked = graph & ~result.either_way, truth | truth.T
    brier = np.mean((result.probabilities - truth)[off] ** 2)
    counts = (
        truth.sum(),
        shd(truth, graph),
        graph.sum(),
        (graph & linked).sum(),
        claimed.sum(),
        (claimed & truth).sum(),
    )
    marked = int(np.triu(result.confounded).sum())
    print("|", " | ".join(map(str, (name, *counts, marked, f"{brier:.3f}"))), "|", flush=True)
    return np.array([*counts, marked, brier], dtype=float)


def drawn(seed, edges, nodes, rows, **options):
    """Draw one table."""
    return dagscale.simulate(
        nodes=nodes,
        edges_per_node=edges,
        samples=rows,
        standardize=True,
        random_state=seed,
        n_jobs=1,
        **options,
    )


def tables(options):
    """Yield the tables that were asked for: name, table, true graph."""
    for index in options.syntren:
        made = load("syntren", index=index)
        yield f"SynTReN {index}", made.table, made.adjacency
    for seed in options.regulatory:
        made = load("regulatory", network="synthetic", random_state=seed)
        yield f"regulatory {seed}", made.table, made.adjacency
    for share, seed in product(options.error, options.seeds):
        made = drawn(seed, 2, options.nodes, options.rows, linear=1.0, measurement_error=share)
        yield f"linear, error {share}, {seed}", made.table, made.adjacency


def false_alarms(options):
    """Print on how many clean tables of each kind and density levels were found."""
    print("| kind | edges a node | tables | with levels |\n|---|---|---|---|")
    clean = [kind for kind in options.kinds or KINDS if "hidden" not in KINDS[kind] and "error" not in kind]
    for kind, edges in product(clean, DENSITIES):
        made = (
            drawn(seed, edges, options.nodes, options.rows, **KINDS[kind]).table for seed in options.seeds
        )
        found = sum(any(LEVEL in note for note in discovered(table, options).notes) for table in made)
        print(f"| {kind} | {edges} | {len(options.seeds)} | {found} |", flush=True)


def main():
    """Print what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--syntren", nargs="+", type=int, default=[], metavar="TABLE")
    parser.add_argument("--regulatory", nargs="+", type=int, default=[], metavar="SEED")
    parser.add_argument("--error", nargs="+", type=float, default=[], metavar="SHARE")
    parser.add_argument("--clean", action="store_true")
    parser.add_argument(
        "--kinds", nargs="+", choices=KINDS, metavar="KIND", help="for --clean; all if not given"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[1000])
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--effort", default="full")
    parser.add_argument("--without", action="store_true")
    options = parser.parse_args()
    if options.clean:
        false_alarms(options)
        return
    print("| table | edges | SHD | links | right | claimed | right | marked | Brier |")
    print("|---|---|---|---|---|---|---|---|---|")
    runs = np.array([line(*one, options) for one in tables(options)])
    if len(runs):
        print("| mean |", " | ".join(f"{value:.3g}" for value in runs.mean(axis=0)), "|")


if __name__ == "__main__":
    main()
