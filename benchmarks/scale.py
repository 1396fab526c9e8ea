"""Many rows, many columns, a GPU: seconds, peak memory and how they grow; every number of docs/scale.md.

    python benchmarks/scale.py rows         # up to n = 1,000,000 at d = 50: CAM, auto's quick setting
    python benchmarks/scale.py files        # the same table as Parquet and as CSV, through the command line
    python benchmarks/scale.py columns      # up to d = 10,000 at n = 1000, one edge a node
    python benchmarks/scale.py thousand     # d = 1000, Gaussian processes: seconds and SHD
    python benchmarks/scale.py sample       # kernel methods on samples of 16,000 rows: what the sample costs
    python benchmarks/scale.py gpu          # DAS and auto at d = 1000, auto's quick setting at d = 20,000
    python benchmarks/scale.py profile      # where a leaf of DAS spends its time on the GPU

Each run has a process of its own, with one BLAS thread a worker; peak memory is that of the process and holds
the table and the imports (about 150 MB). Exponents are of processor time, which other work on the machine
disturbs least; for the wall clock run it on an idle one. `--rows`, `--columns` and `--methods` choose others.
"""

import argparse
import os
import sys

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")  # before numpy

import json
import platform
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

FEATURES = 50  # cosines a mechanism is made of
BLOCK = 10_000  # rows made at once


def sparse_table(n, d, seed=0):
    """Make an ER graph with d edges, functions of all parents that are sums of random cosines, unit noise.

    Random cosines stand for a Gaussian process, whose n^3 a node would outlast the method.
    """
    from dagscale.data.simulate.graphs import erdos_renyi

    rng = np.random.default_rng(seed)
    adjacency = erdos_renyi(d, 1, "exact", rng)
    functions = {}
    for j in np.flatnonzero(adjacency.any(axis=0)):
        parents = np.flatnonzero(adjacency[:, j])
        frequencies = rng.standard_normal((len(parents), FEATURES))
        weights = rng.standard_normal(FEATURES) * np.sqrt(2 / FEATURES)
        functions[j] = parents, frequencies, rng.uniform(0, 2 * np.pi, FEATURES), weights
    X = np.empty((n, d))
    for start in range(0, n, BLOCK):
        rows = X[start : start + BLOCK]
        rows[:] = rng.standard_normal(rows.shape)
        for j, (parents, frequencies, phases, weights) in functions.items():
            rows[:, j] += np.cos(rows[:, parents] @ frequencies + phases) @ weights
    columns = rng.permutation(d)
    return X[:, columns], adjacency[np.ix_(columns, columns)]


def gp_table(n, d, seed):
    """Simulate as the benchmark suites do, standardised."""
    import dagscale

    made = dagscale.simulate("ER", nodes=d, edges_per_node=1, samples=n, standardize=True, random_state=seed)
    return made.table.to_numpy(), made.adjacency


def one_run(job):
    """Discover one graph here and print what `measure` returns."""
    import dagscale
    from dagscale import metrics
    from dagscale.methods.auto.settings import SETTINGS

    if "rows" in job:  # frozen, for all but this process of its own
        object.__setattr__(SETTINGS.likelihood, "rows", job["rows"])
    X, truth = (gp_table if job.get("gp") else sparse_table)(job["n"], job["d"], job.get("seed", 0))
    options = dict(job["options"])
    dagscale.discover(X[:50, :2], **options)  # imports, and a device's start, are not what is measured
    started, processor = time.perf_counter(), time.process_time()
    result = dagscale.discover(X, **options)
    found = {
        "seconds": time.perf_counter() - started,
        "processor": time.process_time() - processor,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "shd": int(metrics.shd(truth, result.adjacency)),
        "precision": metrics.precision(truth, result.adjacency),
        "recall": metrics.recall(truth, result.adjacency),
        "order_errors": int(metrics.order_errors(truth, [result.names.index(v) for v in result.order])),
    }
    print(json.dumps(found))


def measure(n, d, options, **job):
    """Run `one_run` in a fresh process."""
    job = json.dumps({"n": n, "d": d, "options": options, **job})
    command = [sys.executable, __file__, "one-run", "--job", job]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(answer.splitlines()[-1])


METHODS = {"cam": {"method": "cam"}, "quick": {"method": "auto", "effort": "quick"}}


def show(label, found):
    """Print one run."""
    print(
        f"  {label}: {found['seconds']:7.1f} s (processor {found['processor']:7.1f} s), "
        f"{found['megabytes'] / 1024:5.2f} GB, SHD {found['shd']:5d}, precision {found['precision']:.3f}, "
        f"recall {found['recall']:.3f}",
        flush=True,
    )


def growth(name, sizes, runs):
    """Print the exponents of processor time and memory fitted over the sizes."""
    if len(sizes) < 2:
        return
    for what in ("processor", "megabytes"):
        slope = np.polyfit(np.log(sizes), np.log([run[what] for run in runs]), 1)[0]
        print(f"  {what} grows like {name}^{slope:.2f} over {len(sizes)} sizes", flush=True)


def rows_part(options):
    """Time and memory over n."""
    d = (options.columns or [50])[0]
    sizes = options.rows or [62_500, 250_000, 1_000_000]
    over_sizes(options, f"d = {d}", "n", sizes, lambda n: (n, d))


def columns_part(options):
    """Time and memory over d."""
    n = (options.rows or [1000])[0]
    sizes = options.columns or [1000, 3000, 10_000]
    over_sizes(options, f"n = {n}", "d", sizes, lambda d: (n, d))


def over_sizes(options, fixed, name, sizes, shape):
    """Measure every method at every size, and print how it grows."""
    for method in options.methods or METHODS:
        print(f"\n{method}, {fixed}, ER1")
        runs = []
        for size in sizes:
            runs.append(measure(*shape(size), {**METHODS[method], "n_jobs": options.n_jobs}))
            show(f"{name} = {size:9,d}", runs[-1])
        growth(name, sizes, runs)


def files_part(options):
    """A large file through the command line: time and memory of the whole command."""
    n, d = (options.rows or [1_000_000])[0], (options.columns or [50])[0]
    import pandas as pd

    X, _ = sparse_table(n, d)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    del X
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "table.parquet", Path(folder) / "table.csv"]
        frame.to_parquet(paths[0])
        if not options.parquet_only:
            frame.to_csv(paths[1], index=False)
        del frame
        for path in paths:
            if path.exists():
                command_line(path, Path(folder) / path.suffix[1:], options)


def command_line(path, out, options):
    """Run `dagscale discover` on a file and print what it took."""
    print(f"\ndagscale discover {path.name} ({path.stat().st_size / 1e6:.0f} MB) --method cam --out run")
    command = [sys.executable, "-m", "dagscale", "discover", str(path), "--method", "cam", "--quiet"]
    command += ["--out", str(out), "--n-jobs", str(options.n_jobs)]
    started = time.perf_counter()
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    print(
        f"  {time.perf_counter() - started:.1f} s (processor {usage.ru_utime + usage.ru_stime:.1f} s), "
        f"{usage.ru_maxrss / 1024**2:.2f} GB, exit status {os.waitstatus_to_exitcode(status)}"
    )


def thousand_part(options):
    """The paper's largest table: CAM and auto's quick setting."""
    for method in options.methods or METHODS:
        print(f"\n{method}, n = 1000, d = 1000, ER1 with Gaussian processes, standardised")
        runs = []
        for seed in options.seeds:
            runs.append(
                measure(1000, 1000, {**METHODS[method], "n_jobs": options.n_jobs}, gp=True, seed=seed)
            )
            show(f"seed {seed:4d}", runs[-1])
        print(f"  mean SHD {np.mean([run['shd'] for run in runs]):.1f}")


def sample_part(options):
    """What a sample of the rows costs: order errors and SHD of kernel methods on more and more rows."""
    n, d = 16_000, (options.columns or [20])[0]
    sizes = options.rows or [500, 1000, 2000, 4000]
    for method in options.methods or ["das", "score", "auto"]:
        print(f"\n{method}, n = {n}, d = {d}, ER1, {len(options.seeds)} graphs: rows used, mean of")
        for rows in sizes:
            settings = {} if method == "auto" else {"max_rows": rows}
            job = {"rows": rows} if method == "auto" else {}
            plan = {"method": method, "n_jobs": options.n_jobs, "standardize": True, **settings}
            runs = [measure(n, d, plan, seed=seed, **job) for seed in options.seeds]
            means = {key: np.mean([run[key] for run in runs]) for key in runs[0]}
            print(
                f"  {rows:6d} rows: SHD {means['shd']:5.1f}, order errors {means['order_errors']:5.1f}, "
                f"{means['processor']:6.1f} s of processor",
                flush=True,
            )


def gpu_part(options):
    """The figures of one GPU."""
    quick = {**METHODS["quick"], "device": "cuda"}
    das = {"method": "das", "device": "cuda", "min_parents": 0}
    print("\non the GPU, n = 1000, ER1")
    parts = {
        "das": ("DAS as in the paper, d =  1,000", 1000, das),
        "auto": ("auto,                d =  1,000", 1000, {"method": "auto", "device": "cuda"}),
        "quick": ("auto, quick,         d = 20,000", 20_000, quick),
    }
    for name in options.methods or parts:
        label, d, plan = parts[name]
        show(label, measure(1000, d, plan))


def profile_part(options):
    """Where a leaf of DAS spends its time on the GPU, beside what the card can do."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    from dagscale.stages.candidates.jacobian_test import das_pass
    from dagscale.stages.ordering.leaf import peel

    n, d, leaves = (options.rows or [1000])[0], (options.columns or [1000])[0], 40
    device = options.device
    X, _ = sparse_table(n, d)
    das_pass(X[:, :20], min_parents=0, device=device)  # the libraries' start is not what is measured
    big = torch.randn(8192, 8192, dtype=torch.float64, device=device)
    rate = 2 * 8192**3 / on_gpu(lambda: big @ big) / 1e12
    moved = 2 * big.nbytes / on_gpu(lambda: big.clone()) / 1e12
    print(f"\na product of float64 matrices reaches {rate:.0f} TFLOP/s, a copy {moved:.1f} TB/s")
    steps = peel(X, device=device)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
        started = time.perf_counter()
        for step, _ in zip(steps, range(leaves), strict=False):
            step.stein.row(step.position)
        torch.cuda.synchronize()
        seconds = time.perf_counter() - started
    events = [e for e in profiled.key_averages() if e.self_device_time_total > 0 and "aten::" in e.key]
    busy, watched = (
        t / leaves for t in (sum(e.self_device_time_total for e in events) / 1000, 1000 * seconds)
    )
    print(f"n = {n}, d = {d}: a leaf takes {watched:.2f} ms while watched, the GPU {busy:.2f} ms of it:")
    for event in sorted(events, key=lambda e: -e.self_device_time_total)[:10]:
        own, times = event.self_device_time_total / leaves / 1000, event.count / leaves
        print(f"  {own:6.3f} ms {event.key} x {times:.1f}")
    flops = 14 * n * n * d  # K X, two products for each of two solves of d columns, two for the row's
    print(f"  the products are {flops / 1e9:.0f} GFLOP, {flops / rate / 1e9:.2f} ms at the rate above")


def on_gpu(work):
    """Seconds a call takes on the GPU, mean of five after one."""
    import torch

    work()
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(5):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - started) / 5


PARTS = {
    "rows": rows_part,
    "files": files_part,
    "columns": columns_part,
    "thousand": thousand_part,
    "sample": sample_part,
    "gpu": gpu_part,
    "profile": profile_part,
}


def main():
    """Run the part that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=[*PARTS, "one-run"])
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--columns", type=int, nargs="+")
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--device", default="cuda", help="profile: the device")
    parser.add_argument("--parquet-only", action="store_true", help="files: leave the CSV out")
    parser.add_argument("--job", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part == "one-run":
        one_run(options.job)
        return
    print(
        f"{platform.machine()}, {os.cpu_count()} processors, n_jobs = {options.n_jobs}, {platform.platform()}"
    )
    PARTS[options.part](options)


if __name__ == "__main__":
    main()
