"""Speed and memory, side by side in one run, with the ratios printed.

    python benchmarks/speed.py                      # everything, small sizes: a few minutes
    python benchmarks/speed.py --part das           # DAS against its textbook version
    python benchmarks/speed.py --part pruning       # CAM pruning against pygam and mgcv, same candidates
    python benchmarks/speed.py --part scaling --full    # time and peak memory up to d = 1000 and n = 4000

Every part runs with one BLAS thread a worker. pygam and R with mgcv are optional: what is not installed
is said and left out. Pruning is timed by the processor, the rest by the clock: run it on an idle machine.
"""

import argparse
import os
import sys

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")  # before numpy

import json
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

FEATURES = 50  # cosines a mechanism is made of


def sparse_data(n, d, seed=0, per_node=1):
    """An ER graph with `per_node` edges a node, random smooth mechanisms of all parents, unit noise.

    A sum of random cosines stands for a Gaussian process draw, whose n³ a node would outlast the method.
    """
    rng = np.random.default_rng(seed)
    pairs = np.column_stack(np.triu_indices(d, 1))
    chosen = pairs[rng.choice(len(pairs), min(per_node * d, len(pairs)), replace=False)]
    adjacency = np.zeros((d, d), dtype=bool)
    adjacency[chosen[:, 0], chosen[:, 1]] = True
    X = rng.standard_normal((n, d))
    for j in range(d):
        parents = np.flatnonzero(adjacency[:, j])
        if len(parents) > 0:
            phase = X[:, parents] @ rng.standard_normal((len(parents), FEATURES))
            waves = np.cos(phase + rng.uniform(0, 2 * np.pi, FEATURES))
            X[:, j] += waves @ rng.standard_normal(FEATURES) * np.sqrt(2 / FEATURES)
    return X, adjacency


def seconds(function, *args, repeats=1, clock=time.perf_counter, **kwargs):
    """Least time of some calls by a clock, and the result."""
    best = np.inf
    for _ in range(repeats):
        start = clock()
        result = function(*args, **kwargs)
        best = min(best, clock() - start)
    return best, result


# --- CAM pruning against pygam and mgcv ------------------------------------------------------------


def pruning_part(options):
    from dagscale.stages.pruning.additive import prune

    n, k, alpha = options.samples, options.candidates, 0.001
    print(f"\nCAM pruning, n = {n}, {k} candidates a node, {options.nodes} nodes; processor time, one thread")
    X, _ = sparse_data(n, k + options.nodes, per_node=2)
    mask = np.zeros((X.shape[1],) * 2, dtype=bool)
    mask[:k, k:] = True  # the last columns are the children
    ours, (kept, _) = seconds(prune, X, mask, alpha=alpha, n_jobs=1, repeats=3, clock=time.process_time)
    print(
        f"  dagscale            {ours / options.nodes * 1e3:10.1f} ms a node, building all splines included"
    )
    for name, peer in (("pygam grid search", pygam_p_values), ("R mgcv gam", mgcv_p_values)):
        theirs = peer(X, k, options.nodes)
        if theirs is None:
            print(f"  {name:20s}not installed")
            continue
        took, p_values = theirs
        agree = ((p_values <= alpha) == kept[:k, k:]).mean()
        print(
            f"  {name:20s}{took / options.nodes * 1e3:10.1f} ms a node, {took / ours:8.0f} times ours;"
            f" same decision on {agree:.1%} of {p_values.size} terms"
        )


def pygam_p_values(X, k, nodes):
    """Processor seconds, and p-values (k, nodes) of pygam's smooth terms after its default grid search."""
    try:
        from pygam import LinearGAM
    except ImportError:
        return None
    p_values = np.empty((k, nodes))
    start = time.process_time()
    for j in range(nodes):
        model = LinearGAM(n_splines=10).gridsearch(X[:, :k], X[:, k + j], progress=False)
        p_values[:, j] = model.statistics_["p_values"][:k]
    return time.process_time() - start, p_values


MGCV = """
library(mgcv)
path <- commandArgs(TRUE)[1]; k <- as.integer(commandArgs(TRUE)[2])
X <- as.data.frame(as.matrix(read.csv(file.path(path, "X.csv"), header = FALSE)))
terms <- paste0("s(V", 1:k, ", k = ", max(3, min(10, ceiling(nrow(X) / (3 * k)))), ")", collapse = " + ")
took <- system.time(
  P <- sapply((k + 1):ncol(X), function(j)
    summary(gam(as.formula(paste0("V", j, " ~ ", terms)), data = X))$s.pv)
)
write.table(P, file.path(path, "P.csv"), sep = ",", row.names = FALSE, col.names = FALSE)
cat(took[["user.self"]] + took[["sys.self"]], file = file.path(path, "seconds.txt"))
"""


def mgcv_p_values(X, k, nodes):
    """Processor seconds inside R, and p-values (k, nodes) of mgcv's smooth terms."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "prune.R").write_text(MGCV)
        np.savetxt(here / "X.csv", X[:, : k + nodes], delimiter=",")
        try:
            subprocess.run(
                ["Rscript", here / "prune.R", folder, str(k)], check=True, capture_output=True, text=True
            )
        except (FileNotFoundError, subprocess.CalledProcessError):
            return None
        p_values = np.loadtxt(here / "P.csv", delimiter=",", ndmin=2)
        return float((here / "seconds.txt").read_text()), p_values.reshape(k, nodes)


# --- DAS against its textbook version --------------------------------------------------------------


def das_part(options):
    import textbook
    from dagscale.stages.candidates.jacobian_test import das_pass

    n = options.samples
    print(f"\nDAS to the letter, before pruning, against the textbook version, n = {n}, one thread each")
    for d in options.das_nodes:
        X, _ = sparse_data(n, d)
        ours, (order, mask, _) = seconds(das_pass, X, min_parents=0, n_jobs=1)
        theirs, (their_order, their_mask) = seconds(textbook.das, X)
        same = np.array_equal(order, their_order) and np.array_equal(mask, their_mask)
        print(
            f"  d = {d:4d}: ours {ours:7.2f} s, textbook {theirs:8.2f} s, ratio {theirs / ours:6.1f},"
            f" order and candidates {'the same' if same else 'DIFFER'}"
        )


# --- time and peak memory over d and n -------------------------------------------------------------


def scaling_part(options):
    sizes_d = options.scaling_d or ([10, 20, 50, 100, 200, 500, 1000] if options.full else [10, 20, 50, 100])
    sizes_n = options.scaling_n or ([250, 500, 1000, 2000, 4000] if options.full else [250, 500, 1000])
    for method in options.methods:
        print(f"\n{method}, whole run, n_jobs = {options.n_jobs}: seconds and peak memory of its own process")
        over_d = [(d, *measure(method, options.samples, d, options.n_jobs)) for d in sizes_d]
        report(f"n = {options.samples}", "d", over_d)
        over_n = [(n, *measure(method, n, options.fixed_d, options.n_jobs)) for n in sizes_n]
        report(f"d = {options.fixed_d}", "n", over_n)


def measure(method, n, d, n_jobs):
    """Wall-clock seconds, processor seconds and peak megabytes of one run in a fresh process."""
    job = json.dumps({"method": method, "n": n, "d": d, "n_jobs": n_jobs})
    command = [sys.executable, __file__, "--one-run", job]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return tuple(json.loads(answer.splitlines()[-1]))


def one_run(job):
    """Run one method here and print what `measure` returns."""
    import dagscale

    X, _ = sparse_data(job["n"], job["d"])
    dagscale.discover(X[:50, :2], method=job["method"])  # imports are not what is measured
    processor = time.process_time()
    took, _ = seconds(dagscale.discover, X, method=job["method"], n_jobs=job["n_jobs"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([took, time.process_time() - processor, peak]))


def report(fixed, varying, rows):
    for size, took, processor, megabytes in rows:
        print(
            f"  {fixed}, {varying} = {size:5d}: {took:8.2f} s"
            f" (processor {processor:8.2f} s) {megabytes:6.0f} MB"
        )
    sizes, times, _, memory = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    upper = sizes >= np.median(sizes)  # small sizes are all overhead
    if upper.sum() > 1:
        slope = np.polyfit(np.log(sizes[upper]), np.log(times[upper]), 1)[0]
        print(f"  seconds grow like {varying}^{slope:.2f} over the larger sizes; peak {memory.max():.0f} MB")


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=("pruning", "das", "scaling"), action="append", help="default: all")
    parser.add_argument("--samples", type=int, default=1000, help="rows, where they do not vary")
    parser.add_argument("--candidates", type=int, default=20, help="candidate parents a node (pruning)")
    parser.add_argument("--nodes", type=int, default=20, help="nodes to prune")
    parser.add_argument(
        "--das-nodes", type=int, nargs="+", default=[10, 20], help="d of the textbook comparison"
    )
    parser.add_argument("--methods", nargs="+", default=["das"], help="methods whose scaling is measured")
    parser.add_argument("--scaling-d", type=int, nargs="+", help="d at fixed n")
    parser.add_argument("--scaling-n", type=int, nargs="+", help="n at fixed d")
    parser.add_argument("--fixed-d", type=int, default=20, help="d while n varies")
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--full", action="store_true", help="scaling up to d = 1000 and n = 4000")
    parser.add_argument("--one-run", type=json.loads, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse()
    if options.one_run:
        one_run(options.one_run)
        return
    parts = {"pruning": pruning_part, "das": das_part, "scaling": scaling_part}
    for name in options.part or parts:
        parts[name](options)


if __name__ == "__main__":
    main()
