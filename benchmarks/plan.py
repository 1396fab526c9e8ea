"""Measure the coefficients of `dagscale.plan`, and check its forecasts on sizes it has not seen.

    python benchmarks/plan.py --measure --check          # all methods: some ten minutes, writes plan.json
    python benchmarks/plan.py --measure --methods auto   # only these
    python benchmarks/plan.py --measure --device cuda    # on a GPU, into the same file
    python benchmarks/plan.py --rescale --methods auto   # one factor for all times, fitted to the held-out sizes
    python benchmarks/plan.py --check                    # held-out sizes: within 2x, or exit 1

Each run is a process of its own on one edge a node (`auto` on more, too, and on columns of levels and counts), one
worker, CPU time on the CPU and wall clock elsewhere; peak memory is the process's highest resident size, on a GPU
torch's. On the CPU two runs go side by side (`--at-once`). Finished runs are kept in benchmark-results/plan.jsonl: an
interrupted command, given again, goes on from there, as long as code and machine are the same (`--fresh` begins anew).
"""

import argparse
import os
import sys

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")  # before numpy

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import numpy as np
from scipy.optimize import nnls

from dagscale.benchmark.machine import describe, machine
from dagscale.benchmark.measure import measured
from dagscale.methods.checkpoint_identity import code_identity
from dagscale.methods.forecast import DATA, EVIDENCE_ROWS, _data, feature, plan, slowness
from dagscale.runtime.resources import LIMIT, probe_speed
from speed import sparse_data

KERNEL = ["1", "d", "n d", "q d^2", "q^2 d", "q^2 d^2", "q^3 d"]
SPLINE = ["1", "d", "n d", "n d^2", "n s^2", "d^2", "d^3"]


class Product(list):
    """Sizes of which one product of powers is fitted, and beside it "n d"."""


NUMBERS, LEVELS = Product(["m", "d", "e"]), Product(["m", "d", "e", "l"])
# terms of the seconds, terms of the bytes beyond an idle process, sizes measured, sizes held out: rows, columns, edges
# a node (1 unless said), percentage of columns of levels and counts (0 unless said)
METHODS = {
    "das": (
        KERNEL,
        ["q^2", "n d", "k d", "g^2", "d^2"],
        "300x20 1000x10 500x50 1000x50 2000x10 1000x100 300x150 4000x5 30000x5 100000x10",
        "700x30 1500x40 400x120 15000x5",
    ),
    "nogam": (
        [*KERNEL, "q d^3"],
        ["q^2", "n d", "k d", "g^2", "w q", "d^2"],
        "300x10 500x20 1000x10 1000x25 300x50 3000x5",
        "700x15 400x35 2000x8",
    ),
    "cam": (
        SPLINE,
        ["n d", "k d", "g^2", "d^2"],
        "300x20 1000x20 1000x100 4000x50 3000x120 500x300 300x800 20000x20 40000x50 200000x20",
        "700x60 2000x150 400x500 60000x25",
    ),
    "auto": (
        NUMBERS,
        ["n d", "k d", "g^2", "d^2", "m d", "w m^2"],
        "300x4 1500x5 600x8x3 300x12 300x20 1000x20 600x20x3 300x35 300x55 100000x6",
        "450x15 800x10x2 400x40 1200x6",
    ),
    "auto mixed": (
        LEVELS,
        ["n d", "k d", "g^2", "d^2", "m d", "w m^2"],
        "300x6x1x50 300x8x1x100 600x10x1x30 1000x12x2x30 500x16x1x60 400x20x1x100 1000x20x1x30 300x30x1x90 400x30x2x50",
        "700x18x2x30 400x33x1x80 500x10x3x50",
    ),
    "auto wide": (
        Product(["m", "d"]),
        ["n d", "k d", "g^2", "d^2", "m d", "w m^2"],
        "300x80 600x70 300x120 1000x80 50000x70",
        "450x100",
    ),
}
METHODS["score"] = METHODS["das"]
METHODS["auto wide, quick"], METHODS["varsort"] = METHODS["auto wide"], METHODS["cam"]
METHODS["auto, quick"] = (
    LEVELS,
    METHODS["auto"][1],
    f"{METHODS['auto'][2]} {METHODS['auto mixed'][2]} 200000x20",
    f"{METHODS['auto'][3]} {METHODS['auto mixed'][3]}",
)
SEEDS = (1000, 1001)
KEPT = Path("benchmark-results/plan.jsonl")
IDLE_WEIGHT = 30e6  # bytes: smaller differences between peaks are the allocator's
WITHIN = 2.0


def sizes(text):
    """Read "300x20 1000x10x2x30" as rows, columns, edges a node and percentage of levels and counts."""
    given = [tuple(map(int, size.split("x"))) for size in text.split()]
    return [one + (1, 0)[len(one) - 2 :] for one in given]


def table_of(n, d, per_node, percent, seed):
    """Make the table of one run."""
    import dagscale

    if not percent:
        return sparse_data(n, d, seed, per_node)[0]
    return dagscale.simulate(
        nodes=d, samples=n, edges_per_node=per_node, discrete=percent / 100, random_state=seed
    ).table


def once(name, n, d, per_node, percent, device, seed, n_jobs):
    """Run here; return time, peak, and the share of the time that more workers would divide."""
    import dagscale

    method, _, effort = name.partition(", ")
    method = method.removesuffix(" wide").removesuffix(" mixed")
    table = table_of(n, d, per_node, percent, seed)
    dagscale.discover(sparse_data(50, 3)[0], "cam", n_jobs=1)  # imports
    inside = count_parallel_time()
    if device != "cpu":
        import torch

        torch.cuda.reset_peak_memory_stats()
    with measured() as cost:
        dagscale.discover(table, method, effort=effort or "full", n_jobs=n_jobs, device=device)
    on_cpu = device == "cpu"
    idle = cost.start_mb * 2**20 - 8 * n * d if on_cpu else 0.0
    peak = cost.peak_mb * 2**20 - idle if on_cpu else torch.cuda.max_memory_allocated()
    seconds = cost.cpu if on_cpu else cost.wall
    return {
        "seconds": seconds,
        "peak": peak,
        "idle": idle,
        "parallel": min(inside[0] / seconds, 1.0),
    }


def count_parallel_time():
    """Add up the time spent in the maps that workers would share, when there is one worker."""
    from dagscale.runtime import parallel

    spent, depth = [0.0], [0]

    def timed_map(function, tasks):
        for task in tasks:
            start = time.process_time()
            depth[0] += 1
            result = function(task)
            depth[0] -= 1
            spent[0] += (time.process_time() - start) * (depth[0] == 0)  # maps within maps count once
            yield result

    parallel.map = timed_map  # instead of the builtin, in that module
    return spent


class Runs:
    """Runs in processes of their own, several at once, each kept on the disk as soon as it is finished."""

    def __init__(self, device, at_once, fresh=False):
        self.device, self.at_once = device, at_once if device == "cpu" else 1
        self._origin = [code_identity(), device_name(device)]
        self._done, self._lock = {}, Lock()
        if KEPT.exists() and not fresh:
            rows = map(json.loads, KEPT.read_text().splitlines())
            self._done = {tuple(row["job"]): row["found"] for row in rows if row["origin"] == self._origin}

    def make(self, jobs):
        """Run what is missing of the jobs (name, n, d, edges a node, percentage, seed, n_jobs), the largest first."""
        missing = sorted(
            {job for job in jobs if job not in self._done}, key=lambda job: -job[1] * job[2] ** 2 * job[3]
        )
        KEPT.parent.mkdir(exist_ok=True)
        with ThreadPoolExecutor(self.at_once) as pool:
            list(pool.map(self._one, missing))

    def _one(self, job):
        name, n, d, per_node, percent, seed, n_jobs = job
        found = run(name, n, d, per_node, percent, self.device, seed, n_jobs)
        with self._lock, KEPT.open("a") as file:
            self._done[job] = found
            file.write(json.dumps({"origin": self._origin, "job": job, "found": found}) + "\n")
            print(
                f"  {name:12} n={n:6} d={d:5} e={per_node} levels={percent:3}%: {found['seconds']:7.2f} s",
                flush=True,
            )

    def mean(self, name, shape, n_jobs=1):
        """Average over the seeds."""
        found = [self._done[job] for job in jobs_of(name, [shape], n_jobs)]
        return {key: float(np.mean([one[key] for one in found])) for key in found[0]}


def jobs_of(name, shapes, n_jobs=1):
    """List the runs for some sizes: two seeds of auto, whose work depends on the graph."""
    seeds = SEEDS if name.startswith("auto") and n_jobs == 1 else SEEDS[:1]
    return [(name, *shape, seed, n_jobs) for shape in shapes for seed in seeds]


def run(name, *details):
    """Run in a process of its own."""
    arguments = [str(value) for value in (name, *details)]
    command = [sys.executable, __file__, "--once", *arguments]
    unlimited = {**os.environ, LIMIT: "1e6"}  # coefficients to be replaced must not refuse
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=unlimited)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def measure(names, runs):
    """Fit the coefficients and write them down."""
    data = json.loads(DATA.read_text()) if DATA.exists() else {}
    entry = data.setdefault(runs.device, {"methods": {}})
    unit = 1.0
    if set(names) >= set(METHODS) or "probe" not in entry:
        entry["machine"], entry["probe"] = device_name(runs.device), probe_speed(runs.device)
    else:  # in seconds of the machine of the others
        unit = slowness(runs.device)
    runs.make([job for name in names for job in wanted(name, runs.device)])
    for name in names:
        in_time, in_memory, *_ = METHODS[name]
        shapes = {(*shape, n_jobs) for _, *shape, _, n_jobs in wanted(name, runs.device)}
        rows = [(*shape, n_jobs, runs.mean(name, shape, n_jobs)) for *shape, n_jobs in sorted(shapes)]
        first = {key: value for key, value in entry["methods"].get(name, {}).items() if key == "first"}
        entry["methods"][name] = fitted(rows, in_time, in_memory, unit) | first  # of first_graph.py
        DATA.write_text(json.dumps(data, indent=1) + "\n")
        print(f"{name:12} {json.dumps(entry['methods'][name])}", flush=True)
    _data.cache_clear()  # a check that follows asks the new coefficients
    slowness.cache_clear()


def rescale(names, runs):
    """Multiply the times of methods by what their held-out sizes take over the forecast: their powers stay."""
    data, unit = json.loads(DATA.read_text()), slowness(runs.device)
    held_out = {name: sizes(METHODS[name][3]) for name in names}
    runs.make([job for name in names for job in jobs_of(name, held_out[name])])
    for name, shapes in held_out.items():
        seconds = [(runs.mean(name, one)["seconds"], told(name, one, runs.device, False)) for one in shapes]
        ratios = [true / unit / forecast.seconds for true, forecast in seconds]
        factor = float(np.exp(np.mean(np.log(ratios))))
        model = data[runs.device]["methods"][name]
        model["seconds"] = {term: float(f"{factor * c:.4g}") for term, c in model["seconds"].items()}
        if "product" in model:
            model["product"]["1"] = float(f"{factor * model['product']['1']:.4g}")
        print(f"{name:12} times {factor:.2f}", flush=True)
    DATA.write_text(json.dumps(data, indent=1) + "\n")
    _data.cache_clear()


def told(name, shape, device, probe=True):
    """Forecast one size."""
    n, d, e, p = shape
    method, _, effort = name.partition(", ")
    method = method.removesuffix(" wide").removesuffix(" mixed")
    asked = {"edges_per_node": e, "discrete": p / 100, "effort": effort or "full"}
    return plan(n, d, method, device, n_jobs=1, probe=probe, **asked)


def wanted(name, device):
    """List the runs behind a method's coefficients; some with two workers where these take memory."""
    _, in_memory, told, _ = METHODS[name]
    more = jobs_of(name, sizes(told)[2:4], n_jobs=2)
    return jobs_of(name, sizes(told)) + more * (device == "cpu" and any("w" in term for term in in_memory))


def fitted(rows, in_time, in_memory, unit):
    """Fit non-negative coefficients to relative errors; times in units of so many seconds."""
    alone = [row for row in rows if row[4] == 1]
    seconds = np.array([one["seconds"] for *_, one in alone]) / unit
    peaks = np.array([one["peak"] for *_, one in rows])
    if isinstance(in_time, Product):
        times, powers = product_of_powers(alone, in_time, seconds)
    else:
        times, powers = coefficients(alone, in_time, seconds, seconds), {}
    memory = coefficients(rows, in_memory, peaks, peaks + IDLE_WEIGHT)
    memory["1"] = memory.get("1", 0.0) + max(one["idle"] for *_, one in rows)
    share = sum(one["parallel"] * one["seconds"] / unit for *_, one in alone) / seconds.sum()
    product = {"product": powers} if powers else {}
    return {"seconds": times, **product, "bytes": memory, "parallel": round(float(share), 3)}


def product_of_powers(rows, names, seconds):
    """Fit powers to the logarithms of the times; what tables of more rows take beyond that, to "n d"."""
    sizes = [[feature(name, n, d, density=e, discrete=p / 100) for name in names] for n, d, e, p, *_ in rows]
    design = np.column_stack([np.ones(len(rows)), np.log(sizes)])
    short = np.array([n <= EVIDENCE_ROWS for n, *_ in rows])
    found = np.linalg.lstsq(design[short], np.log(seconds[short]), rcond=None)[0]
    values = np.array([n * d for n, d, *_ in rows])
    beyond = np.mean([0.0, *((seconds - np.exp(design @ found)) / values)[~short]])
    powers = dict(zip(["1", *names], [float(np.exp(found[0])), *found[1:].tolist()], strict=True))
    return {"n d": float(f"{max(beyond, 0.0):.4g}")}, {name: float(f"{v:.4g}") for name, v in powers.items()}


def coefficients(rows, terms, values, scale):
    design = np.array([[feature(term, n, d, w, density=e) for term in terms] for n, d, e, _, w, _ in rows])
    size = design.max(axis=0)
    found, _ = nnls(design / size / scale[:, None], values / scale)
    return {term: float(f"{c:.4g}") for term, c in zip(terms, found / size, strict=True) if c > 0}


def device_name(device):
    if device == "cpu":
        return describe(machine())
    import torch

    return torch.cuda.get_device_name(device)


def check(names, runs):
    """Compare forecasts with runs on held-out sizes; return whether all are within a factor of two."""
    held_out = {name: sizes(METHODS[name][3]) for name in names}
    runs.make([job for name in names for job in jobs_of(name, held_out[name])])
    columns = ("seconds", "forecast", "ratio", "MB", "forecast", "ratio")
    print(f"{'':12} {'rows':>6} {'cols':>5}" + "".join(f" {column:>9}" for column in columns))
    off = []
    for name, n, d, e, p in [(name, *shape) for name, shapes in held_out.items() for shape in shapes]:
        one, forecast = runs.mean(name, (n, d, e, p)), told(name, (n, d, e, p), runs.device)
        pairs = [
            (one["seconds"], forecast.seconds),
            ((one["peak"] + one["idle"]) / 1e6, forecast.memory / 1e6),
        ]
        bad = any(not 1 / WITHIN <= forecast / true <= WITHIN for true, forecast in pairs)
        off += [f"{name} {n}x{d}"] * bad
        numbers = "".join(f" {true:9.2f} {forecast:9.2f} {forecast / true:9.2f}" for true, forecast in pairs)
        print(f"{name:12} {n:6} {d:5}{numbers}{'  OFF' if bad else ''}", flush=True)
    print(f"off by more than {WITHIN:g}: {', '.join(off) or 'none'}")
    return not off


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--rescale", action="store_true", help="one factor for all times of a method")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--methods", help='as "das;auto, quick"; all unless given')
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--at-once", type=int, default=2, help="runs side by side on the CPU")
    parser.add_argument("--fresh", action="store_true", help="forget the runs that are kept")
    parser.add_argument("--once", nargs=8, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        name, n, d, per_node, percent, device, seed, n_jobs = options.once
        shape = map(int, (n, d, per_node, percent))
        print(json.dumps(once(name, *shape, device, int(seed), int(n_jobs))))
        return 0
    names = list(METHODS) if options.methods is None else options.methods.split(";")
    names = [name.replace("-quick", ", quick") for name in names]
    runs = Runs(options.device, options.at_once, options.fresh)
    if options.measure:
        measure(names, runs)
    if options.rescale:
        rescale(names, runs)
    return 0 if not options.check or check(names, runs) else 1


if __name__ == "__main__":
    sys.exit(main())
