"""The probabilities of `auto`: collect evidence of pairs on simulated tables of many kinds, fit the map, judge it.

    python benchmarks/calibrate.py --collect --n-jobs 16 --out calibration.jsonl     # about 8,000 CPU seconds
    python benchmarks/calibrate.py --collect --small --out few.jsonl                 # one table a kind

Tuning seeds (1000 and on), every kind of the suite `violations`, standardised. One line a table.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import json
import time

import joblib
import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.inputs.knowledge import Constraints
from dagscale.methods.auto.across_models import across_models
from dagscale.methods.auto.method import settled
from dagscale.methods.context import Context

# (columns, edges a node, rows, tables): the longest first
SIZES = (
    (20, 2, 300, 1), (20, 1, 1000, 1), (20, 1, 300, 1), (10, 2, 1000, 2), (10, 1, 1000, 3), (10, 2, 300, 3),
    (10, 1, 300, 3), (5, 1, 1000, 3), (5, 1, 300, 3),
)  # fmt: skip
SMALL = ((5, 1, 300, 1),)


def tasks(sizes):
    """List (kind, columns, edges a node, rows, seed)."""
    return [
        (kind, d, k, n, 1000 + t)
        for d, k, n, tables in sizes
        for kind in KINDS
        for t in range(tables)
    ]  # fmt: skip


def simulated(kind, d, k, n, seed):
    """Draw one table; hidden causes need pairs without an edge."""
    options = dict(KINDS[kind])
    if "hidden" in options:
        options["hidden"] = max(1, round(options["hidden"] * d / 20))
    return dagscale.simulate(
        nodes=d, edges_per_node=k, samples=n, standardize=True, random_state=seed, **options
    )


def plain(array):
    """Lay out an array as JSON; infinities as ±1e9."""
    array = np.nan_to_num(np.asarray(array, dtype=float), nan=0.0, posinf=1e9, neginf=-1e9)
    return [float(f"{v:.4g}") for v in array.ravel()]


def collected(kind, d, k, n, seed):
    """Find the graph of one table, and return the evidence of all pairs."""
    made = simulated(kind, d, k, n, seed)
    X = made.table.to_numpy(dtype=float)
    began = time.process_time()
    found, refined = settled(X, Context(Constraints.none(d), n_jobs=1))
    searched = time.process_time() - began
    near, checks, graph, gain = found.alternatives, found.residuals, found.graph, found.objective.gain
    told = [gain.told[j, tuple(np.flatnonzero(graph[:, j]).tolist())] for j in range(d)]
    values = {
        "truth": made.adjacency, "graph": graph, "joined": near.joined, "apart": near.apart,
        "nats": found.numbers.nats, "forward": checks.forward.size, "forward_p": -np.log(checks.forward.p_values + 1e-300),
        "backward": checks.backward.size, "backward_p": -np.log(checks.backward.p_values + 1e-300),
        "between": checks.between.size, "between_p": -np.log(checks.between.p_values + 1e-300),
        "serial": checks.serial, "left": [one.left for one in told], "spread": [one.spread for one in told],
        "joint": [one.joint for one in told], "old_open": found.either_way,
        "across": across_models(found.X, graph, gain),
    }  # fmt: skip
    if made.confounded is not None:
        values["confounded"] = made.confounded
    if refined is not None:
        values["process_nats"] = refined.evidence["evidence"]
        values["process_direction"] = refined.evidence["direction"]
    seconds = time.process_time() - began
    about = {
        "kind": kind, "d": d, "k": k, "n": n, "seed": seed, "price": found.price, "uneven": found.uneven,
        "interacting": found.interacting, "scale": found.scale.name, "refined": refined is not None,
        "searched": round(searched, 2), "seconds": round(seconds, 2),
    }  # fmt: skip
    return {**about, **{name: plain(array) for name, array in values.items()}}


def collect(path, sizes, n_jobs):
    """Write one line a table, as they are done."""
    todo = tasks(sizes)
    runs = joblib.Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")(
        joblib.delayed(collected)(*task) for task in todo
    )
    spent = 0.0
    with open(path, "w", encoding="utf-8") as file:
        for done, row in enumerate(runs, 1):
            file.write(json.dumps(row) + "\n")
            file.flush()
            spent += row["seconds"]
            print(f"{done}/{len(todo)} {spent:.0f} s {row['kind']} d={row['d']} n={row['n']} {row['seconds']} s", flush=True)  # fmt: skip


def main():
    """Collect or fit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collect", action="store_true")
    parser.add_argument("--small", action="store_true", help="one small table a kind")
    parser.add_argument("--out", default="calibration.jsonl")
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    if options.collect:
        collect(options.out, SMALL if options.small else SIZES, options.n_jobs)


if __name__ == "__main__":
    main()
