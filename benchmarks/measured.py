"""Measured tables whose graph nobody knows: arrows of `auto` between known tiers, and against them.

    DAGSCALE_DATA=... python benchmarks/measured.py            # galton and auto-mpg are shipped, the others read
    python benchmarks/measured.py --tables galton --effort quick

One line a table: links found, arrows claimed between tiers, those of them that go from a later tier to an earlier one,
links between tiers that are left open, and seconds. Columns of text are left out. The gates of `either_way`
(`LikelihoodSettings`) were set while looking at galton, auto-mpg and yacht.
"""

import argparse
import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy

import time

import dagscale
from dagscale.data.datasets.measured import TABLES, available


def judged(name, effort):
    """Find the graph of one table; return its counts and seconds."""
    data = dagscale.datasets.load(name)
    tier = {column: k for k, columns in enumerate(data.knowledge.tiers) for column in columns}
    began = time.perf_counter()
    result = dagscale.discover(data.table.select_dtypes("number"), effort=effort, n_jobs=1)
    seconds = time.perf_counter() - began
    edges = result.edges
    rows = list(zip(edges["source"], edges["target"], edges["either_way"], strict=True))
    between = [(tier[a] > tier[b], is_open) for a, b, is_open in rows if tier[a] != tier[b]]
    claimed = [against for against, is_open in between if not is_open]
    return len(rows), len(claimed), sum(claimed), len(between) - len(claimed), seconds


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", nargs="+", default=[name for name in TABLES if available(name)])
    parser.add_argument("--effort", default="full")
    options = parser.parse_args()
    print(
        "| table | links | claimed between tiers | against | open between tiers | s |\n|---|---|---|---|---|---|"
    )
    for name in options.tables:
        links, claimed, against, is_open, seconds = judged(name, options.effort)
        print(f"| {name} | {links} | {claimed} | {against} | {is_open} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
