"""The experiments of Sachs et al., judged by every published graph.

    DAGSCALE_PEERS_PYTHON=.peers/bin/python python benchmarks/interventions.py

Rows: targets known (`interventions=`), conditions known (`environment=`), the rows without intervention, all rows
without labels, and the peers whose packages are there (docs/howto-benchmarks.md). Simulated experiments are the
suite `interventions`.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

import dagscale
from dagscale.benchmark.peers import INTERVENTIONAL, run_peer
from dagscale.runtime.errors import InputError

GRAPHS = ("reconstructed", "consensus", "eaton", "mooij")
LABELS = "intervention"


def rows() -> dict[str, Callable[[], np.ndarray]]:
    """Return what finds a graph by the name of its row."""
    data = dagscale.datasets.load("sachs-experiments")
    label, X = data.table[LABELS], data.table[data.names]
    targets = np.array([[name == own for name in data.names] for own in label])
    conditions = data.table.assign(**{LABELS: [own or "obs" for own in label]})
    found = {
        "targets known": lambda: dagscale.discover(data.table, interventions=LABELS).adjacency,
        "targets unknown": lambda: dagscale.discover(conditions, environment=LABELS).adjacency,
        "rows without intervention": lambda: dagscale.discover(X[label == ""]).adjacency,
        "all rows, no labels": lambda: dagscale.discover(X).adjacency,
    }
    logs = np.log(X.to_numpy())
    peers = {
        name: lambda name=name: run_peer(name, logs, data.names, 0, targets=targets)
        for name in INTERVENTIONAL
    }
    return found | peers


def f1(truth: np.ndarray, found: np.ndarray) -> float:
    """Return the harmonic mean of precision and recall."""
    return float(2 * (truth & found).sum() / max(truth.sum() + found.sum(), 1))


def main() -> None:
    """Run every row and print its line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", help="only rows whose name contains this text")
    wanted = parser.parse_args().rows or ""
    truths = {graph: dagscale.datasets.load("sachs-experiments", graph=graph).adjacency for graph in GRAPHS}
    print("F1 of adjacencies and of directed edges; an undirected link is no directed hit.\n")
    print(f"| row | {' | '.join(GRAPHS)} | edges | seconds |\n|{' --- |' * (len(GRAPHS) + 3)}")
    for row, find in rows().items():
        if wanted not in row:
            continue
        begun = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                A = find()
        except InputError as missing:
            print(f"| {row} | {missing} |")
            continue
        seconds = time.perf_counter() - begun
        cells = [f"{f1(T | T.T, A | A.T):.2f}, {f1(T, A & ~A.T):.2f}" for T in truths.values()]
        print(f"| {row} | {' | '.join(cells)} | {int(np.triu(A | A.T).sum())} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
